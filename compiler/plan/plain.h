#pragma once
// Tokens that a CPU takes without asking what kind they are: few literals and then a short copy, of which the first byte says how
// many and how long. They are done by a primitive of their own, before the token's body, which does the others. That has the next
// token's first byte at hand when it knows how many literals there are, out of a word that it asked for before: where a token's
// place is known only when the first byte of the one before it has been loaded, each waits for a load and the sums behind it,
// and nothing else is as slow.
//
//   field local %0 load u8                       plain where (first and 0x8f) < 13
//   inline %1 extended (shr %0 4)                  literals (first >> 4 & 0xff) + 0, from 1
//   literals short u8 count %1              ->     length (first >> 0 & 0x8f) + 4
//   field local %2 load u16                        distance of 16 bits from 1 on, behind the literals, and 0
//   inline %3 extended (and %0 15)                 size 3, and the literals
//   copy distance %2 length (add %3 4)
//
// note [plain tokens]: a token's steps are followed for each of the 256 first bytes. Which are plain is told by bits of the byte, and
// so are both numbers; more of them than those bits say may be plain, and the body does those, too. What a distance is tested for
// is what the body would test; where it fails the token is left as the body would leave it.
// Sources are compared as addresses: distances are below kNearest, and a window that begins below that has no fast loop.
#include <optional>

#include "compiler/plan/plan.h"

namespace sluice::plan {

// prim::kNearest: distances of plain tokens are below.
inline constexpr std::uint64_t kNearest = 1 << 20;

// Of a CPU's loop of tokens. None: few first bytes are plain, or what they say of a token are no bits of theirs.
[[nodiscard]] std::optional<Plain> plain_of(const ir::Module& module, const Loop& loop);

// What the loop's margins must hold of input, with what keeps tokens off the end; and of output.
[[nodiscard]] std::uint64_t plain_in_margin(const Plain& plain);
[[nodiscard]] std::uint64_t plain_out_margin();

}  // namespace sluice::plan
