// The order of rotations, compared byte by byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string_view>

#include "codecs/patel/rotations.h"

namespace sluice::encode {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes rotation(const Bytes& block, std::size_t start) {
  Bytes rotated = block;
  std::rotate(rotated.begin(), rotated.begin() + static_cast<std::ptrdiff_t>(start), rotated.end());
  return rotated;
}

// Each position once, and no rotation above a smaller one.
void expect_sorted(const Bytes& block) {
  const std::vector<std::uint32_t> rows = sorted_rotations(block);
  std::vector<std::uint32_t> positions(rows);
  std::sort(positions.begin(), positions.end());
  std::vector<std::uint32_t> all(block.size());
  std::iota(all.begin(), all.end(), 0u);
  ASSERT_EQ(positions, all);
  for (std::size_t r = 1; r < rows.size(); ++r) {
    ASSERT_LE(rotation(block, rows[r - 1]), rotation(block, rows[r])) << "row " << r << " of " << block.size();
  }
}

Bytes bytes(std::string_view text) { return {text.begin(), text.end()}; }

TEST(Rotations, OfSmallTexts) {
  EXPECT_EQ(sorted_rotations(bytes("banana")), (std::vector<std::uint32_t>{5, 3, 1, 0, 4, 2}));
  for (const std::string_view text : {"", "a", "ba", "aaaa", "abab", "abaaba", "mississippi", "\xff\x01\xff\x01\xff"}) {
    expect_sorted(bytes(text));
  }
}

TEST(Rotations, OfManyBlocks) {
  std::uint32_t state = 3;
  for (unsigned size = 2; size < 120; size += 1 + size / 8) {
    for (const unsigned letters : {2u, 3u, 256u}) {
      Bytes block;
      for (unsigned i = 0; i < size; ++i) {
        state = state * 1664525 + 1013904223;
        block.push_back(static_cast<std::uint8_t>((state >> 16) % letters));
      }
      expect_sorted(block);
      const Bytes once = block;
      for (unsigned k = 0; k < 3; ++k) block.insert(block.end(), once.begin(), once.end());
      expect_sorted(block);
    }
  }
}

}  // namespace
}  // namespace sluice::encode
