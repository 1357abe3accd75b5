#pragma once
// Token loops for people: the form of each on each target, and what stands in the way of a better one. Read from plans
// and nothing else, so that it can't disagree with the code.
//
//   Loops
//     f.sluice:16:3
//       cpu       tokens: the limits are tested before each
//                 not unchecked: a token may leave for the checked path (f.sluice:18:5)
//       cuda      side by side: one step a lane
#include <span>
#include <string>

#include "compiler/plan/plan.h"
#include "dsl/source/source.h"

namespace sluice::plan {

// `plans`: those of all targets that are to be told of.
[[nodiscard]] std::string explain_text(const ir::Module& module, std::span<const Plan* const> plans,
                                       const SourceSet& sources, bool colour);

// The same as a JSON array, an object a loop.
[[nodiscard]] std::string explain_json(const ir::Module& module, std::span<const Plan* const> plans,
                                       const SourceSet& sources);

}  // namespace sluice::plan
