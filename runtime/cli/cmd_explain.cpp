// sluice explain SPEC: the facts the compiler computes, and the reasons for them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compiler/analysis/explain.h"
#include "compiler/analysis/facts.h"
#include "compiler/emit/cpu.h"
#include "dsl/source/source.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/exit_code.h"
#include "runtime/cli/load_spec.h"
#include "runtime/cli/settings.h"
#include "runtime/cli/terminal.h"

namespace sluice::cli {
namespace {

struct ExplainOptions {
  std::string spec, target;
  std::vector<std::string> set;
  bool json = false;
};

// What the emitter for the CPU made of each loop, under the facts.
std::string loops_text(const SourceSet& sources, const std::vector<emit::LoopReport>& loops) {
  std::string text = "\nLoops on the cpu target\n";
  if (loops.empty()) text += "  none\n";
  for (const emit::LoopReport& report : loops) {
    const LineCol place = sources.line_col(report.loop->span);
    text += fmt::format("  {}:{}:{}  {}\n", sources.name(report.loop->span.file), place.line, place.column,
                        report.fast ? "fast: one margin test a step" : "careful: " + report.reason);
  }
  return text;
}

nlohmann::ordered_json loops_json(const SourceSet& sources, const std::vector<emit::LoopReport>& loops) {
  auto list = nlohmann::ordered_json::array();
  for (const emit::LoopReport& report : loops) {
    const LineCol place = sources.line_col(report.loop->span);
    list.push_back(
        {{"place", {{"file", sources.name(report.loop->span.file)}, {"line", place.line}, {"column", place.column}}},
         {"fast", report.fast},
         {"reason", report.reason}});
  }
  return list;
}

int explain(const ExplainOptions& options) {
  const LoadedSpec loaded = load_spec(options.spec, options.set, Passes::Yes);
  if (loaded.exit_code != kDone) return loaded.exit_code;
  const ir::Module& module = *loaded.compiled.module;
  const analysis::Facts facts = analysis::analyse(module);
  const SourceSet& sources = loaded.compiled.sources;
  std::vector<emit::LoopReport> loops;
  if (!options.target.empty()) static_cast<void>(emit::emit_cpu(module, {}, &loops));
  if (options.json) {
    auto page = nlohmann::ordered_json::parse(analysis::explain_json(module, facts, sources));
    if (!options.target.empty()) page["cpu"] = loops_json(sources, loops);
    fmt::print("{}\n", page.dump(2));
  } else {
    fmt::print("{}", analysis::explain_text(module, facts, sources, colour_wanted(stdout)));
    if (!options.target.empty()) fmt::print("{}", loops_text(sources, loops));
  }
  return kDone;
}

}  // namespace

void add_explain(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* command = app.add_subcommand("explain", "Explain what the compiler knows about a format, and why");
  command->add_option("spec", options->spec, "A path, or the name of a codec")->required()->type_name("SPEC");
  command->add_option("--target", options->target, "Also tell what that target makes of the format")
      ->check(CLI::IsMember({"cpu"}))
      ->type_name("cpu");
  add_set_option(*command, options->set);
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options, &exit_code] { exit_code = explain(*options); });
}

}  // namespace sluice::cli
