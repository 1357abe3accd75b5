#pragma once
// Loops whose steps make one element each of one field, all of the same width: packed numbers. A lane takes a unit of 16 bytes
// of output of them (runtime/prim/cuda/packed.h), and what a loop takes is known without a look at the input.
//
//   loop times %1                               ->   packed counts
//     field local %2 at bits 32 width t0
//     store (add %0 %2)
#include "compiler/plan/plan.h"

namespace sluice::plan {

// A lane's step is written out for each element of a unit: no more statements than this.
inline constexpr unsigned kPackedSteps = 8;

// Of a loop of form SideBySide: every step is a field, values computed from it and one output; nothing is tested or kept.
[[nodiscard]] bool packed_fields(const Loop& loop);

// Says so of a plan's loops, where all are such or checked. Registers are a kernel's, not a loop's: units take so many that tokens
// beside them would have fewer warps (ORC RLE v2 by `warp`, an H200: 5 to 30 % slower).
void set_packed(Plan& plan);

}  // namespace sluice::plan
