#pragma once
// Tokens as values: may each be taken as a value, an arithmetic run of values, or a list of them that ends the token? Then
// lanes that guess where tokens begin make output of such records (note [value records] of runtime/prim/cuda/value_steps.h).
//
//   field local %0 load i8                   ->   records min 2
//   if (ge %0 0)                                  values numbers
//     field local %1 load i8                        value_list varints bits 64 signed
//     field local %2 varint i64
//     run stepped first %2 count (add %0 3) step %1
//   else
//     literals varints i64 count (neg %0)
//
//   side_by_side count %1                    ->   side_by_side count %1 listed
//     same t0 %0                                    value_list packed signed big
//     field local %2 at_wide u64 width t0
//     store (zigzag %2)
//
// A packed list's values may be added up, behind a run or by themselves, and they may go through an array, in which some are changed:
//
//   side_by_side count %1                    ->   side_by_side count %1 array      fills array 0 of the list
//     set_element 0 index %4 value %3
//   side_by_side count %5 in_order                side_by_side count %5 in_order amends
//     let %6 (add %6 ...)
//     check (lt %6 %1)
//     set_element 0 index %6 value (bit_or (elem 0 %6) ...)
//   side_by_side count %1                         side_by_side count %1 offset     puts it out
//     store (add %2 (elem 0 %4))
//
// What else the steps of such a loop do is no record: lanes leave the token to the checked path. Who walks passes such steps, where
// nothing behind them is computed from what they find. A list's values are read where
// they stand, a lane each, when they are written; so all lists of a loop are read alike, and nothing of the token stands behind one.
#include <map>
#include <optional>
#include <set>

#include "compiler/analysis/reason.h"
#include "compiler/plan/plan.h"

namespace sluice::plan {

struct ValueTokens {
  std::optional<analysis::Reason> against;  // why they are none
  Values values;
  std::map<const SideBySide*, ListPart> listed;  // loops that are a token's list, or part of one
  std::set<const SideBySide*> passed;       // loops of other tokens that a walk passes
};

// Of a warp's loop that reads whole bytes, or at places, if every token begins at a byte.
[[nodiscard]] ValueTokens value_tokens(const ir::Module& module, const Loop& loop);

// What a loop that tokens of its own do not end ends by.
[[nodiscard]] constexpr const char* ends_otherwise(ir::LoopKind kind) {
  return kind == ir::LoopKind::UntilCond ? "it ends by a condition before a token, not with one or the region"
                                         : "it ends by a count, not with a token or the region";
}

}  // namespace sluice::plan
