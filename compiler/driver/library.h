#pragma once
// Where specs come from: files, search directories, and the codecs built into the library.
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::driver {

struct SpecText {
  std::string display;    // file's name in diagnostics
  std::string directory;  // where its `use` lines look first; empty for a built-in or plain text
  std::string text;
};

// A word that may name a format: letters, digits and underscores, so that it can't lead out of a directory.
[[nodiscard]] bool is_format_name(std::string_view name);

// Whole file; nothing when it can't be read.
[[nodiscard]] std::optional<SpecText> read_spec(const std::string& path);

// The spec of the format `name`: NAME.sluice or NAME/NAME.sluice in `directory` (if not empty), beside that directory
// (../NAME/NAME.sluice), in the search directories in order, else built in.
[[nodiscard]] std::optional<SpecText> find_spec(std::string_view name, const std::string& directory,
                                                std::span<const std::string> search);

// The schedules of the spec `path_or_name`: NAME.schedule beside NAME.sluice, or built in. Nothing when there are none.
[[nodiscard]] std::optional<SpecText> find_schedules(std::string_view path_or_name, std::span<const std::string> search);

// Names of the built-in codecs, sorted.
[[nodiscard]] std::vector<std::string> builtin_codecs();

}  // namespace sluice::driver
