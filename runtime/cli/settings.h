#pragma once
// `--set name=value`: parameters fixed when the format is compiled, and arguments it takes when it runs. The command
// line makes no difference between them; the format's declarations do.
#include <optional>
#include <string>
#include <vector>

#include "runtime/api/sluice.hpp"

namespace CLI {
class App;
}

namespace sluice::cli {

// Adds the option to a subcommand; what the user gave ends in `texts`, unchecked.
void add_set_option(CLI::App& command, std::vector<std::string>& texts);

struct Settings {
  std::vector<Setting> parameters;    // of the format, compile time
  std::vector<NamedValue> arguments;  // run time
};

// Tells the run-time arguments of `path_or_name` from its parameters. Names the format declares neither as a
// parameter nor as an argument stay parameters: compiling reports them. Nothing when a text is no name=value, or an
// argument's value no number: `error` says so.
std::optional<Settings> split_settings(const std::vector<std::string>& texts, const std::string& path_or_name,
                                       std::string& error);

}  // namespace sluice::cli
