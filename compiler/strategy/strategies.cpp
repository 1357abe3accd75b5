#include "compiler/strategy/strategies.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compiler/plan/objects.h"

namespace sluice::strategy {

#define STRATEGY(Name, name) const StrategyRow& name##_strategy();
#define VARIANT(name, directives)
#include "compiler/schedule/strategies.def"
#undef STRATEGY

std::span<const StrategyRow* const> strategies() {
  static const std::array rows{
#define STRATEGY(Name, name) &name##_strategy(),
#include "compiler/schedule/strategies.def"
#undef STRATEGY
#undef VARIANT
  };
  return rows;
}

const StrategyRow& row_of(schedule::Strategy strategy) { return *strategies()[static_cast<std::size_t>(strategy)]; }

std::span<const Variant> variants() {
#define STRATEGY(Name, name)
#define VARIANT(name, directives) Variant{name, directives},
  static constexpr Variant kVariants[] = {
#include "compiler/schedule/strategies.def"
  };
#undef STRATEGY
#undef VARIANT
  return kVariants;
}

std::string names(const Works& works) {
  std::string all;
  for (const Work work : works) all += fmt::format("{}{}", all.empty() ? "" : ", ", name(work));
  return all;
}

Works works_of_loops(const Subject& subject, Work (*work)(const Subject& subject, const plan::Loop& loop)) {
  Works works;
  for (const plan::Loop& loop : subject.tokens.warp.loops) {
    if (!taken_side_by_side(loop)) continue;
    const Work one = work(subject, loop);
    if (std::ranges::find(works, one) == works.end()) works.push_back(one);
  }
  return works;
}

plan::Kernel start(const ir::Module& module, const plan::TokenPlans& tokens, const schedule::Schedule& schedule,
                   const schedule::Device& device) {
  plan::Kernel kernel;
  kernel.device = device;
  kernel.schedule = schedule;
  kernel.outputs = tokens.warp.outputs;
  if (kernel.outputs == plan::Outputs::Sink) kernel.defines.push_back({"SLUICE_STORAGE", 1});
  row_of(schedule.strategy).apply(module, tokens, kernel);
  kernel.objects = plan::objects_of(module, tokens.of_warp(kernel.parts), kernel);
  return kernel;
}

plan::Kernel kernel_of(const Subject& subject, const schedule::Schedule& schedule, const schedule::Device& device) {
  plan::Kernel kernel = start(subject.module, subject.tokens, schedule, device);
  plan::finish(kernel, subject.module, subject.tokens.of_warp(kernel.parts).tables);
  return kernel;
}

}  // namespace sluice::strategy
