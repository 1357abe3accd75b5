#include "compiler/analysis/unlocks.h"

#include <fmt/format.h>

#include "compiler/analysis/walk.h"

namespace sluice::analysis {
namespace {

Unlock two_phase(const Facts& facts) {
  return {"two-phase", "count, prefix-sum, write: output sizes found without writing", facts.output_size_known,
          facts.output_size_why};
}

Unlock speculate(const Facts& facts) {
  Unlock unlock{"speculate", "lanes start at guessed positions of one stream and resynchronise", false, {}, true};
  if (!facts.output_size_known) {
    unlock.why = facts.output_size_why;
    return unlock;
  }
  Chain against;
  for (const LoopFacts* loop : facts.tokens()) {
    if (!loop->dependence.outputs_position_only) {
      append(against, loop->dependence.outputs_why);
    } else if (loop->budget.min_bits == 0) {
      against.push_back({"a token of this loop may take no input", loop->budget.loop->span});
    } else {
      unlock.legal = true;
      unlock.why.push_back({"the tokens of this loop depend on their position only", loop->budget.loop->span});
    }
  }
  if (unlock.legal) return unlock;
  if (against.empty()) against.push_back({"no loop makes output", {}});
  unlock.why = std::move(against);
  return unlock;
}

Unlock lanes(const Facts& facts) {
  Unlock unlock{"lanes", "consecutive tokens spread over lanes: boundaries from a small automaton", false, {}, true};
  Chain against;
  for (const LoopFacts* loop : facts.tokens()) {
    if (loop->boundaries.kind == Boundaries::Kind::Scan || loop->boundaries.kind == Boundaries::Kind::None) {
      append(against, loop->boundaries.why);
    } else if (!loop->dependence.outputs_position_only) {  // lanes find their place in the output by a prefix sum
      append(against, loop->dependence.outputs_why);
    } else {
      unlock.legal = true;
      unlock.why.push_back(
          {"token boundaries follow from " + count_of(loop->boundaries.states, "state"), loop->budget.loop->span});
    }
  }
  if (unlock.legal) return unlock;
  if (against.empty()) against.push_back({"no loop makes output", {}});
  unlock.why = std::move(against);
  return unlock;
}

Unlock split(const Facts& facts) {
  Unlock unlock{"split", "sub-streams of recorded size decoded side by side", false, {}};
  for (const SplitLoop& split : facts.splits.loops) {
    unlock.legal = true;
    unlock.why.push_back({split.counted ? "the place of each step's input is known before it is decoded; what it makes is counted first"
                                        : "each step's place in input and output is known before it is decoded",
                          split.loop->span});
  }
  if (unlock.legal) return unlock;
  Chain against;
  for (const SubStream& part : facts.sub_streams) {
    if (!part.repeated) {
      against.push_back({"there is one such sub-stream at a time", part.within->span});
    } else if (!part.independent) {
      append(against, part.why);
    } else {
      unlock.legal = true;
      unlock.why.push_back({"its size stands before it and it needs nothing of the ones before", part.within->span});
    }
  }
  if (unlock.legal) return unlock;
  if (against.empty()) against.push_back({"no `within`: the input records no sizes of parts", {}});
  unlock.why = std::move(against);
  return unlock;
}

Unlock independent_writes(const Facts& facts) {
  Unlock unlock{
      "independent writes", "tokens write in any order: no output depends on other output", !facts.copies.any, {}};
  if (facts.copies.any)
    for (const Because& copy : facts.copies.why) unlock.why.push_back(copy);
  return unlock;
}

// The stages of one form; nothing when there are none.
void stages(const Facts& facts, StageFact::Form form, Unlock unlock, std::vector<Unlock>& unlocks) {
  for (const StageFact& stage : facts.stages)
    if (stage.form == form)
      unlock.why.push_back({spell(*stage.stmt) + ": " + std::string(form_text(stage)), stage.stmt->span});
  unlock.legal = !unlock.why.empty();
  if (unlock.legal) unlocks.push_back(std::move(unlock));
}

}  // namespace

std::vector<Unlock> unlocks_of(const Facts& facts) {
  std::vector<Unlock> unlocks;
  unlocks.push_back({"warp", "one warp, or one thread of a CPU, per chunk", true, {}});
  unlocks.push_back(two_phase(facts));
  unlocks.push_back(speculate(facts));
  unlocks.push_back(lanes(facts));
  unlocks.push_back(split(facts));
  unlocks.push_back(independent_writes(facts));
  stages(facts, StageFact::Form::Scan, {"scan", "a stage as a scan of an associative operation", false, {}}, unlocks);
  stages(facts, StageFact::Form::Walk, {"permute", "a stage by list ranking: its walk cut into pieces", false, {}}, unlocks);
  return unlocks;
}

}  // namespace sluice::analysis
