// A warp a chunk: every lane decodes the same token, the lanes share the writing (CODAG, section IV).
#include "compiler/strategy/resolve.h"
#include "compiler/strategy/strategies.h"

namespace sluice::strategy {
namespace {

// Tokens are decoded in order by one warp: nothing of a format can forbid that.
Legality legal(const Subject&) { return {}; }

void apply(const ir::Module&, const plan::TokenPlans&, plan::Kernel& kernel) { kernel.resolve = kernel.schedule.resolve; }

Works works(const Subject&) { return {Work::Tokens}; }

std::vector<std::string> explain(const schedule::Schedule& schedule, const Subject& subject) {
  const analysis::Facts& facts = subject.facts;
  std::vector<std::string> lines;
  lines.push_back("one warp a chunk: all 32 lanes decode the same token, and share the writing of runs and copies");
  lines.push_back(schedule.input == schedule::InputBuffer::Shared
                      ? "input: two lines of 128 bytes in shared memory, loaded on demand by all lanes at once"
                      : "input: two lines of 128 bytes in two registers of each lane, read by shuffles");
  if (std::string copies = explain_resolve(schedule, facts); !copies.empty()) lines.push_back(std::move(copies));
  return lines;
}

}  // namespace

const StrategyRow& warp_strategy() {
  static const StrategyRow row{schedule::Strategy::Warp, "one warp a chunk, all lanes decode the same token", legal,
                               apply, works, nullptr, explain};
  return row;
}

}  // namespace sluice::strategy
