#pragma once
// How many bytes a token has, where its first byte tells, as one value without branches: what lanes ask that guess where
// tokens begin (strategy speculate). They walk different tokens at once, so a branch on the kind of a token costs them
// each of its arms, one after the other.
//
//   field local %0 load u8                        first_byte %0
//   if (lt %0 128)                                  told (not (and (lt %0 128) (ge %0 120)))
//     let %1 %0                                     size (select (lt %0 128) (add %0 2) 3)
//     if (ge %1 120)                         ->     most 121
//       field local %1 load u16
//     literals short u8 count (add %1 1)
//   else
//     field local %2 load u16
//     copy distance %2 length 4
//
// note [first byte]: where `told` is not so, the size is any number, and the token's body is walked. Where it is, the body
// would find the same: it leaves for no reason, and what it would test of the input's limit holds of a token that begins
// where one may, because `most` and the margin fit behind the last such place (prim::kTileAhead).
#include <cstdint>
#include <optional>

#include "compiler/plan/plan.h"

namespace sluice::plan {

// Of a loop whose tokens are records of bytes. None: few first bytes tell, or there is no branch to save.
[[nodiscard]] std::optional<FirstByte> first_byte_of(const ir::Module& module, const Loop& loop);

}  // namespace sluice::plan
