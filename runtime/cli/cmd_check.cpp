// sluice check SPEC: what is wrong with a spec.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "dsl/diag/render.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/exit_code.h"
#include "runtime/cli/load_spec.h"
#include "runtime/cli/settings.h"

namespace sluice::cli {
namespace {

struct CheckOptions {
  std::string spec;
  std::vector<std::string> set;
  bool json = false;
};

int check(const CheckOptions& options) {
  const LoadedSpec loaded = load_spec(options.spec, options.set, Passes::Yes, options.json);
  if (options.json)
    fmt::print("{}", to_json(loaded.compiled.sources, loaded.compiled.diags.diagnostics()));
  else if (loaded.exit_code == kDone)
    fmt::print("{}: ok\n", options.spec);
  return loaded.exit_code;
}

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand("check", "Report what is wrong with a spec");
  command->add_option("spec", options->spec, "A path, or the name of a codec")->required()->type_name("SPEC");
  add_set_option(*command, options->set);
  command->add_flag("--json", options->json, "Print the diagnostics as JSON");
  command->callback([options, &exit_code] { exit_code = check(*options); });
}

}  // namespace sluice::cli
