// A warp a chunk: one lane decodes and tells the others (CODAG, section V-E). Kept to be compared with `warp`.
#include "compiler/schedule/strategies.h"

namespace sluice::schedule {
namespace {

Legality legal(const ir::Module&, const analysis::Facts&) { return {}; }

std::vector<std::string> explain(const Schedule& schedule, const analysis::Facts&) {
  return {"one warp a chunk: lane 0 decodes and broadcasts what it read; the lanes share the writing",
          schedule.input == InputBuffer::Shared ? "input: two lines of 128 bytes in shared memory, loaded by all lanes"
                                                : "input: two lines of 128 bytes in registers of all lanes"};
}

}  // namespace

const StrategyRow& leader_strategy() {
  static const StrategyRow row{Strategy::Leader, "one warp a chunk, one lane decodes and broadcasts", legal, explain};
  return row;
}

}  // namespace sluice::schedule
