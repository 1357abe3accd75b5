#pragma once
// The shape of a prefix code's two-level look-up table, as emitters make it and `explain` counts it.
//
//   litlen(288, 15)  ->  2^10 entries, and up to 288 second levels of 2^5
#include <algorithm>
#include <cstdint>

#include "compiler/ir/ir.h"

namespace sluice::ir {

// Bytes of one entry: payload, kind, bits of the code, all bits.
inline constexpr std::uint64_t kTableEntryBytes = 4;
// A payload is 16 bits: no symbol is above it.
inline constexpr std::uint32_t kMaxTableSymbols = 0xffff;
// 64 KiB, of which a decoder touches what its codes use. Also bounds a link's payload.
inline constexpr std::uint32_t kMaxTableEntries = 16384;
static_assert(kMaxTableEntries <= kMaxTableSymbols + 1);

// Index bits of the first level: 10 for large alphabets, 8 for small ones. Measured on Deflate: 11 costs more in
// building the table, block by block, than it saves in second-level look-ups. `large`: others for large ones, and 2 less
// for small ones, 4 where all codes are short: those are read now and then, such as the lengths of other codes.
inline constexpr unsigned kTableBits = 10, kLessOfSmall = 2, kLessOfShort = 4, kShortCodes = 8;
// Codes whose longest come first are Zstandard's, of 11 bits: what a second level would cost in each look-up is more than a table
// of all of them is.
inline constexpr unsigned kWholeBits = 11;
inline unsigned table_bits(const Code& c, unsigned large = kTableBits) {
  if (c.longest_first && c.max_bits <= kWholeBits) return c.max_bits;
  const unsigned less = c.symbols > 64 ? 0 : c.max_bits > kShortCodes ? kLessOfSmall : kLessOfShort;
  return std::min<unsigned>(c.max_bits, large - less);
}

// Entries of a table that serves codes of up to `most` bits; no more second levels than symbols or first entries.
inline std::uint64_t table_entries(const Code& c, unsigned most) {
  const std::uint64_t first = std::uint64_t{1} << table_bits(c);
  return first + (most > table_bits(c) ? std::min<std::uint64_t>(c.symbols, first) << (most - table_bits(c)) : 0);
}

// Longest codes that a table serves: as long as they come, within kMaxTableEntries. Longer ones, one in 2^14 symbols or
// fewer, are read bit by bit.
inline unsigned table_most(const Code& c) {
  unsigned most = table_bits(c);
  while (most < c.max_bits && table_entries(c, most + 1) <= kMaxTableEntries) ++most;
  return most;
}

}  // namespace sluice::ir
