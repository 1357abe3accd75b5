// Numbers with XOR windows, as C would have it: a bit position, and one test before each read.
#include <bit>
#include <cstring>
#include <utility>

#include "tests/bench/plain.h"

namespace sluice::bench {
namespace {

class BitWriter {
 public:
  void put(std::uint64_t value, unsigned bits) {
    while (bits-- > 0) {
      if (free_ == 0) out_.push_back(0), free_ = 8;
      out_.back() = static_cast<std::uint8_t>(out_.back() | (value >> bits & 1) << --free_);
    }
  }
  Bytes take() { return std::move(out_); }

 private:
  Bytes out_;
  unsigned free_ = 0;
};

class BitReader {
 public:
  explicit BitReader(std::span<const std::uint8_t> in) : in_(in) {}

  // False: the input ends inside.
  bool take(unsigned bits, std::uint64_t& value) {
    if (bits > 8 * in_.size() - at_) return false;
    const std::size_t byte = at_ >> 3;
    const unsigned skip = at_ & 7;
    std::uint64_t word = 0, last = 0;
    if (in_.size() - byte > 8) {
      std::memcpy(&word, in_.data() + byte, 8);
      word = __builtin_bswap64(word);
      last = in_[byte + 8];
    } else {
      for (std::size_t k = 0; k < in_.size() - byte; ++k) word |= static_cast<std::uint64_t>(in_[byte + k]) << (56 - 8 * k);
    }
    value = (word << skip | last >> (8 - skip)) >> (64 - bits);
    at_ += bits;
    return true;
  }

 private:
  std::span<const std::uint8_t> in_;
  std::size_t at_ = 0;
};

}  // namespace

Bytes pack_windows(std::span<const std::uint8_t> numbers) {
  BitWriter out;
  const std::size_t count = numbers.size() / 8;
  out.put(count, 32);
  std::uint64_t before = 0;
  unsigned shift = 0, size = 64;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t number = 0;
    std::memcpy(&number, numbers.data() + 8 * i, 8);
    const std::uint64_t differs = std::exchange(before, number) ^ number;
    out.put(differs != 0, 1);
    if (differs == 0) continue;
    const auto low = static_cast<unsigned>(std::countr_zero(differs)), high = static_cast<unsigned>(std::bit_width(differs));
    // A window of its own costs 12 bits, and saves the bits around it from here on.
    const bool fits = low >= shift && high <= shift + size && size - (high - low) <= 12;
    out.put(fits ? 0 : 1, 1);
    if (!fits) {
      shift = low;
      size = high - low;
      out.put(size - 1, 6);
      out.put(shift, 6);
    }
    out.put(differs >> shift, size);
  }
  return out.take();
}

bool windows_decode(std::span<const std::uint8_t> in, std::span<std::uint8_t> place) {
  BitReader reader(in);
  std::uint64_t numbers = 0, before = 0, bit = 0, last = 0, shift = 0, bits = 0;
  unsigned size = 64;
  if (!reader.take(32, numbers) || place.size() != 8 * numbers) return false;
  for (std::uint8_t* out = place.data(); out != place.data() + place.size(); out += 8) {
    if (!reader.take(1, bit)) return false;
    if (bit != 0) {
      if (!reader.take(1, bit)) return false;
      if (bit != 0) {
        if (!reader.take(6, last) || !reader.take(6, shift) || last + shift >= 64) return false;
        size = static_cast<unsigned>(last) + 1;
      }
      if (shift + size > 64 || !reader.take(size, bits)) return false;
      before ^= bits << shift;
    }
    std::memcpy(out, &before, 8);
  }
  return true;
}

}  // namespace sluice::bench
