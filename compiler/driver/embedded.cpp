#include "compiler/driver/embedded.h"

#include <algorithm>

namespace sluice::driver {

std::string_view embedded(std::string_view path) {
  const std::span<const EmbeddedFile> files = embedded_files();
  const auto at = std::ranges::lower_bound(files, path, {}, &EmbeddedFile::path);
  return at != files.end() && at->path == path ? at->text : std::string_view{};
}

}  // namespace sluice::driver
