#pragma once
// Tokens that are values whose size the first two bytes tell, but for that of numbers in groups of seven bits, and how many values they are:
// what the first byte says of it, and what the second one adds. A lane that walks them looks that up, whatever kind of token it has met
// (note [own tokens] of runtime/prim/cuda/own_tokens.h).
//
//   word t0 whole                                      two_bytes [...]
//   field local %0 in_word u2 with t0                    0x00: 16 bits                                        3 values
//   if (eq %0 0)                                         0x43: 16 + (256 + 1 + second) * w, w = width[1]      257 + second
//     field local %1 in_word u6 with t0 offset 2         0xc0: 16 bits and two numbers, which stand at byte 2   1 + second
//     field local %2 load u8                       ->    0x81: not told, its size is what its third byte says
//     run wide first %2 count %1
//   else
//     field local %3 in_word u5 with t0 offset 2
//     field local %4 in_word u9 with t0 offset 7
//     side_by_side count (add %4 1) listed
//       same t1 (table_elem width %3)
//       ...
//
// An entry is, most significant bits first: values that the first byte tells, signed:16 | and for each of the second byte's:16 | bits
// likewise, with those of its numbers, if they have a byte each, and 7 to round them up, signed:16 | the byte at which numbers stand:4 |
// how many there are:4 | bits for each of the second byte's:8. kNotTold: it is not told.
#include <cstdint>
#include <vector>

#include "compiler/plan/value_records.h"

namespace sluice::plan {

inline constexpr std::uint64_t kNotTold = 0x80000000;  // so many bits less than nothing that no second byte makes it a size

// Of elements of one or two bytes, whose numbers most often have a byte; `min_token`: bytes of any token. Empty: few first bytes tell.
[[nodiscard]] std::vector<std::uint64_t> two_bytes_tell(const ir::Module& module, const Loop& loop, const ValueTokens& values,
                                                        std::uint32_t min_token);

}  // namespace sluice::plan
