#pragma once
// May a token that has been left be done again? It is, from its start, by the checked path (note [fast-loop margin]), so it must
// find what it read the first time: either nothing has been stored, or what was there has been put back.
//
//   x := seen[n]; require m < 8; seen[n] := 1     nothing is to be put back: what is left has stored nothing
//   x := seen[n]; seen[n] := 1; require m < 8     the store is: the checked path would read the 1
//   repeat k times                                these are, and how many they were no text knows: there is no such form
//     seen[n] := 1; n: u8
//     require n < 8
#include <cstdint>
#include <set>
#include <vector>

#include "compiler/plan/plan.h"

namespace sluice::plan {

// A store to one of the arrays behind which the token may be left.
struct StoreToRedo {
  const Step* step = nullptr;  // a SetElement
  bool repeated = false;       // it stands in a loop inside the token
};

// All of them, the last one first. `at_end`: the token may be left behind its last step.
[[nodiscard]] std::vector<StoreToRedo> stores_to_redo(const Body& token, const std::set<std::uint32_t>& arrays, bool at_end);

// Of a finished loop, which stores to these arrays and reads them: may its tokens be done again? Then each of those stores, and
// no other, has values to put it back by.
[[nodiscard]] bool may_be_redone(Target target, const Loop& loop, const std::set<std::uint32_t>& arrays);

// Steps that lanes do side by side, of which one may be refused when others have made outputs; and a loop that has such. Where
// outputs go to a sink no loop may: which of them have been handed over nobody would know (note [once] of
// runtime/prim/cuda/sink.h).
[[nodiscard]] bool hands_over_early(const Body& side_by_side);
[[nodiscard]] bool hands_over_early(const Loop& loop);

}  // namespace sluice::plan
