// A thread a part of the chunk whose place the input records (GSST, section 4.2; Gompresso, section IV).
#include <fmt/format.h>

#include <algorithm>

#include "compiler/analysis/unlocks.h"
#include "compiler/schedule/resolve.h"
#include "compiler/schedule/strategies.h"

namespace sluice::schedule {
namespace {

// A loop over the parts must say where each begins. Where the input records no sizes at all, or parts need each other,
// the reasons are those of the explain page.
Legality legal(const ir::Module&, const analysis::Facts& facts) {
  auto unlocks = analysis::unlocks_of(facts);
  const auto at = std::ranges::find(unlocks, "split", &analysis::Unlock::strategy);
  if (!facts.splits.loops.empty()) return {true, std::move(at->why)};
  if (!at->legal) return {false, std::move(at->why)};
  return {false, facts.splits.why_not};
}

std::vector<std::string> explain(const Schedule& schedule, const analysis::Facts& facts) {
  constexpr std::uint32_t kInRegisters = 16;
  const bool counted = std::ranges::any_of(facts.splits.loops, &analysis::SplitLoop::counted);
  std::vector<std::string> lines{
      "one warp a chunk, a lane a part: the places of 32 parts first, then what is in them side by side"};
  if (!counted) {
    lines.push_back(schedule.split_buffer == kInRegisters
                        ? "staged for each lane: units of 16 bytes in registers, aligned; heads and tails byte by byte"
                        : fmt::format("staged for each lane: {} bytes of output in shared memory, in and out by aligned "
                                      "units of 16; heads and tails byte by byte",
                                      schedule.split_buffer));
    return lines;
  }
  lines.push_back("each lane counts what its part makes, a prefix sum places it, then the lane writes it");
  if (facts.copies.any)
    lines.push_back(fmt::format("copies wait until all literals of the 32 parts are there, up to {} of a part: a part of "
                                "more is decoded by all lanes",
                                schedule.part_copies));
  if (std::string copies = explain_resolve(schedule, facts); !copies.empty()) lines.push_back(std::move(copies));
  return lines;
}

}  // namespace

const StrategyRow& split_strategy() {
  static const StrategyRow row{Strategy::Split, "one thread a part whose size the input records", legal, explain};
  return row;
}

}  // namespace sluice::schedule
