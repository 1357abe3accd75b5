// Bits into bytes, in either bit order.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace sluice::encode {

// From the least significant bit of each byte upwards, as Deflate packs: numbers low bit first, codes high bit first.
class LsbPacker {
 public:
  explicit LsbPacker(std::vector<std::uint8_t>& out) : out_(out) {}

  void number(std::uint64_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i) bit(value >> i & 1);
  }
  void code(std::uint32_t value, unsigned count) {
    for (unsigned i = count; i-- > 0;) bit(value >> i & 1);
  }
  void align() { used_ = 0; }
  [[nodiscard]] std::uint64_t written() const { return written_; }  // bits, without padding

 private:
  void bit(std::uint64_t value) {
    if (used_ == 0) out_.push_back(0);
    out_.back() = static_cast<std::uint8_t>(out_.back() | value << used_);
    used_ = (used_ + 1) % 8;
    ++written_;
  }

  std::vector<std::uint8_t>& out_;
  unsigned used_ = 0;  // bits of the last byte; 0: it is full
  std::uint64_t written_ = 0;
};

// From the most significant bit downwards, as bzip2 packs.
class MsbPacker {
 public:
  explicit MsbPacker(std::vector<std::uint8_t>& out) : out_(out) {}

  void number(std::uint64_t value, unsigned count) {
    for (unsigned i = count; i-- > 0;) {
      if (used_ == 0) out_.push_back(0);
      out_.back() = static_cast<std::uint8_t>(out_.back() | (value >> i & 1) << (7 - used_));
      used_ = (used_ + 1) % 8;
    }
  }
  void align() { used_ = 0; }

 private:
  std::vector<std::uint8_t>& out_;
  unsigned used_ = 0;
};

// A whole number, least significant byte first.
inline void put_little(std::vector<std::uint8_t>& out, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

}  // namespace sluice::encode
