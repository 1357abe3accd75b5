#include "compiler/embed/embed.h"

#include <algorithm>

namespace sluice::embed {

std::string_view text(std::string_view path) {
  const std::span<const File> all = files();
  const auto at = std::ranges::lower_bound(all, path, {}, &File::path);
  return at != all.end() && at->path == path ? at->text : std::string_view{};
}

std::string standalone(std::string_view path) {
  std::string_view rest = text(path);
  std::string kept;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end);
    if (!line.starts_with("#pragma once")) kept += line;
  }
  return kept;
}

}  // namespace sluice::embed
