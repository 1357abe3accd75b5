// Sizes of tokens that are values: without what their numbers hold (compiler/plan/numbers_apart.h), by two bytes (compiler/plan/two_bytes.h).
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "compiler/plan/two_bytes.h"
#include "tests/unit/records_of.h"

namespace sluice::test {
namespace {

bool apart(const std::string& steps) {
  const plan::Records r = records_of(steps, "", "bytes", "i16[]");
  EXPECT_EQ(r.against, "") << steps;
  return r.values && r.values->apart;
}

TEST(PlanValueSizes, NumbersThatFollowEachOtherAreCounted) {
  const std::string list = "    when n >= 128\n      literals varint(i16)[n - 127]\n    else\n";
  EXPECT_TRUE(apart("    n: u8\n" + list + "      s: i8\n      v: varint(i16)\n      run v, count n, step s\n"));
  EXPECT_TRUE(apart("    n: u8\n" + list + "      v: varint(i16)\n      s: varint(i16)\n      run v, count n, step s\n"));
  EXPECT_TRUE(apart("    n: u8\n" + list + "      v: varint(i16)\n      w = v\n      run w, count n\n"));
  EXPECT_TRUE(apart("    n: u8\n" + list + "      pass\n"));
}

TEST(PlanValueSizes, SizesThatHangOnNumbersAreNotApart) {
  const std::string list = "    when n >= 128\n      literals varint(i16)[n - 127]\n    else\n";
  EXPECT_FALSE(apart("    n: varint(u16)\n    literals varint(i16)[n + 1]\n")) << "a number says how many follow";
  EXPECT_FALSE(apart("    n: varint(u16)\n    m = n & 7\n    literals varint(i16)[m + 1]\n")) << "and what is made of it";
  EXPECT_FALSE(apart("    n: u8\n" + list + "      v: varint(i16)\n      s: i8\n      run v, count n, step s\n")) << "a field behind one";
  EXPECT_FALSE(apart("    n: u8\n" + list + "      v: varint(i16)\n      when v > 9\n        s: i8\n        run s, count n\n      else\n        pass\n")) << "a way that one chooses";
  EXPECT_FALSE(apart("    n: u8\n" + list + "      v: varint(i16)\n      require v > -9 else reject low\n      run v, count n\n")) << "a test of one";
  EXPECT_FALSE(apart("    n: u8\n" + list + "      v: varint(i16)\n      x: u8\n      w: varint(i8)\n      run v, count n, step w\n")) << "two that stand apart";
}

// What an entry says of a second byte: bytes, values, and where numbers stand, and how many. None: nothing.
struct Told {
  std::uint32_t bytes = 0, values = 0, numbers = 0, before = 0;
  bool operator==(const Told&) const = default;
};
std::optional<Told> told_by(std::uint64_t entry, std::uint32_t second) {
  const auto amount = [&](std::uint32_t word, std::uint32_t mask) { return (static_cast<std::int32_t>(word) >> 16) + std::int64_t{word & mask} * second; };
  const auto size = static_cast<std::uint32_t>(entry);
  const std::int64_t bits = amount(size, 0xff), values = amount(static_cast<std::uint32_t>(entry >> 32), 0xffff);
  if (bits < 0) return std::nullopt;
  return Told{static_cast<std::uint32_t>(bits / 8), static_cast<std::uint32_t>(values), size >> 8 & 15, size >> 12 & 15};
}

std::vector<std::uint64_t> two_bytes_of(const std::string& steps, const std::string& head, const std::string& input, const std::string& output = "u8[]") {
  const plan::Records r = records_of(steps, head, input, output);
  EXPECT_EQ(r.against, "") << steps;
  EXPECT_TRUE(r.values) << steps;
  return r.values ? r.values->two_bytes : std::vector<std::uint64_t>();
}

const std::string kTable = "  table width: u7 = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 26, 28, 30, 32, 40, 48, 56, 64]\n";
// ORC's RLE v2, but for its third kind, which is a byte and a field as long as that says.
const std::string kTokens =
    "    kind: u2\n"
    "    when kind == 0\n"
    "      less: u3\n      more: u3\n      v: uint(8 * (less + 1))\n      run v as u8, count more + 3\n"
    "    else\n"
    "      code: u5\n      n: u9\n"
    "      when kind == 1\n"
    "        repeat n + 1 times\n          f: uint(width[code])\n          emit f as u8\n"
    "      else\n"
    "        when kind == 2\n"
    "          far: u8\n          x: uint(far % 33)\n          run x as u8, count n\n"
    "        else\n"
    "          first: varint(u64)\n          step: varint(i64)\n"
    "          when code == 0\n"
    "            run first as u8, count n + 1\n"
    "          else\n"
    "            require n >= 1 else reject short\n"
    "            repeat n - 1 times\n              o: uint(width[code])\n              emit o as u8\n"
    "    align\n";

TEST(PlanValueSizes, TwoBytesTellAllButWhatAThirdOneSays) {
  const auto entries = two_bytes_of(kTokens, kTable, "bits msb");
  ASSERT_EQ(entries.size(), 256u);
  constexpr std::array<std::uint32_t, 32> kWidths{1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
                                                  17, 18, 19, 20, 21, 22, 23, 24, 26, 28, 30, 32, 40, 48, 56, 64};
  for (std::uint32_t first = 0; first < 256; ++first) {
    const std::uint32_t kind = first >> 6, width = kWidths[first >> 1 & 31];
    const bool short_list = kind == 3 && (first >> 1 & 31) != 0;
    if (kind == 2) {
      EXPECT_EQ(entries[first], plan::kNotTold) << first;
    }
    for (std::uint32_t second = 0; kind != 2 && second < 256; ++second) {
      const std::uint32_t n = (first & 1) << 8 | second;
      if (short_list && (n == 0 || entries[first] == plan::kNotTold)) continue;
      const std::uint32_t fields = kind == 1 ? n + 1 : short_list ? n - 1 : 0;
      const std::uint32_t numbers = kind == 3 ? 2 : 0, values = short_list ? n - 1 : n + 1;
      const Told expected = kind == 0 ? Told{2 + (first >> 3 & 7), (first & 7) + 3, 0, 0} : Told{2 + numbers + (fields * width + 7) / 8, values, numbers, numbers};
      EXPECT_EQ(told_by(entries[first], second), expected) << first << " " << second;
    }
  }
  // Where a list of less than nothing would make a token of no bytes it is not told: of 24 bits a field on, and fewer than 256.
  EXPECT_NE(entries[0xc0 | 22 << 1], plan::kNotTold);
  EXPECT_EQ(entries[0xc0 | 23 << 1], plan::kNotTold);
  EXPECT_NE(entries[0xc1 | 23 << 1], plan::kNotTold);
}

TEST(PlanValueSizes, NoTableWhereTwoBytesTellLittle) {
  EXPECT_TRUE(two_bytes_of(kTokens, kTable, "bits msb", "u32[]").empty()) << "numbers of longer elements have more bytes";
  const std::string third = "    n: u8\n    m: u8\n    w: u5\n    repeat n times\n      f: uint(w + 1)\n      emit f as u8\n    align\n";
  EXPECT_TRUE(two_bytes_of(third, "", "bits msb").empty());
  // The second byte is how many bits there are, or how many fields; not both.
  const std::string both = "    n: u8\n    repeat n times\n      f: uint(n % 8 + 1)\n      emit f as u8\n    align\n";
  const auto entries = two_bytes_of(both, "", "bits msb");
  ASSERT_EQ(entries.size(), 256u);
  for (std::uint32_t first = 0; first < 256; ++first) EXPECT_EQ(told_by(entries[first], 77), (Told{1 + (first * (first % 8 + 1) + 7) / 8, first, 0, 0})) << first;
  const std::string product = "    n: u8\n    w: u8\n    repeat w times\n      f: uint(w % 8 + 1)\n      emit f as u8\n    align\n";
  EXPECT_TRUE(two_bytes_of(product, "", "bits msb").empty());
}

// First bits lowest: a field of both bytes has the second one's above the first one's.
TEST(PlanValueSizes, TwoBytesInEitherOrder) {
  const std::string steps = "    w: u7\n    n: u9\n    repeat n times\n      f: uint((w & 31) + 1)\n      emit f as u8\n    align\n";
  const auto entries = two_bytes_of(steps, "", "bits lsb");
  ASSERT_EQ(entries.size(), 256u);
  for (std::uint32_t first = 0; first < 256; ++first)
    for (std::uint32_t second = 0; second < 256; ++second) {
      const std::uint32_t n = second << 1 | first >> 7, width = (first & 31) + 1;
      EXPECT_EQ(told_by(entries[first], second), (Told{2 + (n * width + 7) / 8, n, 0, 0})) << first << " " << second;
    }
}

}  // namespace
}  // namespace sluice::test
