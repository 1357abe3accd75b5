#include "compiler/analysis/eligibility.h"

#include <fmt/format.h>

#include "compiler/analysis/walk.h"

namespace sluice::analysis {
namespace {

StrategyEligibility two_phase(const Facts& facts) {
  return {"two-phase", "count, prefix-sum, write: output sizes found without writing", facts.output_size_known,
          facts.output_size_why};
}

StrategyEligibility speculate(const Facts& facts) {
  // Of each loop the plan says whether its tokens are records (plan/records.h): no fact of the format alone does.
  StrategyEligibility one{
      "speculate", "lanes start at guessed positions of one stream and resynchronise, where tokens are records", false, {}};
  if (!facts.output_size_known) {
    one.why = facts.output_size_why;
    return one;
  }
  ReasonChain against;
  for (const LoopFacts* loop : facts.tokens()) {
    if (!loop->dependence.outputs_position_only) {
      append(against, loop->dependence.outputs_why);
    } else if (loop->budget.min_bits == 0) {
      against.push_back({"a token of this loop may take no input", loop->budget.loop->span});
    } else {
      one.legal = true;
      one.why.push_back({"the tokens of this loop depend on their position only", loop->budget.loop->span});
    }
  }
  if (one.legal) return one;
  if (against.empty()) against.push_back({"no loop makes output", {}});
  one.why = std::move(against);
  return one;
}

StrategyEligibility lanes(const Facts& facts) {
  // Of each loop the plan says whether its tokens are codes (plan/codes.h).
  StrategyEligibility one{
      "lanes", "consecutive tokens spread over lanes, where a byte tells them: boundaries from a small automaton", false, {}};
  ReasonChain against;
  for (const LoopFacts* loop : facts.tokens()) {
    if (loop->boundaries.kind == Boundaries::Kind::Scan || loop->boundaries.kind == Boundaries::Kind::None) {
      append(against, loop->boundaries.why);
    } else if (!loop->dependence.outputs_position_only) {  // lanes find their place in the output by a prefix sum
      append(against, loop->dependence.outputs_why);
    } else {
      one.legal = true;
      one.why.push_back(
          {"token boundaries follow from " + count_of(loop->boundaries.states, "state"), loop->budget.loop->span});
    }
  }
  if (one.legal) return one;
  if (against.empty()) against.push_back({"no loop makes output", {}});
  one.why = std::move(against);
  return one;
}

StrategyEligibility split(const Facts& facts) {
  StrategyEligibility one{"split", "sub-streams of recorded size decoded side by side", false, {}};
  for (const SplitLoop& split : facts.splits.loops) {
    one.legal = true;
    one.why.push_back(
        {split.counted ? "the place of each step's input is known before it is decoded; what it makes is counted first"
                       : "each step's place in input and output is known before it is decoded",
         split.loop->span});
  }
  if (one.legal) return one;
  ReasonChain against;
  for (const SubStream& part : facts.sub_streams) {
    if (!part.repeated) {
      against.push_back({"there is one such sub-stream at a time", part.within->span});
    } else if (!part.independent) {
      append(against, part.why);
    } else if (part.within->b) {
      against.push_back({"it stands elsewhere in the input, and parts are taken one behind the other", part.within->span});
    } else {
      one.legal = true;
      one.why.push_back({"its size stands before it and it needs nothing of the ones before", part.within->span});
    }
  }
  if (one.legal) return one;
  if (against.empty()) against.push_back({"no `within`: the input records no sizes of parts", {}});
  one.why = std::move(against);
  return one;
}

StrategyEligibility independent_writes(const Facts& facts) {
  StrategyEligibility one{
      "independent writes", "tokens write in any order: no output depends on other output", !facts.copies.any, {}};
  if (facts.copies.any)
    for (const Reason& copy : facts.copies.why) one.why.push_back(copy);
  return one;
}

// The stages of one form; nothing when there are none.
void stages(const Facts& facts, StageFact::Form form, StrategyEligibility one,
            std::vector<StrategyEligibility>& eligibility) {
  for (const StageFact& stage : facts.stages)
    if (stage.form == form)
      one.why.push_back({spell(*stage.stmt) + ": " + std::string(form_text(stage)), stage.stmt->span});
  one.legal = !one.why.empty();
  if (one.legal) eligibility.push_back(std::move(one));
}

}  // namespace

std::vector<StrategyEligibility> eligibility_of(const Facts& facts) {
  std::vector<StrategyEligibility> eligibility;
  eligibility.push_back({"warp", "one warp, or one thread of a CPU, per chunk", true, {}});
  eligibility.push_back(two_phase(facts));
  eligibility.push_back(speculate(facts));
  eligibility.push_back(lanes(facts));
  eligibility.push_back(split(facts));
  eligibility.push_back(independent_writes(facts));
  stages(facts, StageFact::Form::Scan, {"scan", "a stage as a scan of an associative operation", false, {}},
         eligibility);
  stages(facts, StageFact::Form::Walk, {"permute", "a stage by list ranking: its walk cut into pieces", false, {}},
         eligibility);
  return eligibility;
}

}  // namespace sluice::analysis
