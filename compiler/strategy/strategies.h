#pragma once
// The strategies: one file each (warp.cpp, leader.cpp, ...), one line in schedule/strategies.def. A strategy says whether
// it is legal for a format, what it makes of a kernel's plan, and how to tell people.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/analysis/facts.h"
#include "compiler/ir/ir.h"
#include "compiler/plan/kernel.h"
#include "compiler/plan/lower.h"
#include "compiler/schedule/schedule.h"
#include "compiler/strategy/work.h"

namespace sluice::strategy {

// What legality is asked of.
struct Subject {
  const ir::Module& module;
  const analysis::Facts& facts;
  const plan::TokenPlans& tokens;  // with those of lanes where the format records parts
};

struct Legality {
  bool legal = true;
  analysis::ReasonChain why;  // not legal: what forbids it; legal: what allows it, may be empty
};

struct StrategyRow {
  schedule::Strategy strategy;
  std::string_view what;  // one line
  Legality (*legal)(const Subject& subject);
  // Fills in the strategy's part of a plan that holds device and schedule. The strategy is legal.
  void (*apply)(const ir::Module& module, const plan::TokenPlans& tokens, plan::Kernel& kernel);
  // What the format is to it, by which the cost model knows how fast it is (model.h). The strategy is legal.
  Works (*works)(const Subject& subject);
  // Directives that may be worth it, by the format's facts, where nobody names any. Null: none.
  void (*tune)(const Subject& subject, schedule::Schedule& schedule);
  // What the schedule makes of it, sentences in the order of an explain page. The strategy is legal.
  std::vector<std::string> (*explain)(const schedule::Schedule& schedule, const Subject& subject);
};

// All, in the order of the enumeration.
[[nodiscard]] std::span<const StrategyRow* const> strategies();
[[nodiscard]] const StrategyRow& row_of(schedule::Strategy strategy);

// A way of a strategy that is worth a test of its own.
struct Variant {
  std::string_view name;        // "warp/registers"
  std::string_view directives;  // "strategy warp, input registers"
};
[[nodiscard]] std::span<const Variant> variants();

// Can lanes take its tokens side by side, in one way or another?
[[nodiscard]] inline bool taken_side_by_side(const plan::Loop& loop) { return loop.has_records() || loop.has_codes(); }
// Of such loops: what each is to a strategy, which is `Tokens` where it has no way of its own for it.
[[nodiscard]] Works works_of_loops(const Subject& subject, Work (*work)(const Subject& subject, const plan::Loop& loop));

// The plan of a kernel but for its memory and its blocks, which plan::finish adds when the token loops are known.
[[nodiscard]] plan::Kernel start(const ir::Module& module, const plan::TokenPlans& tokens,
                                 const schedule::Schedule& schedule, const schedule::Device& device);
// The whole plan.
[[nodiscard]] plan::Kernel kernel_of(const Subject& subject, const schedule::Schedule& schedule,
                                     const schedule::Device& device);

}  // namespace sluice::strategy
