// A thread a part of the chunk whose place the input records (GSST, section 4.2; Gompresso, section IV).
#include <fmt/format.h>

#include <algorithm>

#include "compiler/analysis/eligibility.h"
#include "compiler/analysis/split_loops.h"
#include "compiler/strategy/resolve.h"
#include "compiler/strategy/strategies.h"

namespace sluice::strategy {
namespace {

constexpr std::uint32_t kInRegisters = 16;  // bytes of a lane's unit
constexpr std::uint64_t kShortReach = 1 << 15, kLongReach = 1 << 29;  // prim::kMaxDistance of short entries, and of others

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

// Of a lane's slot (prim::kSlotEntries, prim::kSlotWords), with a spare one each: an odd number of words, so that lanes that are
// as far as each other use different banks.
struct Slot {
  bool brief = false;  // copies reach no farther than leaves an entry 16 bits (prim::kShortEntries)
  std::uint32_t entries = 0, words = 0;
};
Slot slot_of(std::span<const analysis::SplitLoop> loops, const schedule::Schedule& schedule) {
  Slot slot;
  slot.brief = std::ranges::all_of(loops, [](const analysis::SplitLoop& l) { return l.copies.reach <= kShortReach; });
  slot.entries = slot.brief ? 2 * (schedule.part_entries / 2 | 1) : schedule.part_entries | 1;
  slot.words = schedule.part_bytes / schedule::kLanes | 1;
  return slot;
}
// A step's stage, marks and entries: prim::step_rooms.
std::uint64_t slots_bytes(const Slot& slot) {
  const std::uint64_t groups = slot.brief ? 8 : 4, entry = slot.brief ? 2 : 4, padding = 16;
  return schedule::kLanes * groups + 4 * (groups + schedule::kLanes * slot.words) + entry * (2 + schedule::kLanes * slot.entries) +
         padding;
}

// Shared memory of a warp's parts: slices of input and output where those have sizes (prim::in_slices, prim::out_slices),
// otherwise what they leave for steps, or the copies that wait (prim::waiting).
std::uint64_t staging_bytes(const ir::Module& module, const plan::Kernel& kernel) {
  constexpr std::uint64_t kWaiting = 8;
  const schedule::Schedule& schedule = kernel.schedule;
  if (kernel.part_resolve == schedule::Resolve::Steps) return slots_bytes(slot_of(kernel.part_loops, schedule));
  if (module.input != ir::Input::Bytes) {
    const bool copies = std::ranges::any_of(kernel.part_loops, [](const analysis::SplitLoop& l) { return l.copies.distance != 0; });
    return copies ? schedule::kLanes * schedule.part_copies * kWaiting : 0;
  }
  if (schedule.split_buffer <= kInRegisters) return 0;
  return schedule::kLanes * (schedule.split_buffer + std::max(schedule.split_buffer / 2, 2 * kInRegisters));
}

void apply(const ir::Module& module, const plan::TokenPlans&, plan::Kernel& kernel) {
  const schedule::Schedule& schedule = kernel.schedule;
  kernel.blocks = plan::Blocks::Resident;
  kernel.parts = true;
  kernel.part_loops = analysis::find_split_loops(module).loops;
  kernel.defines.push_back({"SLUICE_SPLIT_BUFFER", schedule.split_buffer});
  const unsigned distance_bits = analysis::copy_distance_bits(kernel.part_loops);
  if (distance_bits != 0) kernel.part_resolve = schedule.resolve;
  kernel.staging_bytes = staging_bytes(module, kernel);
  if (kernel.part_resolve == schedule::Resolve::Steps) {
    const Slot slot = slot_of(kernel.part_loops, schedule);
    kernel.defines.push_back({"SLUICE_VALUES", 1});
    if (slot.brief) kernel.defines.push_back({"SLUICE_SHORT_ENTRIES", 1});
    kernel.defines.push_back({"SLUICE_PART_ENTRIES", slot.entries});
    kernel.defines.push_back({"SLUICE_PART_WORDS", slot.words});
  } else if (distance_bits != 0) {
    kernel.defines.push_back({"SLUICE_PART_COPIES", schedule.part_copies});
    kernel.defines.push_back({"SLUICE_DISTANCE_BITS", distance_bits});
  } else {
    kernel.resolve = schedule.resolve;
  }
}

Work work_of(std::span<const analysis::SplitLoop> loops) {
  const auto copies = [](const analysis::SplitLoop& loop) { return loop.copies.distance != 0; };
  const auto of_input = [](const analysis::SplitLoop& loop) {
    return std::ranges::any_of(loop.regions, [](const ir::Stmt* region) { return region->kind == ir::Stmt::Kind::Within; });
  };
  if (std::ranges::any_of(loops, &analysis::SplitLoop::counted)) return std::ranges::any_of(loops, copies) ? Work::CountedCopies : Work::CountedParts;
  return std::ranges::any_of(loops, of_input) ? Work::PlacedParts : Work::BufferParts;
}

// Its parts; and tokens that are in none, which other strategies have a way for.
Works works(const Subject& subject) {
  Works works{work_of(subject.facts.splits.loops)};
  if (std::ranges::any_of(subject.tokens.of_warp(true).loops, taken_side_by_side)) works.push_back(Work::Tokens);
  return works;
}

// Entries for steps, where parts may leave them.
void tune(const Subject& subject, schedule::Schedule& schedule) {
  if (steps_legal(subject).legal) schedule.resolve = schedule::Resolve::Steps;
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
  if (schedule.resolve == schedule::Resolve::Steps) {
    lines.push_back(fmt::format("each lane decodes its part into a slot of {} entries, values and copies, for {} bytes of output; a "
                                "prefix sum places the parts, and all lanes write them in steps",
                                schedule.part_entries, schedule.part_bytes));
    lines.push_back("parts that do not fit are taken 16, 8, 4, 2 or 1 at a time, which share all slots");
    if (std::string copies = explain_resolve(schedule, facts); !copies.empty()) lines.push_back(std::move(copies));
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

Legality steps_legal(const Subject& subject) {
  const analysis::SplitLoops& splits = subject.facts.splits;
  if (analysis::copy_distance_bits(splits.loops) == 0) return {false, {{"no part of it is counted before it is written", {}}}};
  for (const analysis::SplitLoop& loop : splits.loops) {
    if (subject.module.output.bits != 8) return {false, {{"its output is not bytes", loop.loop->span}}};
    if (!loop.placeless) return {false, {{"what a part does depends on where its output begins", loop.loop->span}}};
    if (loop.copies.reach > kLongReach) return {false, {{"copies of a part reach too far for an entry", loop.loop->span}}};
  }
  return {};
}

const StrategyRow& split_strategy() {
  static const StrategyRow row{schedule::Strategy::Split, "one thread a part whose size the input records", legal,
                               apply, works, tune, explain};
  return row;
}

}  // namespace sluice::strategy
