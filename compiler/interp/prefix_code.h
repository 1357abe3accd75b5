#pragma once
// A canonical prefix code, held as RFC 1951 section 3.2.2 describes it: how many codes each length has, and the
// symbols in order of (length, symbol). Decoding walks one bit at a time; there is no table.
// Where the longest codes are handed out first, the complements of the codes are what the shortest first would make of the
// symbols in falling order, for no code is left unused: so the bits are read complemented.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compiler/interp/bit_reader.h"
#include "compiler/ir/ir.h"

namespace sluice::interp {

class PrefixCode {
 public:
  enum class Built : std::uint8_t { Ok, Oversubscribed, Incomplete };
  enum class Miss : std::uint8_t { EndOfInput, NoSuchCode };
  struct Symbol {
    std::optional<std::uint32_t> value;
    Miss miss = Miss::NoSuchCode;  // when there is no value
  };

  // A code that was never built has no codes at all.
  PrefixCode(unsigned max_bits, bool longest_first)
      : max_bits_(max_bits), longest_first_(longest_first), count_(max_bits + 1, 0) {}

  // lengths[s] is the code length of symbol s, 0 when it has none. Replaces what was built before.
  Built build(std::span<const std::uint64_t> lengths, ir::Incomplete policy);

  // Reads one code, its most significant bit first. Moves the reader only on success.
  Symbol decode(BitReader& in) const;

  std::size_t symbols_with_code() const { return sorted_.size(); }

 private:
  unsigned max_bits_;
  bool longest_first_;
  std::vector<std::uint32_t> count_;   // [length]
  std::vector<std::uint32_t> sorted_;  // symbols by (length, symbol); longest first: (length, -symbol)
};

}  // namespace sluice::interp
