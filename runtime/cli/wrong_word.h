#pragma once
// The word of the command line that nothing knows. The parser looks for what is missing before it looks at what there
// is too much of, so that alone it would answer `sluice decodee x` with "A subcommand is required".
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace sluice::cli {

// After a parse that failed: "no command `decodee`; did you mean `decode`?", "no option `--ouput` of decode; ...".
// Nothing when every word is known.
std::optional<std::string> wrong_word_text(const CLI::App& app, int argc, const char* const* argv);

}  // namespace sluice::cli
