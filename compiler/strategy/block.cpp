// A thread block a chunk (RAPIDS; CODAG, section V-F): every warp decodes, all of the block write. Kept to be compared
// with `warp`.
#include <fmt/format.h>

#include "compiler/strategy/strategies.h"

namespace sluice::strategy {
namespace {

Legality legal(const Subject&) { return {}; }

void apply(const ir::Module&, const plan::TokenPlans&, plan::Kernel& kernel) {
  kernel.workers = kernel.schedule.block_threads;
  kernel.blocks = plan::Blocks::OneChunk;
  kernel.prefetch = kernel.schedule.prefetch;
}

// All threads share what is no token: literals, runs, stages. Tokens every warp decodes for itself.
Works works(const Subject& subject) { return {subject.tokens.warp.loops.empty() ? Work::NoTokens : Work::Tokens}; }

std::vector<std::string> explain(const schedule::Schedule& schedule, const Subject&) {
  return {fmt::format("one block of {} threads a chunk: every warp decodes, all threads write", schedule.block_threads),
          schedule.prefetch ? "input: a warp of its own brings it into the L2 cache ahead of them"
                            : "input: loaded on demand, by each warp"};
}

}  // namespace

const StrategyRow& block_strategy() {
  static const StrategyRow row{schedule::Strategy::Block, "one thread block a chunk", legal, apply, works, nullptr, explain};
  return row;
}

}  // namespace sluice::strategy
