#pragma once
// Everything the compiler knows about a format besides what it means: which ways of running it are legal, what they
// need, and which clause decides. Each fact comes from one analysis of this room; facts are computed once and read by
// emitters, schedules, assertions and `sluice explain`.
#include <optional>
#include <vector>

#include "compiler/analysis/boundaries.h"
#include "compiler/analysis/built_codes.h"
#include "compiler/analysis/checks.h"
#include "compiler/analysis/copies.h"
#include "compiler/analysis/dependence.h"
#include "compiler/analysis/memory.h"
#include "compiler/analysis/stages.h"
#include "compiler/analysis/split_loops.h"
#include "compiler/analysis/sub_streams.h"
#include "compiler/analysis/token_budget.h"
#include "compiler/ir/ir.h"

namespace sluice::analysis {

struct LoopFacts {
  TokenBudget budget;
  Dependence dependence;
  Boundaries boundaries;
};

// Pointers inside lead to the module, which must outlive the facts unchanged.
struct Facts {
  std::vector<LoopFacts> loops;    // every Loop: rules in order, source order, outer before inner
  bool input_bytes = false;        // or it is of bits
  bool output_size_known = false;  // output sizes do not depend on output values: two-phase decode is legal
  ReasonChain output_size_why;
  Copies copies;
  std::vector<SubStream> sub_streams;
  SplitLoops splits;  // counted loops over such streams, whose steps can be done side by side
  std::vector<StageFact> stages;
  BuiltCodes built;  // prefix codes that are always built before they are read
  Checks checks;
  Memory memory;

  // The token loops that are reachable (TokenBudget::is_token).
  std::vector<const LoopFacts*> tokens() const;
  const LoopFacts* of(const ir::Stmt* loop) const;  // null when it is no loop of the module
};

// The module must have passed ir::verify. Thread-safe: shares nothing.
Facts analyse(const ir::Module& module);

}  // namespace sluice::analysis
