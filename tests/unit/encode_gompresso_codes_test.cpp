// Length-limited prefix codes and bit order, as the encoders use them.
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/encode/bit_packer.h"
#include "runtime/encode/code_lengths.h"

namespace sluice::encode {
namespace {

using Counts = std::vector<std::uint64_t>;
using Lengths = std::vector<std::uint8_t>;

std::uint64_t cost(const Counts& counts, const Lengths& lengths) {
  std::uint64_t bits = 0;
  for (std::size_t s = 0; s < counts.size(); ++s) bits += counts[s] * lengths[s];
  return bits;
}

// The sum of 2^-length in units of 2^-32.
std::uint64_t kraft(const Lengths& lengths) {
  std::uint64_t sum = 0;
  for (const std::uint8_t length : lengths) sum += length == 0 ? 0 : std::uint64_t{1} << (32 - length);
  return sum;
}

// The least cost of any code within the limit, by trying all lengths in turn. Exponential.
std::uint64_t least_cost(const Counts& counts, unsigned limit, std::size_t symbol, std::uint64_t room) {
  if (symbol == counts.size()) return 0;
  std::uint64_t best = UINT64_MAX;
  for (unsigned length = 1; length <= limit; ++length) {
    const std::uint64_t share = std::uint64_t{1} << (32 - length);
    if (share > room) continue;
    const std::uint64_t rest = least_cost(counts, limit, symbol + 1, room - share);
    if (rest != UINT64_MAX) best = std::min(best, counts[symbol] * length + rest);
  }
  return best;
}

TEST(CodeLengths, NoneOneAndTwoSymbols) {
  EXPECT_EQ(code_lengths(Counts{0, 0, 0}, 15), (Lengths{0, 0, 0}));
  EXPECT_EQ(code_lengths(Counts{0, 7, 0}, 15), (Lengths{0, 1, 0}));
  EXPECT_EQ(code_lengths(Counts{1, 0, 1000}, 15), (Lengths{1, 0, 1}));
}

TEST(CodeLengths, AreOptimalWithinTheLimit) {
  for (const Counts& counts :
       {Counts{1, 1, 2, 3, 5, 8}, Counts{1, 2, 4, 8, 16, 32}, Counts{7, 7, 7, 7, 7, 7}, Counts{1, 1, 1, 1, 1, 90}}) {
    for (unsigned limit = 3; limit <= 6; ++limit) {
      const Lengths lengths = code_lengths(counts, limit);
      EXPECT_LE(*std::max_element(lengths.begin(), lengths.end()), limit);
      EXPECT_EQ(kraft(lengths), std::uint64_t{1} << 32) << "not complete";
      EXPECT_EQ(cost(counts, lengths), least_cost(counts, limit, 0, std::uint64_t{1} << 32)) << "limit " << limit;
    }
  }
}

TEST(CodeLengths, FillATightLimit) {
  Counts counts(256);
  std::uint64_t count = 1;
  for (std::size_t s = 0; s < counts.size(); ++s) counts[s] = count = count * 3 / 2 % 1000003 + 1;
  EXPECT_EQ(code_lengths(counts, 8), Lengths(256, 8));
  const Lengths nine = code_lengths(counts, 9);
  EXPECT_EQ(kraft(nine), std::uint64_t{1} << 32);
  EXPECT_LT(cost(counts, nine), cost(counts, Lengths(256, 8)));
}

// The example of RFC 1951, 3.2.2: lengths (3, 3, 3, 3, 3, 2, 4, 4).
TEST(CanonicalCodes, AreThoseOfTheRfc) {
  EXPECT_EQ(canonical_codes(Lengths{3, 3, 3, 3, 3, 2, 4, 4}), (std::vector<std::uint32_t>{2, 3, 4, 5, 6, 0, 14, 15}));
}

TEST(BitPackers, FillBytesFromTheirEnd) {
  std::vector<std::uint8_t> low;
  LsbPacker lsb(low);
  lsb.number(0b011, 3);
  lsb.code(0b011, 3);
  lsb.number(0x1ff, 9);
  EXPECT_EQ(low, (std::vector<std::uint8_t>{0b11'110'011, 0b0111'1111}));
  EXPECT_EQ(lsb.written(), 15u);
  std::vector<std::uint8_t> high;
  MsbPacker msb(high);
  msb.number(0b011, 3);
  msb.align();
  msb.number(0x1ff, 9);
  EXPECT_EQ(high, (std::vector<std::uint8_t>{0b0110'0000, 0xff, 0x80}));
}

}  // namespace
}  // namespace sluice::encode
