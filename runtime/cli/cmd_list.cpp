// sluice list: the codecs that travel inside the program, each with what the compiler finds out about it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <string_view>

#include "compiler/analysis/explain.h"
#include "compiler/analysis/facts.h"
#include "compiler/driver/library.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/exit_code.h"
#include "runtime/cli/load_spec.h"
#include "runtime/cli/print.h"

namespace sluice::cli {
namespace {

// The comment a spec begins with says in a line what the format is.
std::string_view first_comment(std::string_view text) {
  if (!text.starts_with('#')) return {};
  text = text.substr(1, text.find('\n') - 1);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text;
}

int list() {
  int exit_code = kDone;
  for (const std::string& name : driver::builtin_codecs()) {
    const auto spec = driver::find_spec(name, "", {});
    print_out("{}\n  {}\n", name, spec ? first_comment(spec->text) : "");
    const LoadedSpec loaded = load_spec(name, {}, Passes::Yes);
    exit_code = std::max(exit_code, loaded.exit_code);
    if (loaded.exit_code == kDone)
      print_out("  {}\n", analysis::facts_line(analysis::analyse(*loaded.compiled.module)));
  }
  return exit_code;
}

}  // namespace

void add_list(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("list", "List the codecs that come with the program, with their facts");
  command->callback([&exit_code] { exit_code = list(); });
}

}  // namespace sluice::cli
