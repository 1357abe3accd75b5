#pragma once
// A position in a sequence of bits, inside a region that ends at a known bit, or of one that is read from its end.
#include <cstdint>
#include <span>

#include "compiler/ir/ir.h"

namespace sluice::interp {

// Invariant: begin() <= position() <= end() <= 8 * bytes; begin() is looked at in a region that is read backward, end() in others.
// Callers ask left() first; a read past the end is not defined.
class BitReader {
 public:
  BitReader(std::span<const std::uint8_t> bytes, ir::Input order)
      : bytes_(bytes), msb_(order == ir::Input::BitsMsb), end_(bytes.size() * std::uint64_t{8}) {}

  std::uint64_t position() const { return position_; }
  std::uint64_t end() const { return end_; }
  bool backward() const { return backward_; }
  std::uint64_t left() const { return backward_ ? position_ - begin_ : end_ - position_; }
  // Bits taken since the position was `start`, in this region.
  std::uint64_t taken_since(std::uint64_t start) const { return backward_ ? start - position_ : position_ - start; }
  bool aligned() const { return position_ % 8 == 0; }

  // Region end in bits; at most the end of the bytes.
  void set_end(std::uint64_t bit) { end_ = bit; }
  void move_to(std::uint64_t bit) { position_ = bit; }

  // The region of `bits` from the position on is read from its end, behind the padding: zeros from the highest bit of the
  // last byte down, and a one. False where there is no such padding.
  bool turn(std::uint64_t bits) {
    begin_ = position_;
    position_ += bits;
    backward_ = true;
    for (unsigned i = 0; i < 8 && left() > 0; ++i)
      if (bit() != 0) return true;
    return false;
  }

  std::uint64_t bit() {
    if (backward_) {
      --position_;
      return (bytes_[position_ / 8] >> (position_ % 8)) & 1u;
    }
    const unsigned byte = bytes_[position_ / 8];
    const unsigned in_byte = static_cast<unsigned>(position_ % 8);
    ++position_;
    return (byte >> (msb_ ? 7 - in_byte : in_byte)) & 1u;
  }

  // n <= 64 bits in the stream's order: lsb streams put the first bit lowest, msb streams and backward regions put it highest.
  std::uint64_t bits(unsigned n) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < n; ++i) {
      if (msb_ || backward_) {
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
  bool backward_ = false;
  std::uint64_t begin_ = 0;  // of a region that is read backward
};

}  // namespace sluice::interp
