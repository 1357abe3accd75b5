// sluice explain SPEC|ARTIFACT: the facts the compiler computes, and the reasons for them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compiler/analysis/explain.h"
#include "compiler/analysis/facts.h"
#include "compiler/plan/explain.h"
#include "compiler/plan/lower.h"
#include "compiler/schedule/parse.h"
#include "dsl/diag/render.h"
#include "dsl/source/source.h"
#include "runtime/api/spec_request.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/exit_code.h"
#include "runtime/cli/explain_artifact.h"
#include "runtime/cli/explain_cuda.h"
#include "runtime/cli/load_spec.h"
#include "runtime/cli/print.h"
#include "runtime/cli/report.h"
#include "runtime/cli/settings.h"
#include "runtime/cli/terminal.h"

namespace sluice::cli {
namespace {

struct ExplainOptions {
  std::string spec, target, schedule;
  std::vector<std::string> set;
  bool json = false;
};

bool explains_target(const std::string& word) {
  return word.empty() || word == "cpu" || word == "cuda" ||
         (word.starts_with("cuda:") && schedule::is_architecture(word.substr(5)));
}

int explain(const ExplainOptions& options) {
  if (!explains_target(options.target))
    return usage_error(fmt::format("--target takes cpu, cuda or cuda:sm_NN, not `{}`", options.target));
  if (options.spec.ends_with(kArtifactSuffix)) {
    if (!options.target.empty() || !options.schedule.empty() || !options.set.empty())
      return usage_error("an artifact is as it was built: it takes no --target, --schedule or --set");
    return explain_artifact(options.spec, options.json);
  }
  const bool cuda = options.target.starts_with("cuda");
  if (!options.schedule.empty() && !cuda) return usage_error("--schedule is for --target cuda");
  LoadedSpec loaded = load_spec(options.spec, options.set, Passes::Yes);
  if (loaded.exit_code != kDone) return loaded.exit_code;
  const ir::Module& module = *loaded.compiled.module;
  const analysis::Facts facts = analysis::analyse(module);
  const SourceSet& sources = loaded.compiled.sources;
  const plan::Plan cpu = plan::lower(module, plan::Target::Cpu);
  const plan::TokenPlans gpu = plan::token_plans(module, facts.splits.loops);
  driver::Request request;
  request.name = options.spec;
  CudaPage page;
  if (cuda) {
    page = explain_cuda(loaded.compiled, request, facts, options.target, options.schedule);
    if (!page.scheduled.schedule) {
      print_err("{}", render_all(sources, page.scheduled.diags.diagnostics(), colour_wanted(stderr)));
      return kSpecOrUsage;
    }
    if (page.refused) return report(*page.refused);
  }
  // What the module's own schedule file says, when nobody asked for another; a page on something else is no place for
  // its faults.
  const auto schedule =
      cuda ? page.scheduled.schedule : driver::schedule_for(loaded.compiled, request, facts, "cuda", "").schedule;
  const bool split = schedule && schedule->strategy == schedule::Strategy::Split;
  std::vector<const plan::Plan*> plans{&cpu, &gpu.of_warp(split)};
  if (split) plans.push_back(&gpu.parts->lane);
  if (options.json) {
    auto json = nlohmann::ordered_json::parse(analysis::explain_json(module, facts, sources));
    json["forms"] = nlohmann::ordered_json::parse(plan::explain_json(module, plans, sources));
    if (cuda) json["cuda"] = cuda_page_json(page, loaded.compiled, facts);
    print_out("{}\n", json.dump(2));
  } else {
    print_out("{}", analysis::explain_text(module, facts, sources, colour_wanted(stdout)));
    print_out("{}", plan::explain_text(module, plans, sources, colour_wanted(stdout)));
    if (cuda) print_out("{}", cuda_page_text(page, loaded.compiled, facts, colour_wanted(stdout)));
  }
  return kDone;
}

}  // namespace

void add_explain(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* command = app.add_subcommand("explain", "Explain what the compiler knows about a format, and why");
  command->add_option("spec", options->spec, "A path, the name of a codec, or an artifact")
      ->required()
      ->type_name("SPEC");
  command
      ->add_option("--target", options->target,
                   "Also tell what that target makes of the format; with an architecture, what its kernels take")
      ->type_name("cpu|cuda[:sm_NN]");
  command->add_option("--schedule", options->schedule, "Directives for CUDA, with commas or blanks between")
      ->type_name("TEXT");
  add_set_option(*command, options->set);
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options, &exit_code] { exit_code = explain(*options); });
}

}  // namespace sluice::cli
