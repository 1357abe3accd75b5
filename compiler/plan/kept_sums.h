#pragma once
// Loops of a CPU that add up fields of one width and keep the sums in an array, one behind the other: lengths of strings, say, which are
// stored as differences. One primitive does them (runtime/prim/keep_sums.h), as it does sums that are put out (unpacked_steps.h).
//
//   unchecked position only t0                                     unchecked position only t0 kept_sums
//     field local %14 at width t0                           ->       ...
//     let %11 (cast:i32 (add (add %11 %10) %14))                     what all add is what the value comes to with %11 and %14 0
//     let %12 (cast:i32 (bit_or %12 %11))                            may be left out: what all of them have of ones
//     set_element 1 index (min (add %3 %13) 131071) value %11        %13 counts the steps: element %3 and those behind it
//
// Where the smaller of two places is meant, elements follow each other until they come to that: the primitive asks, and else does nothing.
#include <optional>

#include "compiler/plan/plan.h"

namespace sluice::plan {

struct KeptSums {
  Local sum;
  Operand value;               // what it comes to
  std::optional<Local> any;    // of which each sum's bits are set
  std::uint32_t array = 0;
  Operand first;               // the step's place in it, as the steps count
  std::optional<std::uint64_t> last;  // no place is behind it
};

// Of a loop whose steps need no test; none: it is something else.
[[nodiscard]] std::optional<KeptSums> kept_sums(const ir::Module& module, const Loop& loop);

}  // namespace sluice::plan
