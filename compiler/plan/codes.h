#pragma once
// Tokens as codes: does what a token makes, a string of at most 8 bytes, follow from its first byte alone and from what no
// token changes? Or is it a second byte, as it is? Then a table of 256 entries tells it, and an automaton of two states which
// bytes begin a token: all lanes of a warp take codes at once (strategy lanes, note [codes] of runtime/prim/cuda/code_lanes.h).
//
//   field local %1 load u8                        ->   codes escapes
//   if (eq %1 255)
//     literals fixed u8 count 1
//   else
//     check (lt %1 %0)
//     symbol_bytes 0 index %1
//
//   the same, with `add %1 1` as the literals' count   ->   codes against "it makes more than 8 bytes"
//
// Or has every token the same number of bytes, and makes the same number of strings? Then each lane takes a few, as their text
// says (runtime/prim/cuda/fixed_lanes.h):
//
//   field local %1 load u24                       ->   codes bytes 3 strings 2
//   check (lt %1 %0)
//   symbol_bytes 0 index (bit_and %1 4095)
//   symbol_bytes 0 index (shr %1 12)
//
// What leaves the token is no code: the checked path takes it.
#include <optional>

#include "compiler/plan/plan.h"

namespace sluice::plan {

// Of a loop with a form: a warp's, which has records or none.
[[nodiscard]] Codes codes_of(const ir::Module& module, const Loop& loop);

// Of a CPU's loop: none where no first byte tells, or where asking all of them costs too much (note [codes]
// of runtime/prim/code_table.h).
[[nodiscard]] std::optional<Codes> strings_of(const ir::Module& module, const Loop& loop);

// Is what the loop says of its codes so?
[[nodiscard]] bool says_its_codes(const ir::Module& module, const Loop& loop);

}  // namespace sluice::plan
