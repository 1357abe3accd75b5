// A thread a part of the chunk whose place the input records (GSST, section 4.2; Gompresso, section IV).
#include <fmt/format.h>

#include <algorithm>

#include "compiler/analysis/split_loops.h"
#include "compiler/analysis/eligibility.h"
#include "compiler/strategy/resolve.h"
#include "compiler/strategy/strategies.h"

namespace sluice::strategy {
namespace {

constexpr std::uint32_t kInRegisters = 16;  // bytes of a lane's unit

// A loop over the parts must say where each begins. Where the input records no sizes at all, or parts need each other,
// the reasons are those of the explain page.
Legality legal(const Subject& subject) {
  const analysis::Facts& facts = subject.facts;
  auto eligibility = analysis::eligibility_of(facts);
  const auto at = std::ranges::find(eligibility, "split", &analysis::StrategyEligibility::strategy);
  if (!facts.splits.loops.empty()) return {true, std::move(at->why)};
  if (!at->legal) return {false, std::move(at->why)};
  return {false, facts.splits.why_not};
}

// Shared memory of a warp's parts: slices of input and output where those have sizes (prim::in_slices, prim::out_slices),
// otherwise the copies that wait (prim::waiting).
std::uint64_t staging_bytes(const ir::Module& module, const schedule::Schedule& schedule) {
  constexpr std::uint64_t kWaiting = 8;
  if (module.input != ir::Input::Bytes) return schedule::kLanes * schedule.part_copies * kWaiting;
  if (schedule.split_buffer <= kInRegisters) return 0;
  return schedule::kLanes * (schedule.split_buffer + std::max(schedule.split_buffer / 2, 2 * kInRegisters));
}

void apply(const ir::Module& module, const plan::TokenPlans&, plan::Kernel& kernel) {
  const schedule::Schedule& schedule = kernel.schedule;
  kernel.blocks = plan::Blocks::Resident;
  kernel.parts = true;
  kernel.part_loops = analysis::find_split_loops(module).loops;
  kernel.staging_bytes = staging_bytes(module, schedule);
  kernel.defines.push_back({"SLUICE_SPLIT_BUFFER", schedule.split_buffer});
  if (const unsigned distance_bits = analysis::copy_distance_bits(kernel.part_loops); distance_bits != 0) {
    kernel.part_resolve = schedule.resolve;
    kernel.defines.push_back({"SLUICE_PART_COPIES", schedule.part_copies});
    kernel.defines.push_back({"SLUICE_DISTANCE_BITS", distance_bits});
  } else {
    kernel.resolve = schedule.resolve;
  }
}

std::vector<std::string> explain(const schedule::Schedule& schedule, const Subject& subject) {
  const analysis::Facts& facts = subject.facts;
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
  static const StrategyRow row{schedule::Strategy::Split, "one thread a part whose size the input records", legal,
                               apply, nullptr, explain};
  return row;
}

}  // namespace sluice::strategy
