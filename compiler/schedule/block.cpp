// A thread block a chunk (RAPIDS; CODAG, section V-F): every warp decodes, all of the block write. Kept to be compared
// with `warp`.
#include <fmt/format.h>

#include "compiler/emit/cuda.h"
#include "compiler/schedule/strategies.h"

namespace sluice::schedule {
namespace {

Legality legal(const ir::Module&, const analysis::Facts&) { return {}; }

std::vector<std::string> explain(const Schedule& schedule, const analysis::Facts&) {
  return {fmt::format("one block of {} threads a chunk: every warp decodes, all threads write", schedule.block_threads),
          schedule.prefetch ? "input: a warp of its own brings it into the L2 cache ahead of them"
                            : "input: loaded on demand, by each warp"};
}

}  // namespace

Legality prefetch_legal(const ir::Module& module) {
  emit::CudaOptions options;
  options.schedule.strategy = Strategy::Block;
  if (emit::emit_cuda(module, options).plan.temp_bytes_per_slot == 0) return {};
  return {false, {{"its chunks need temporary memory, and are taken as that becomes free", {}}}};
}

const StrategyRow& block_strategy() {
  static const StrategyRow row{Strategy::Block, "one thread block a chunk", legal, explain};
  return row;
}

}  // namespace sluice::schedule
