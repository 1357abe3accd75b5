#pragma once
// What both versions of ORC's run-length encoding write values with.
#include <cstdint>
#include <vector>

namespace sluice::bench {

inline std::uint64_t zigzag(std::int64_t value) {
  return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}

// A value as it is stored: small magnitudes are small words.
inline std::uint64_t word(std::int64_t value, bool is_signed) {
  return is_signed ? zigzag(value) : static_cast<std::uint64_t>(value);
}

// Seven bits a byte, the low ones first.
inline void put_varint(std::vector<std::uint8_t>& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<std::uint8_t>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<std::uint8_t>(value));
}

}  // namespace sluice::bench
