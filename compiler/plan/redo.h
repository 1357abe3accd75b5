#pragma once
// May a token that has been left be done again? It is, from its start, by the checked path (note [fast-loop margin]), so it must
// find what it read the first time.
//
//   x := seen[n]; seen[n] := 1; require m < 8     no: the checked path would read the 1
//   x := seen[n]; require m < 8; seen[n] := 1     yes: what is left has stored nothing
#include <cstdint>
#include <optional>
#include <set>

#include "compiler/plan/plan.h"

namespace sluice::plan {

// The clause of the first step that may leave the token when it has stored to one of the arrays; nothing: there is none.
[[nodiscard]] std::optional<Span> leaves_after_store(const Body& token, const std::set<std::uint32_t>& arrays);

}  // namespace sluice::plan
