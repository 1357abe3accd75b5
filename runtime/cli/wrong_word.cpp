#include "runtime/cli/wrong_word.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <vector>

#include "dsl/diag/diag.h"

namespace sluice::cli {
namespace {

// "-" alone is a file.
bool is_option(std::string_view word) { return word.size() > 1 && word[0] == '-'; }

std::string no_option(const CLI::App& app, std::string_view word, std::string_view of) {
  word = word.substr(0, word.find('='));
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  const auto meant = did_you_mean(word, known);
  return fmt::format("no option `{}`{}{}", word, of, meant ? fmt::format("; did you mean `{}`?", *meant) : "");
}

}  // namespace

std::optional<std::string> wrong_word_text(const CLI::App& app, int argc, const char* const* argv) {
  const auto chosen = app.get_subcommands();
  if (!chosen.empty()) {
    const auto rest = chosen.front()->remaining();
    const auto wrong = std::ranges::find_if(rest, is_option);
    if (wrong == rest.end()) return std::nullopt;
    return no_option(*chosen.front(), *wrong, " of " + chosen.front()->get_name());
  }
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands({})) commands.push_back(command->get_name());
  if (argc < 2) return fmt::format("no command; there are {}", fmt::join(commands, ", "));
  const std::string word = argv[1];
  if (is_option(word)) return no_option(app, word, "");
  if (const auto meant = did_you_mean(word, commands))
    return fmt::format("no command `{}`; did you mean `{}`?", word, *meant);
  return fmt::format("no command `{}`; there are {}", word, fmt::join(commands, ", "));
}

}  // namespace sluice::cli
