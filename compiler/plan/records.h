#pragma once
// Records as a loop's output: may a token be taken as (literals out of the input, then a copy), without anything that
// tokens before it leave? Then lanes can decode tokens of which they only guess where they begin (strategy speculate).
//
//   field %0 load u8                        ->   records min 3      a token takes 3 bytes or more
//   literals short u8 count (shr %0 4)
//   field %1 load u16
//   copy distance %1 length (add (bit_and %0 15) 4)
//
//   the same, with `run` instead of `copy`  ->   records against "it makes output that is neither literals nor a copy"
#include "compiler/analysis/token_budget.h"
#include "compiler/plan/plan.h"

namespace sluice::plan {

// Of a warp's loop with a form. `budget`: of its statement.
[[nodiscard]] Records records_of(const ir::Module& module, const Loop& loop, const analysis::TokenBudget& budget);

}  // namespace sluice::plan
