// sluice tune NAME|SPEC --predict --target cuda:sm_80: the schedule of which a cost model expects most, without a GPU.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
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

// By what the format is to the schedule's strategy.
std::optional<double> expected(const schedule::Schedule& schedule, const strategy::Subject& subject, double chunks = 0) {
  const strategy::StrategyRow& row = strategy::row_of(schedule.strategy);
  if (!row.legal(subject).legal) return std::nullopt;
  return strategy::expected(schedule, row.works(subject), chunks);
}

// Does a schedule set no other directives than these, strategies apart? None: any.
bool allowed(const schedule::Schedule& schedule, const std::vector<std::string>& only) {
  return only.empty() || std::ranges::all_of(schedule::directives().subspan(1), [&](const schedule::Directive& directive) {
           return directive.get(schedule) == directive.get(schedule::Schedule()) || std::ranges::find(only, directive.name) != only.end();
         });
}

// A schedule's kernel as it was compiled, and what is expected of it; or why there is none.
struct Guess {
  schedule::Schedule schedule;
  std::string error;
  double expected = 0;
  unsigned registers = 0, shared = 0, blocks = 0, warps = 0;
};

// `known`: of kernels, and carve-outs they are launched with, what was expected when a schedule first made them. A directive that changes
// neither makes nothing better.
using KnownKernels = std::map<std::pair<std::string, std::int32_t>, double>;
Guess guess(const schedule::Schedule& schedule, const strategy::Subject& subject, const driver::Compiled& compiled, const std::string& arch, const schedule::Device& device,
            KnownKernels& known) {
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
  else of.expected = known.emplace(std::pair(unit.text, unit.plan.carve_out), *expected(schedule, subject, static_cast<double>(of.blocks) * unit.plan.chunks_per_block)).first->second;
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
  for (const schedule::Schedule& one : strategy::seeds(subject, *device))
    if (expected(one, subject) && allowed(one, options.only)) problem.seeds.push_back(one);
  problem.only = options.only;
  problem.exhaustive = options.exhaustive;
  const Stopwatch watch;
  problem.enough = [&] { return options.seconds > 0 && watch.seconds() >= options.seconds; };
  // Also of one of its directives: what all others are compared with must be known.
  if (!expected(usual, subject))
    return usage_error(fmt::format("--predict: {} has `{}`, and no such kernel was among those that the cost model was fitted to", module.name, strategy::short_text(usual)));
  // What the model has no value for is not compiled.
  problem.legal = [&](const schedule::Schedule& asked) { return expected(asked, subject) && legal_schedule(subject, *device, asked); };
  std::vector<Guess> list;
  KnownKernels known;
  problem.measure = [&](const schedule::Schedule& asked) -> std::optional<double> {
    list.push_back(guess(asked, subject, loaded.compiled, arch, *device, known));
    return list.back().error.empty() ? std::optional(1 / list.back().expected) : std::nullopt;
  };
  const strategy::Search found = strategy::search(problem);
  if (!list.front().error.empty()) return environment_error(list.front().error);
  // What promises less than by what the model is off is no reason to leave what was measured on another GPU.
  const auto factor_of = [&](const strategy::Trial& trial) { return trial.seconds ? *found.trials[0].seconds / *trial.seconds : 0; };
  std::size_t best = 0;
  for (std::size_t i = 1; i < found.trials.size(); ++i) {
    const bool same = found.trials[i].schedule.strategy == usual.strategy;
    const double least = same ? strategy::spread_of_schedules(usual.strategy) : strategy::spread_of_levels();
    if (factor_of(found.trials[i]) > std::max(least, factor_of(found.trials[best]))) best = i;
  }
  const double factor = factor_of(found.trials[best]);
  const std::string text_of_best = strategy::short_text(found.trials[best].schedule);
  std::stable_sort(list.begin() + 1, list.end(), [](const Guess& a, const Guess& b) { return a.expected > b.expected; });
  print_table(list);
  const std::string text = fmt::format("# {} on {}, unmeasured: expected by a cost model fitted to an H200's kernels,\n# {:.3f} times what is in force without a search; {} schedules compiled.\ncuda:{}:\n{}",
                                       module.name, arch, factor, list.size(), arch, section_of(text_of_best));
  if (!write_file(path, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, error)) return environment_error(error);
  print_err("sluice: {}: {} schedules compiled in {:.1f} s, none measured: {}, expected to make {:.3f} times what is in force without a search\n", path,
            list.size(), watch.seconds(), text_of_best, factor);
  return kDone;
}

}  // namespace sluice::cli
