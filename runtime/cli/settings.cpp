#include "runtime/cli/settings.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <set>
#include <string_view>

#include "compiler/driver/compile.h"
#include "compiler/driver/library.h"
#include "dsl/syntax/parse.h"

namespace sluice::cli {
namespace {

// Names of the run-time arguments that the text of a spec declares. Whatever is wrong with the text is left for the
// compilation to report.
std::set<std::string> declared_arguments(const std::string& path_or_name) {
  const auto spec =
      driver::looks_like_path(path_or_name) ? driver::read_spec(path_or_name) : driver::find_spec(path_or_name, "", {});
  SourceSet sources;
  DiagSink sink;
  const ast::File file = ast::parse(sources, sources.add(path_or_name, spec ? spec->text : ""), sink);
  std::set<std::string> names;
  for (const ast::Decl& decl : file.decls)
    if (decl.kind == ast::Decl::Kind::Argument) names.insert(decl.name.text);
  return names;
}

// Decimal or 0x hexadecimal, with an optional minus sign; true and false are 1 and 0.
std::optional<NamedValue> number(std::string_view name, std::string_view text) {
  if (text == "true" || text == "false") return NamedValue{std::string(name), text == "true", Sign::Positive};
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  int base = 10;
  if (text.starts_with("0x")) {
    text.remove_prefix(2);
    base = 16;
  }
  std::uint64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return NamedValue{std::string(name), negative ? 0 - value : value, negative ? Sign::Negative : Sign::Positive};
}

}  // namespace

void add_set_option(CLI::App& command, std::vector<std::string>& texts) {
  command.add_option("--set", texts, "A parameter or an argument of the format; may be given several times")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

std::optional<Settings> split_settings(const std::vector<std::string>& texts, const std::string& path_or_name,
                                       std::string& error) {
  Settings settings;
  if (texts.empty()) return settings;
  const auto arguments = declared_arguments(path_or_name);
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) {
      error = fmt::format("--set takes NAME=VALUE, not `{}`", text);
      return std::nullopt;
    }
    const std::string name = text.substr(0, equals), value = text.substr(equals + 1);
    if (!arguments.contains(name)) {
      settings.parameters.push_back({name, value});
      continue;
    }
    const auto parsed = number(name, value);
    if (!parsed) {
      error = fmt::format("--set {}: `{}` is not a number", name, value);
      return std::nullopt;
    }
    settings.arguments.push_back(*parsed);
  }
  return settings;
}

}  // namespace sluice::cli
