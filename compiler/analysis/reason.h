#pragma once
// Why a fact holds or does not: one sentence a clause, in the order a reader should follow them.
#include <string>
#include <vector>

#include "dsl/source/span.h"

namespace sluice::analysis {

struct Reason {
  std::string text;  // a sentence without its full stop; names of the spec in backquotes
  Span span;         // the clause that makes or breaks the fact
};
using ReasonChain = std::vector<Reason>;

// Appends `more` to `chain`, leaving out steps that already stand there.
void append(ReasonChain& chain, const ReasonChain& more);

}  // namespace sluice::analysis
