#pragma once
// Strategy *split* in a kernel: a counted loop of form Parts (compiler/plan) is done 32 steps at a time.
//
// clang-format off
//   for n < splits                  ->   for the next 32 steps, by all lanes: what stands around the core, and as if the
//     within split_size[n] bytes           core had read all of its region and made all of its output; lane k keeps place k
//       producing each                   then each lane by itself: thread::part(its place)
//         codes(known)                     a lane that finds an error: the loop goes back to that step, for the checked path
// clang-format on
//
// What a lane does alone are the same rules once more, in `namespace thread`: the names of primitives are those of
// lanes together, and there they mean one lane (runtime/prim/cuda/thread_*.h).
#include <string>

#include "compiler/emit/unit.h"
#include "compiler/plan/lower.h"

namespace sluice::emit {

// Adds the loops over parts to `loops`, which holds the warp's other loops; returns what
// must stand before them: `namespace thread`.
[[nodiscard]] std::string add_part_loops(const Context&, const plan::PartPlans&, std::vector<std::string>& loops);

}  // namespace sluice::emit
