// sluice check SPECS...: what is wrong with them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/diag/render.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/exit_code.h"
#include "runtime/cli/load_spec.h"
#include "runtime/cli/print.h"
#include "runtime/cli/settings.h"

namespace sluice::cli {
namespace {

struct CheckOptions {
  std::vector<std::string> specs;
  std::vector<std::string> set;
  bool json = false;
};

std::string count_of(std::size_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

// A line for each spec of several: "a.sluice: ok", "b.sluice: 2 errors". One spec alone has its diagnostics to say so.
void print_verdict(const std::string& spec, const LoadedSpec& loaded, bool alone) {
  if (loaded.exit_code == kDone) {
    print_out("{}: ok\n", spec);
  } else if (!alone) {
    const std::size_t errors = loaded.compiled.diags.error_count();
    print_out("{}: {}\n", spec, errors != 0 ? count_of(errors, "error") : "can't be checked");
  }
}

// Of several specs: its diagnostics as of one alone, with its name and the verdict.
nlohmann::ordered_json one_of_several(const std::string& spec, const LoadedSpec& loaded) {
  nlohmann::ordered_json one = {{"spec", spec}, {"ok", loaded.exit_code == kDone}};
  one.update(nlohmann::ordered_json::parse(to_json(loaded.compiled.sources, loaded.compiled.diags.diagnostics())));
  return one;
}

int check(const CheckOptions& options) {
  const bool alone = options.specs.size() == 1;
  auto list = nlohmann::ordered_json::array();
  int worst = kDone;
  for (const std::string& spec : options.specs) {
    const LoadedSpec loaded = load_spec(spec, options.set, Passes::Yes, options.json);
    worst = std::max(worst, loaded.exit_code);
    if (!options.json)
      print_verdict(spec, loaded, alone);
    else if (alone)
      print_out("{}", to_json(loaded.compiled.sources, loaded.compiled.diags.diagnostics()));
    else
      list.push_back(one_of_several(spec, loaded));
  }
  if (options.json && !alone)
    print_out("{}\n", list.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  return worst;
}

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand("check", "Report what is wrong with specs");
  command->add_option("specs", options->specs, "Paths, or names of codecs")->required()->type_name("SPEC");
  add_set_option(*command, options->set);
  command->add_flag("--json", options->json, "Print the diagnostics as JSON; of several specs an array");
  command->callback([options, &exit_code] { exit_code = check(*options); });
}

}  // namespace sluice::cli
