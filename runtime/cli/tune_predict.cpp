// sluice tune NAME|SPEC --predict --target cuda:sm_80: the schedule of which a cost model expects most, without a GPU.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "compiler/analysis/facts.h"
#include "compiler/driver/schedule.h"
#include "compiler/strategy/model.h"
#include "compiler/strategy/search.h"
#include "dsl/diag/render.h"
#include "runtime/api/cuda_unit.h"
#include "runtime/cli/load_spec.h"
#include "runtime/cli/output_file.h"
#include "runtime/cli/output_names.h"
#include "runtime/cli/print.h"
#include "runtime/cli/report.h"
#include "runtime/cli/tune.h"
#include "runtime/cli/units.h"
#include "runtime/jit/cuda_code.h"
#include "runtime/launch/occupancy.h"

namespace sluice::cli {
namespace {

// A schedule's kernel as it was compiled, and what is expected of it; or why there is none.
struct Guess {
  schedule::Schedule schedule;
  std::string error;
  double expected = 0;
  unsigned registers = 0, shared = 0, blocks = 0, warps = 0;
};

Guess guess(const schedule::Schedule& schedule, const driver::Compiled& compiled, const std::string& arch, const schedule::Device& device) {
  Guess of;
  of.schedule = schedule;
  const Progress progress(strategy::short_text(schedule), 0);
  const emit::CudaUnit unit = cuda_unit(compiled, schedule, "cuda:" + arch, CudaKernels::Decode);
  const auto code = runtime::compile_cuda(unit.text, arch, runtime::ObjectCache::standard());
  if (!code) {
    of.error = code.error().text.substr(0, code.error().text.find('\n'));
    return of;
  }
  const runtime::KernelResources* const kernel = runtime::find_kernel(code->code.kernels, unit.plan.decode);
  if (!kernel) {
    of.error = "the compiler says nothing of its registers";
    return of;
  }
  of.registers = kernel->registers;
  of.shared = runtime::shared_of(unit.plan, *kernel);
  of.blocks = runtime::occupancy_of(device, unit.plan, *kernel).blocks;
  of.warps = of.blocks * unit.plan.threads_per_block / schedule::kLanes;
  if (of.blocks == 0) of.error = "a multiprocessor has no room for a block";
  else of.expected = *strategy::expected(schedule, static_cast<double>(of.blocks) * unit.plan.chunks_per_block);
  return of;
}

// The default first, then those of which most is expected first.
void print_table(const std::vector<Guess>& list) {
  print_out("{:>8}  {:>5}  {:>7}  {:>9}  {:>5}  {}\n", "expected", "regs", "shared", "blocks/SM", "warps", "schedule");
  for (const Guess& one : list) {
    const std::string schedule = (&one == &list.front() ? "(in force without a search) " : "") + strategy::short_text(one.schedule);
    if (one.error.empty())
      print_out("{:>8.3f}  {:>5}  {:>7}  {:>9}  {:>5}  {}\n", one.expected / list.front().expected, one.registers, one.shared, one.blocks, one.warps, schedule);
    else
      print_out("{:>8}  {:>5}  {:>7}  {:>9}  {:>5}  {}: {}\n", "-", "-", "-", "-", "-", schedule, one.error);
  }
}

}  // namespace

int predict(const TuneOptions& options, const std::string& arch) {
  LoadedSpec loaded = load_spec(options.spec, options.set, Passes::Yes);
  if (loaded.exit_code != kDone) return loaded.exit_code;
  const ir::Module& module = *loaded.compiled.module;
  const schedule::Device* const device = schedule::find_device(arch);
  if (!device) return usage_error(fmt::format("--predict: nothing is known of what a multiprocessor of {} has", arch));
  const std::string path = options.output.empty() ? fmt::format("{}.{}.schedule", module.name, arch) : options.output;
  const NamedOutput output{path, "--output"};
  std::string error = wrong_outputs(source_files(loaded.compiled.sources), {&output, 1});
  if (!error.empty()) return usage_error(error);
  if (!can_write(path, error)) return environment_error(error);

  const analysis::Facts facts = analysis::analyse(module);
  const plan::TokenPlans tokens = plan::token_plans(module, facts.splits.loops);
  const strategy::Subject subject{module, facts, tokens};
  driver::Request request;
  request.name = options.spec;
  const driver::Scheduled scheduled = driver::schedule_for(loaded.compiled, request, facts, "cuda:" + arch, "");
  if (!scheduled.schedule) {
    print_err("{}", render_all(loaded.compiled.sources, scheduled.diags.diagnostics(), colour_wanted(stderr)));
    return kSpecOrUsage;
  }
  const schedule::Schedule usual = *scheduled.schedule;
  strategy::Problem problem;
  problem.seeds = {usual};
  problem.only = strategy::fitted_directives(usual.strategy);
  problem.exhaustive = options.exhaustive;
  const Stopwatch watch;
  problem.enough = [&] { return options.seconds > 0 && watch.seconds() >= options.seconds; };
  // Also of one of its directives: what all others are compared with must be known.
  if (!strategy::expected(usual, 1))
    return usage_error(fmt::format("--predict: {} has `{}`, and no such kernel was among those that the cost model was fitted to", module.name, strategy::short_text(usual)));
  if (!options.only.empty()) std::erase_if(problem.only, [&](const std::string& name) { return std::ranges::find(options.only, name) == options.only.end(); });
  // What the model has no value for is not compiled.
  problem.legal = [&](const schedule::Schedule& asked) { return strategy::expected(asked, 1) && legal_schedule(subject, *device, asked); };
  std::vector<Guess> list;
  problem.measure = [&](const schedule::Schedule& asked) -> std::optional<double> {
    list.push_back(guess(asked, loaded.compiled, arch, *device));
    return list.back().error.empty() ? std::optional(1 / list.back().expected) : std::nullopt;
  };
  const strategy::Search found = strategy::search(problem);
  if (!list.front().error.empty()) return environment_error(list.front().error);
  const double factor = *found.trials[0].seconds / *found.trials[*found.best].seconds;
  // Less than what a search would go on for is no reason to leave what was measured on another GPU.
  const bool better = factor > 1 + strategy::kLeastGain;
  const schedule::Schedule& best = better ? found.trials[*found.best].schedule : usual;
  std::stable_sort(list.begin() + 1, list.end(), [](const Guess& a, const Guess& b) { return a.expected > b.expected; });
  print_table(list);
  const std::string text = fmt::format("# {} on {}, unmeasured: expected by a cost model fitted to an H200's kernels,\n# {:.3f} times what is in force without a search; {} schedules compiled.\ncuda:{}:\n{}",
                                       module.name, arch, better ? factor : 1, list.size(), arch, section_of(strategy::short_text(best)));
  if (!write_file(path, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, error)) return environment_error(error);
  print_err("sluice: {}: {} schedules compiled in {:.1f} s, none measured: {}, expected to make {:.3f} times what is in force without a search\n", path,
            list.size(), watch.seconds(), strategy::short_text(best), better ? factor : 1);
  return kDone;
}

}  // namespace sluice::cli
