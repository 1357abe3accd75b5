#include "compiler/embed/embed.h"

#include <algorithm>

namespace sluice::embed {

std::string_view text(std::string_view path) {
  const std::span<const File> all = files();
  const auto at = std::ranges::lower_bound(all, path, {}, &File::path);
  return at != all.end() && at->path == path ? at->text : std::string_view{};
}

}  // namespace sluice::embed
