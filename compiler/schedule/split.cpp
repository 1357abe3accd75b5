// A thread a part of the chunk whose place the input records (GSST, section 4.2; Gompresso, section IV).
#include <fmt/format.h>

#include <algorithm>

#include "compiler/analysis/split_loops.h"
#include "compiler/analysis/unlocks.h"
#include "compiler/schedule/strategies.h"

namespace sluice::schedule {
namespace {

// A loop over the parts must say where each begins. Where the input records no sizes at all, or parts need each other,
// the reasons are those of the explain page.
Legality legal(const ir::Module& module, const analysis::Facts& facts) {
  auto splits = analysis::find_split_loops(module);
  Legality result;
  for (const analysis::SplitLoop& split : splits.loops)
    result.why.push_back({"each step's place in input and output is known before it is decoded", split.loop->span});
  if (!result.why.empty()) return result;
  auto unlocks = analysis::unlocks_of(facts);
  const auto at = std::ranges::find(unlocks, "split", &analysis::Unlock::strategy);
  if (at != unlocks.end() && !at->legal) return {false, std::move(at->why)};
  return {false, std::move(splits.why_not)};
}

std::vector<std::string> explain(const Schedule& schedule, const analysis::Facts&) {
  constexpr std::uint32_t kInRegisters = 16;
  return {
      "one warp a chunk, a lane a part: the places of 32 parts first, then what is in them side by side",
      schedule.split_buffer == kInRegisters
          ? "staged for each lane: units of 16 bytes in registers, aligned; heads and tails byte by byte"
          : fmt::format("staged for each lane: {} bytes of output in shared memory, in and out by aligned units of 16; "
                        "heads and tails byte by byte",
                        schedule.split_buffer)};
}

}  // namespace

const StrategyRow& split_strategy() {
  static const StrategyRow row{Strategy::Split, "one thread a part whose size the input records", legal, explain};
  return row;
}

}  // namespace sluice::schedule
