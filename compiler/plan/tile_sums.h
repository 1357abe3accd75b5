#pragma once
// Which numbers of 64 bits a lane that guesses where tokens begin holds in 32: sums of what stands in a tile of the input,
// which has no room for as many terms as would need more.
//
//   locals %0 %1 %2                                  records ... sums [%1]
//   let %1 15                  u40
//   repeat
//     field local %2 load u8                  ->     each step takes a byte of the tile, and adds 255 at most
//     check (le (add %1 %2) 1099511627775)           holds
//     let %1 (add %1 %2)
//     if (ne %2 255)
//       break
//   literals short u8 count %1
//
// note [tile sums]: such a value is set to a number of two bytes, to another sum, or to a sum and a number of two bytes; in a
// loop inside the token each step that adds takes a byte, too. It is compared with constants, and what it counts is tested
// in 64 bits. Where a token is read from memory (note [far] of runtime/prim/cuda/speculate.h), it has 64 bits: that has no
// end.
#include <vector>

#include "compiler/plan/plan.h"

namespace sluice::plan {

// Bytes of a tile, at most; what is set, and added at a time; steps of a token that add. A loop may add once more than it
// takes bytes, and loops inside loops begin as often as those around them take one.
inline constexpr std::uint64_t kMostOfTile = 2560, kMostAdded = 0xffff, kMostAdds = 8;
static_assert((kMostAdds * (2 * kMostOfTile + 1) + 2) * kMostAdded <= 0xffffffff, "a sum, and what is added where it is used");

// Of a loop whose tokens are records of bytes, in the order of its locals.
[[nodiscard]] std::vector<Local> tile_sums(const ir::Module& module, const Loop& loop);

}  // namespace sluice::plan
