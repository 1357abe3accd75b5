#pragma once
// Records as a loop's output: may a token be taken as (literals out of the input, then a copy), without anything that
// tokens before it leave, but for what waits for them (late.h)? Then lanes can decode tokens of which they only guess where
// they begin (strategy speculate).
//
//   field %0 load u8                        ->   records min 3      a token takes 3 bytes or more
//   literals short u8 count (shr %0 4)
//   field %1 load u16
//   copy distance %1 length (add (bit_and %0 15) 4)
//
//   the same, with `literals` behind `copy` ->   records against "it makes literals once and then one copy, at most"
//
// A run of an element that lies in the input is that element as a literal, and a copy of it (placed.h), so elements may be
// of 1, 2, 4 or 8 bytes. But tokens of bytes that copy nothing are values, where they wait for none before them (value_records.h).
//
// Where tokens begin at bits, a literal is a value of the token's own:
//
//   symbol t0 table 0 row first 10      ->   records min 1 bits
//   arm output
//   arm extra %1
//     ...
//     copy distance %3 length %1
#include <span>
#include <vector>

#include "compiler/analysis/token_budget.h"
#include "compiler/plan/plan.h"

namespace sluice::plan {

// A lane that guesses sees so many bytes behind the last place where a token may begin (prim::kTileRoom, kBitTileRoom, kValueRoom, kChainRoom).
inline constexpr std::uint64_t kMaxRecordMargin = 320, kMaxBitRecordMargin = 128, kMaxValueMargin = 96, kMaxChainMargin = 96;

// Fills in a warp's loop with a form. `budget`: of its statement.
void set_records(const ir::Module& module, Loop& loop, const analysis::TokenBudget& budget);

// A kernel has room for tiles of bytes or of bits: where tokens of both kinds copy, those of bits are no records. Of all of a
// warp's loops.
void keep_one_kind(std::vector<Loop>& loops);
// Are some of a warp's records tokens that begin at bits?
[[nodiscard]] bool begin_at_bits(std::span<const Loop> loops);
[[nodiscard]] bool of_one_kind(std::span<const Loop> loops);

// Is what the loop says of its records so?
[[nodiscard]] bool says_its_records(const ir::Module& module, const Loop& loop, const analysis::TokenBudget& budget);

}  // namespace sluice::plan
