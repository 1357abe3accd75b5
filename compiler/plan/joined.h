#pragma once
// Tokens that begin as the one before them does, and go on with bytes of the input: sorted strings, of which each says how much it has
// of the string before. What that one stored is not loaded back, which would wait for its stores: a CPU holds its first bytes in
// registers, and a token is one store of those with the input's put behind them (runtime/prim/join.h).
//
//   let prefix (elem 1 i)                                         joined 1
//   if (gt prefix 0)
//     copy distance $before length prefix      ->                 what stands from step 1 on is one primitive, of tokens that are
//   literals short u8 count rest                                  no longer than is held; others are done as the steps say
//   set_global before value (add prefix rest)
//
// The distance is what the token before has made: the variable is set to that and nothing else, and nothing but the two steps makes
// output. In the first token of a loop it is whatever it is, and that many bytes back is what is held then.
#include <optional>

#include "compiler/plan/plan.h"

namespace sluice::plan {

// What registers hold of a token at most, and so what its margins are to hold (prim::kJoinedBytes).
inline constexpr std::uint64_t kJoinedBytes = 64;

// Of a CPU's loop of tokens: the number of the step that copies, which the literals follow. None: its tokens are not such.
[[nodiscard]] std::optional<std::uint32_t> joined_at(const ir::Module& module, const Loop& loop);

// note [alone]: where such a loop counts its tokens, and both lengths are elements of arrays at its index, or so far behind it, tokens that have
// nothing of the one before them are found by looking at the arrays, and done together (prim::join_alone): a token is nothing but
//   let prefix (elem A i); check (le prefix ..); the two steps; set_global before
// of which no check fails where the prefix is 0.
[[nodiscard]] bool joined_alone(const Loop& loop);
// Then, where an element that it reads stands: of the prefix, of the rest.
struct ArrayPlace {
  std::uint32_t array = 0;
  Operand index;
};
[[nodiscard]] ArrayPlace prefix_place(const Loop& loop);
[[nodiscard]] ArrayPlace rest_place(const Loop& loop);

// The variable that has what the token before made.
[[nodiscard]] Local joined_before(const Loop& loop);
// The copy of that step.
[[nodiscard]] const Copy& joined_copy(const Step& step);

}  // namespace sluice::plan
