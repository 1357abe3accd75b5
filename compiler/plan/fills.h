#pragma once
// Tokens that fill an array: each is some bits, and gives the next elements of an array one value. Where the input's bits of such
// a token are doesn't depend on what is in the array, so all lanes of a warp can look at tokens that would begin at 32 bits in a
// row, and those that do begin there are taken at once (note [fills] of runtime/prim/cuda/fills.h). Deflate's code lengths are so.
//
//   symbol t0 table 2                              fills array 1 next %7 repeats bits 14 kept [%8 %10]
//   arm payload %8                                 symbol t0 table 2  both
//     if (lt %8 16)                                arm payload %8
//       let %9 %8                                    if (lt %8 16)  both
//       let %10 1                                      let %9 %8
//     else                                    ->       let %10 1
//       check (gt %7 0)                              else
//       let %9 (elem 1 (sub %7 1))                     check (gt %7 0)  late            tests what is known when the tokens before are
//       field local %10 look u2                        let %9 (elem 1 (sub %7 1)) before  what the token before has filled with
//     check (le (add %7 %10) %6)                       field local %10 look u2
//     side_by_side count %10 index %14               check (le (add %7 %10) %6)  late
//       set_element 1 index (add %7 %14) value %9    side_by_side count %10 index %14  round
//     let %7 (add %7 %10)                              set_element 1 index (add %7 %14) value %9
//                                                    let %7 (add %7 %10)  round
//
// A token that fails a test, or has a code that the table doesn't tell, is the checked path's.
#include "compiler/analysis/token_budget.h"
#include "compiler/plan/plan.h"

namespace sluice::plan {

// Finds out whether a warp's loop with a form is of such tokens, and says of its steps when they are done. `budget`: of its statement.
// Behind set_records().
void set_fills(const ir::Module& module, Loop& loop, const analysis::TokenBudget& budget);

// Is what the loop says so, and does one that says nothing have none?
[[nodiscard]] bool says_its_fills(const ir::Module& module, const Loop& loop, const analysis::TokenBudget& budget);

// Of such a loop: the step that fills the array.
[[nodiscard]] const SideBySide& fill_of(const Loop& loop);
// And the token without what is done for a whole round.
[[nodiscard]] Body token_of_fills(const Loop& loop);

}  // namespace sluice::plan
