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
// A list's values are read where they stand, a lane each, when they are written; so all lists of a loop are read alike, and
// nothing of the token stands behind one.
#include <optional>

#include "compiler/analysis/reason.h"
#include "compiler/plan/plan.h"

namespace sluice::plan {

struct ValueTokens {
  std::optional<analysis::Reason> against;  // why they are none
  Values values;
};

// Of a warp's loop that reads whole bytes.
[[nodiscard]] ValueTokens value_tokens(const ir::Module& module, const Loop& loop);

}  // namespace sluice::plan
