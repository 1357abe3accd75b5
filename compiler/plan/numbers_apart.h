#pragma once
// Tokens of which the size can be told without what their numbers hold: so many bytes and bits, and so many numbers in groups of
// seven bits, which stand one behind the other. Then lanes that walk tokens of several kinds look for the ends of numbers in one piece
// of code for all (note [numbers apart] of runtime/prim/cuda/speculate_values.h).
//
//   field local %0 load i8                        apart: 2 bytes and a number, or 1 byte and as many numbers as it says
//   if (ge %0 0)
//     field local %1 load i8
//     field local %2 varint i64
//     run stepped first %2 count (add %0 3) step %1
//   else
//     literals varints i64 count (neg %0)
//
//   field local %0 varint u64                     not apart: where the list ends is what the number says
//   literals short u8 count %0
//
//   field local %0 varint u64                     not apart: a field behind a number that may have any size is computed with
//   field local %1 load u8
//   literals short u8 count %1
#include "compiler/plan/value_records.h"

namespace sluice::plan {

// Of tokens that are values.
[[nodiscard]] bool numbers_apart(const Body& token, const ValueTokens& values);

}  // namespace sluice::plan
