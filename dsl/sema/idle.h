#pragma once
// How much may be done between two things that a chunk's size bounds: what it reads, and what it makes.
//
//   for i < 1000000          1000000 steps, a limit of its own (kMaxIdleSteps)
//     for j < 1000000        a million times a million: here
//       x := x +% j
#include <functional>
#include <set>

#include "dsl/diag/diag.h"
#include "dsl/model/model.h"

namespace sluice::sema {

// Steps of counted loops, calls and elements of buffers between two reads or outputs: seconds of machine code.
inline constexpr std::uint64_t kMaxIdleWork = std::uint64_t{1} << 32;

// `idle`: the counted loops whose steps may neither read nor make anything. `moves(rule)`: does a rule surely do either?
void bound_idle_work(const model::Format& format, const std::set<const model::Stmt*>& idle,
                     const std::function<bool(std::uint32_t)>& moves, DiagSink& sink);

}  // namespace sluice::sema
