#pragma once
// How many bytes a token has, where its first byte tells, and which parts, as values without branches: what lanes ask that
// guess where tokens begin (strategy speculate). They look at different tokens at once, so a branch on the kind of a token
// costs them each of its arms, one after the other.
//
//   field local %0 load u8                        first_byte %0 most 121
//   if (lt %0 128)                                    told (or (ge %0 128) (lt %0 120))
//     let %1 %0                                       size (select (lt %0 128) (add %0 2) 3)
//     if (ge %1 120)                              first_parts literals (select (lt %0 128) (add %0 1) 0) from 1
//       field local %1 load u16            ->         distance %2 length (select (lt %0 128) 0 4)
//     literals short u8 count (add %1 1)          first_field %2 offset 1 bits 16
//   else
//     field local %2 load u16
//     copy distance %2 length 4
//
// Fields that some parts are computed from stand at places of their own, and are read whatever the token is.
// note [first byte]: where `told` is not so, the size is any number, and the token's body is walked. Where it is, the body
// would find the same: it leaves for no reason, and what it would test of the input's limit holds of a token that begins
// where one may, because `most` and the margin fit behind the last such place (prim::kTileAhead).
#include <cstdint>
#include <functional>
#include <optional>

#include "compiler/plan/plan.h"

namespace sluice::plan {

// Of a loop whose tokens begin at bytes, whatever may become of them. None: there is no branch to save.
[[nodiscard]] std::optional<FirstByte> first_byte_tells(const ir::Module& module, const Loop& loop);
// Of a loop whose tokens are records of bytes. None: few first bytes tell, or there is no branch to save.
[[nodiscard]] std::optional<FirstByte> first_byte_of(const ir::Module& module, const Loop& loop);

// Calls `visit` for each operand of it.
void for_each_operand(FirstByte& byte, const std::function<void(Operand&)>& visit);
// But for their operands' `wide`.
[[nodiscard]] bool says_the_same(const ir::Module& module, const Loop& loop, FirstByte a, FirstByte b);

}  // namespace sluice::plan
