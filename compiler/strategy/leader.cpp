// A warp a chunk: one lane decodes and tells the others (CODAG, section V-E). Kept to be compared with `warp`.
#include "compiler/strategy/strategies.h"

namespace sluice::strategy {
namespace {

Legality legal(const Subject&) { return {}; }

void apply(const ir::Module&, const plan::TokenPlans&, plan::Kernel& kernel) { kernel.defines.push_back({"SLUICE_LEADER", 1}); }

Works works(const Subject&) { return {Work::Tokens}; }

std::vector<std::string> explain(const schedule::Schedule& schedule, const Subject&) {
  return {"one warp a chunk: lane 0 decodes and broadcasts what it read; the lanes share the writing",
          schedule.input == schedule::InputBuffer::Shared
              ? "input: two lines of 128 bytes in shared memory, loaded by all lanes"
              : "input: two lines of 128 bytes in registers of all lanes"};
}

}  // namespace

const StrategyRow& leader_strategy() {
  static const StrategyRow row{schedule::Strategy::Leader, "one warp a chunk, one lane decodes and broadcasts", legal,
                               apply, works, nullptr, explain};
  return row;
}

}  // namespace sluice::strategy
