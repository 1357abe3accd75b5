#pragma once
// Which ways of running a format its facts allow, and which they forbid and why.
//
//   token loop position-only, output sizes known   ->  speculate: legal
//   copies that may overlap                        ->  independent writes: not legal, `copy` may read what it writes
#include <string>
#include <vector>

#include "compiler/analysis/facts.h"

namespace sluice::analysis {

struct StrategyEligibility {
  std::string strategy;  // "speculate"
  std::string what;      // what it does, one line
  bool legal = false;
  ReasonChain why;       // not legal: what forbids it; legal: what there is to say, may be empty
  bool to_come = false;  // no target has the strategy yet: the fact is there for the day one does
};

// In the order of an explain page. `scan` and `permute` are there only for a format with such stages.
std::vector<StrategyEligibility> eligibility_of(const Facts& facts);

}  // namespace sluice::analysis
