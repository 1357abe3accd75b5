#pragma once
// A position in a sequence of bits, inside a region that ends at a known bit.
#include <cstdint>
#include <span>

#include "compiler/ir/ir.h"

namespace sluice::interp {

// Invariant: position() <= end() <= 8 * bytes. Callers ask left() first; read() past the end is not defined.
class BitReader {
 public:
  BitReader(std::span<const std::uint8_t> bytes, ir::Input order)
      : bytes_(bytes), msb_(order == ir::Input::BitsMsb), end_(bytes.size() * std::uint64_t{8}) {}

  std::uint64_t position() const { return position_; }
  std::uint64_t end() const { return end_; }
  std::uint64_t left() const { return end_ - position_; }
  bool aligned() const { return position_ % 8 == 0; }

  // Region end in bits; at most the end of the bytes.
  void set_end(std::uint64_t bit) { end_ = bit; }
  void move_to(std::uint64_t bit) { position_ = bit; }

  std::uint64_t bit() {
    const unsigned byte = bytes_[position_ / 8];
    const unsigned in_byte = static_cast<unsigned>(position_ % 8);
    ++position_;
    return (byte >> (msb_ ? 7 - in_byte : in_byte)) & 1u;
  }

  // n <= 64 bits in the stream's order: lsb streams put the first bit lowest, msb streams put it highest.
  std::uint64_t bits(unsigned n) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < n; ++i) {
      if (msb_) {
        value = (value << 1) | bit();
      } else {
        value |= bit() << i;
      }
    }
    return value;
  }

  // n <= 8 bytes, least or most significant first.
  std::uint64_t bytes(unsigned n, bool big_endian) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < n; ++i) {
      if (big_endian) {
        value = (value << 8) | bits(8);
      } else {
        value |= bits(8) << (8 * i);
      }
    }
    return value;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  bool msb_;
  std::uint64_t position_ = 0;
  std::uint64_t end_;
};

}  // namespace sluice::interp
