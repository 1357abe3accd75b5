#pragma once
// Loops whose steps take a field of one width each and put it out, or add it to a sum and put that out. A CPU hands all of their steps to
// one primitive (runtime/prim/unpack_out.h), which makes elements as vectors hold them, however few there are; so does a warp where they
// stand in a token.
//
//   unchecked count %8 only t5                      unchecked count %8 only t5 stored
//     field local %9 at width t5             ->       ...
//     store %9
//
//   unchecked count %3 only t3                      unchecked count %3 only t3 summed
//     field local %5 at width t3             ->       ...
//     let %4 (add %4 (add %1 (cast:i64 %5)))          what all add is what the value comes to with %4 and %5 0
//     store %4
//
// A warp's, one a lane, are `side_by_side` and say `sum` for `let`: each lane has the fields of its own (runtime/prim/cuda/unpack.h).
//
// Operators wrap (compiler/ir/ir.md), so that sums may be added up in any order.
#include "compiler/plan/plan.h"

namespace sluice::plan {

// How far the primitive looks from a field's first byte on, and what it writes behind the last element (kUnpackReach, kUnpackSlack).
inline constexpr std::uint64_t kUnpackReach = 32, kUnpackSlack = 32;

// Says so of a finished loop, and of those in its tokens; a CPU's margin then holds what the primitive looks at.
void take_unpacked(const ir::Module& module, Target target, Loop& loop);

// What steps that are summed do: the sum, and what it comes to, or what is added to it, which is the same where both are 0.
struct Summing {
  Local sum;
  const Operand& value;
};
[[nodiscard]] Summing summing(const Body& steps);

// Is the value a sum of the one, the other and something else? Of so many bits.
[[nodiscard]] bool sums_up(const Operand& value, Local sum, Local field, unsigned bits);

// Does it say so of any?
[[nodiscard]] bool unpacks(const Loop& loop);
// Are all of which it says so such loops?
[[nodiscard]] bool sound_unpacked(const ir::Module& module, Target target, const Loop& loop);

}  // namespace sluice::plan
