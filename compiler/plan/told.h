#pragma once
// Tokens that a CPU takes whole by their first byte, from a table: what that says of each of its 256 values. A branch on the
// kind of a token is one that nobody foresees where kinds follow each other by chance, as they do in text.
//
//   field local %0 load u8                        told at 1 from 1
//   if (lt %0 128)                                  entry of 5: literals 6, size 7
//     literals short u8 count (add %0 1)     ->     entry of 131: 131 - 124 bytes from far back, which are the 16 bits behind
//   else                                            it, and 1; size 3
//     field local %1 load u16
//     copy distance (add %1 1) length (sub %0 124)
//
// Each such token is literals or a copy, of few bytes; a distance is a field of as many whole bytes as the first byte says,
// and a number that it says. Others have an entry of 0, and their bodies do them.
// note [told]: an entry is added:16 | bits of the field:8 | literals:1 | length:7, most significant first (runtime/prim/source.h).
// Sizes are a table of their own: from a token to the next there are two loads and a sum, and nothing else. A distance is
// tested as the body tests it; where that fails the body does the token, too.
// note [two chunks]: no branch of such a token is one that a processor guesses, so what it waits for is loads; where a thread has more
// than one chunk to decode, it does two of them in turn. Of other loops that was measured as 1.08 of one's rate (Deflate, LZ4:
// tests/bench/results/cpu-peers.md), for what they wait for are guesses, or nothing.
#include <optional>

#include "compiler/plan/plan.h"

namespace sluice::plan {

// Of a CPU's loop of tokens. None: few first bytes tell.
[[nodiscard]] std::optional<Told> told_of(const ir::Module& module, const Loop& loop);

// Does it two chunks at once? Then its tokens read nothing but the stream: no slots, and no globals.
[[nodiscard]] bool in_pairs(const Loop& loop);

// What the loop's margins must hold of input, with what keeps tokens off the end; and the margin of its output.
[[nodiscard]] std::uint64_t told_margin(const Told& told);
[[nodiscard]] std::uint64_t out_margin(const Loop& loop);

}  // namespace sluice::plan
