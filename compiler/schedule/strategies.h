#pragma once
// The strategies: one file each (warp.cpp, leader.cpp, block.cpp, split.cpp), one row here. A strategy is applied by
// the emitter, which reads Schedule::strategy.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/analysis/facts.h"
#include "compiler/ir/ir.h"
#include "compiler/schedule/schedule.h"

namespace sluice::schedule {

struct Legality {
  bool legal = true;
  analysis::Chain why;  // not legal: what forbids it; legal: what allows it, may be empty
};

struct StrategyRow {
  Strategy strategy;
  std::string_view what;  // one line
  Legality (*legal)(const ir::Module& module, const analysis::Facts& facts);
  // What the schedule makes of it, sentences in the order of an explain page. The strategy is legal.
  std::vector<std::string> (*explain)(const Schedule& schedule, const analysis::Facts& facts);
};

const StrategyRow& warp_strategy();
const StrategyRow& leader_strategy();
const StrategyRow& block_strategy();
const StrategyRow& split_strategy();

// A prefetch warp loads all of a chunk's input ahead, so its block must be the chunk's own: not where blocks take chunk
// after chunk, as slots of temporary memory become free.
[[nodiscard]] Legality prefetch_legal(const ir::Module& module);

// Of schedule.warps_per_block warps, each with a chunk of its own, as many as there is shared memory for.
[[nodiscard]] std::uint32_t warps_that_fit(const ir::Module& module, const Schedule& schedule);

// All, in the order of the enumeration.
[[nodiscard]] std::span<const StrategyRow* const> strategies();
[[nodiscard]] const StrategyRow& row_of(Strategy strategy);

}  // namespace sluice::schedule
