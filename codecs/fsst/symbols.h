#pragma once
// Symbols of FSST (Boncz, Neumann, Leis: "FSST: Fast Random Access String Compression", VLDB 2020) and the greedy
// search for the longest one.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace sluice::encode::fsst {

constexpr unsigned kSymbolMax = 8;  // bytes of the longest symbol: one machine word

struct Symbol {
  std::uint64_t bytes = 0;  // the first byte lowest; zero above `size` bytes
  std::uint8_t size = 0;    // 1..kSymbolMax
  friend bool operator==(const Symbol&, const Symbol&) = default;
};

// The next kSymbolMax bytes of `in` from `at`, zeros past its end.
inline std::uint64_t word_at(std::span<const std::uint8_t> in, std::size_t at) {
  std::uint64_t word = 0;
  const std::size_t left = in.size() - at;
  if (left >= kSymbolMax) {
    std::memcpy(&word, in.data() + at, kSymbolMax);
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  } else {
    for (std::size_t i = 0; i < left; ++i) word |= std::uint64_t{in[at + i]} << (8 * i);
  }
  return word;
}

// `word`, of which the first `size` bytes count.
inline std::uint64_t first_bytes(std::uint64_t word, unsigned size) {
  return size == 0 ? 0 : word & (~std::uint64_t{0} >> (64 - 8 * size));
}

// Finds the longest symbol of a list that an input goes on with.
class Matcher {
 public:
  struct Match {
    std::int32_t index = -1;  // of the symbol in the list, -1: none matches
    unsigned size = 0;        // of the symbol
  };

  // No symbol twice, at most 65535 of them.
  explicit Matcher(std::span<const Symbol> symbols);

  // `word` is what comes next, of which `left` bytes are there.
  [[nodiscard]] Match longest(std::uint64_t word, std::size_t left) const {
    const std::size_t head = head_of(word);
    for (std::uint32_t i = first_[head]; i < first_[head + 1]; ++i) {
      const Entry& entry = entries_[i];
      if (first_bytes(word, entry.size) == entry.bytes && entry.size <= left) return {entry.index, entry.size};
    }
    const std::int32_t index = single_[word & 0xff];
    return {index, index < 0 ? 0u : 1u};
  }

 private:
  // All of the first byte and what tells letters apart of the second: a small table is quickly made for a small block.
  static constexpr unsigned kHeadBits = 13;
  static std::size_t head_of(std::uint64_t bytes) { return bytes & ((std::size_t{1} << kHeadBits) - 1); }

  struct Entry {
    std::uint64_t bytes;
    std::int32_t index;
    unsigned size;
  };
  std::vector<Entry> entries_;        // symbols of 2 bytes and more by their heads, the longest first
  std::vector<std::uint32_t> first_;  // [heads + 1]: where in entries_ those with this head begin
  std::array<std::int32_t, 256> single_{};
};

}  // namespace sluice::encode::fsst
