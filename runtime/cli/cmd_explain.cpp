// sluice explain SPEC|ARTIFACT: the facts the compiler computes, and the reasons for them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compiler/analysis/explain.h"
#include "compiler/analysis/facts.h"
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

std::string place_text(const SourceSet& sources, Span span) {
  const LineCol at = sources.line_col(span);
  return fmt::format("{}:{}:{}", sources.name(span.file), at.line, at.column);
}

nlohmann::ordered_json place_json(const SourceSet& sources, Span span) {
  const LineCol at = sources.line_col(span);
  return {{"file", sources.name(span.file)}, {"line", at.line}, {"column", at.column}};
}

// What the plan for the CPU makes of each loop, under the facts.
std::string loops_text(const SourceSet& sources, const ir::Module& module, const plan::Plan& plan) {
  std::string text = "\nLoops on the cpu target\n";
  if (plan.loops.empty()) text += "  none\n";
  for (const plan::Loop& loop : plan.loops) {
    text += fmt::format("  {}  ", place_text(sources, plan::statement_at(module.rules[loop.rule], loop.path).span));
    if (loop.form != plan::LoopForm::Checked) {
      text += "fast: one margin test a step\n";
      continue;
    }
    const plan::Obstacle& why = loop.obstacles.back();
    text += "careful: " + why.reason;
    if (why.span.length != 0) text += fmt::format(" ({})", place_text(sources, why.span));
    text += "\n";
    if (!why.cure.empty()) text += "      help: " + why.cure + "\n";
  }
  return text;
}

nlohmann::ordered_json loops_json(const SourceSet& sources, const ir::Module& module, const plan::Plan& plan) {
  auto list = nlohmann::ordered_json::array();
  for (const plan::Loop& loop : plan.loops) {
    const bool fast = loop.form != plan::LoopForm::Checked;
    const plan::Obstacle why = fast ? plan::Obstacle() : loop.obstacles.back();
    list.push_back({{"place", place_json(sources, plan::statement_at(module.rules[loop.rule], loop.path).span)},
                    {"fast", fast},
                    {"reason", why.reason},
                    {"because_of", why.span.length == 0 ? nlohmann::ordered_json(nullptr) : place_json(sources, why.span)},
                    {"help", why.cure}});
  }
  return list;
}

bool is_target(const std::string& word) {
  return word.empty() || word == "cpu" || word == "cuda" ||
         (word.starts_with("cuda:") && schedule::is_architecture(word.substr(5)));
}

int explain(const ExplainOptions& options) {
  if (!is_target(options.target))
    return usage_error(fmt::format("--target takes cpu, cuda or cuda:sm_NN, not `{}`", options.target));
  if (options.spec.ends_with(kArtifactSuffix)) {
    if (!options.target.empty() || !options.schedule.empty() || !options.set.empty())
      return usage_error("an artifact is as it was built: it takes no --target, --schedule or --set");
    return explain_artifact(options.spec, options.json);
  }
  const bool cpu = options.target == "cpu", cuda = options.target.starts_with("cuda");
  if (!options.schedule.empty() && !cuda) return usage_error("--schedule is for --target cuda");
  LoadedSpec loaded = load_spec(options.spec, options.set, Passes::Yes);
  if (loaded.exit_code != kDone) return loaded.exit_code;
  const ir::Module& module = *loaded.compiled.module;
  const analysis::Facts facts = analysis::analyse(module);
  const SourceSet& sources = loaded.compiled.sources;
  const plan::Plan plan = cpu ? plan::lower(module, plan::Target::Cpu) : plan::Plan();
  CudaPage page;
  if (cuda) {
    driver::Request request;
    request.name = options.spec;
    page = explain_cuda(loaded.compiled, request, facts, options.target, options.schedule);
    if (!page.scheduled.schedule) {
      print_err("{}", render_all(sources, page.scheduled.diags.diagnostics(), colour_wanted(stderr)));
      return kSpecOrUsage;
    }
    if (page.refused) return report(*page.refused);
  }
  if (options.json) {
    auto json = nlohmann::ordered_json::parse(analysis::explain_json(module, facts, sources));
    if (cpu) json["cpu"] = loops_json(sources, module, plan);
    if (cuda) json["cuda"] = cuda_page_json(page, loaded.compiled, facts);
    print_out("{}\n", json.dump(2));
  } else {
    print_out("{}", analysis::explain_text(module, facts, sources, colour_wanted(stdout)));
    if (cpu) print_out("{}", loops_text(sources, module, plan));
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
