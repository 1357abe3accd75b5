// What the encoders for measurements write, the interpreter reads back; and they choose every kind of run.
#include "tests/bench/cuda_codag/orc_encoder.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <set>
#include <string>

#include "compiler/interp/interp.h"
#include "tests/support/random.h"
#include "tests/support/spec.h"

namespace sluice::bench {
namespace {

using Values = std::vector<std::int64_t>;

// Pieces of every shape, one after another.
Values column(std::uint64_t seed, bool is_signed, std::size_t count) {
  test::Random random(seed);
  Values values;
  while (values.size() < count) {
    const unsigned width = 1 + static_cast<unsigned>(random.below(62));
    const std::size_t length = 1 + random.below(700);
    const auto any = [&](unsigned bits) {
      const auto value = static_cast<std::int64_t>(random.next() >> (64 - bits));
      return is_signed && random.below(2) == 0 ? -value : value;
    };
    std::int64_t value = any(width);
    const std::int64_t step = is_signed ? any(9) : static_cast<std::int64_t>(random.below(300));
    const std::uint64_t shape = random.below(6);
    for (std::size_t i = 0; i < length; ++i) {
      switch (shape) {
        case 0: break;                                                                  // equal
        case 1: value = any(width); break;                                              // wild
        case 2: value += step; break;                                                   // arithmetic
        case 3: value += static_cast<std::int64_t>(random.below(40)); break;            // ascending
        case 4: value = random.below(40) == 0 ? any(width) : any(5); break;             // few outliers
        default: value = random.below(3) == 0 ? any(8) : value; break;                  // short runs
      }
      values.push_back(value);
    }
  }
  return values;
}

void expect_back(const std::string& codec, const Values& values, const std::vector<std::uint8_t>& packed, bool is_signed) {
  std::string problem;
  const auto module = test::compile_codec(codec, is_signed ? "T=i64" : "T=u64", false, problem);
  ASSERT_TRUE(module) << problem;
  std::vector<std::uint8_t> out(values.size() * 8);
  const interp::Result result = interp::interpret(*module, {packed, out, values.size(), {}, {}});
  ASSERT_EQ(result.error, 0u);
  ASSERT_EQ(result.produced, values.size());
  EXPECT_EQ(result.consumed, packed.size());
  EXPECT_TRUE(values.empty() || std::memcmp(out.data(), values.data(), out.size()) == 0);
}

TEST(OrcEncoder, WhatVersion1WritesIsReadBack) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed)
    for (const bool is_signed : {false, true}) {
      const Values values = column(seed, is_signed, 5000);
      expect_back("orc_rle_v1", values, encode_orc_rle_v1(values, is_signed), is_signed);
    }
}

TEST(OrcEncoder, WhatVersion2WritesIsReadBack) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed)
    for (const bool is_signed : {false, true}) {
      const Values values = column(seed, is_signed, 5000);
      expect_back("orc_rle_v2", values, encode_orc_rle_v2(values, is_signed), is_signed);
    }
}

TEST(OrcEncoder, BytesAreReadBack) {
  std::string problem;
  const auto module = test::compile_codec("orc_byte_rle", "", false, problem);
  ASSERT_TRUE(module) << problem;
  for (std::uint64_t seed = 0; seed <= 8; ++seed) {
    test::Random random(seed);
    std::vector<std::uint8_t> bytes;
    for (std::uint64_t left = 300 * seed; left > 0; --left)
      bytes.insert(bytes.end(), random.below(3) != 0 ? 1 : random.below(300), static_cast<std::uint8_t>(random.below(5)));
    const auto packed = encode_orc_byte_rle(bytes);
    std::vector<std::uint8_t> out(bytes.size());
    const interp::Result result = interp::interpret(*module, {packed, out, bytes.size(), {}, {}});
    ASSERT_EQ(result.error, 0u);
    EXPECT_EQ(result.consumed, packed.size());
    EXPECT_EQ(out, bytes);
  }
}

TEST(OrcEncoder, ExtremesAreReadBack) {
  const std::int64_t least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
  for (const Values& values : {Values{}, Values{0}, Values{least, most, least, most, 0}, Values{most, most - 1, most - 2, most - 3, most - 4},
                               Values(513, least), Values{least, least, 0, 1, 2, 3}}) {
    expect_back("orc_rle_v1", values, encode_orc_rle_v1(values, true), true);
    expect_back("orc_rle_v2", values, encode_orc_rle_v2(values, true), true);
  }
}

// The kind of a run is the two highest bits of its first byte, and a column of one shape begins with its kind.
TEST(OrcEncoder, Version2ChoosesEveryKindOfRun) {
  const auto kind = [](const Values& values) { return encode_orc_rle_v2(values, true).front() >> 6; };
  EXPECT_EQ(kind(Values(5, 7)), 0);
  Values mixed, sorted, outliers;
  for (int i = 0; i < 200; ++i) {
    mixed.push_back(i * 37 % 101);
    sorted.push_back(i * i);
    outliers.push_back(i % 50 == 7 ? 1 << 20 : 1000 + i * 37 % 101);
  }
  EXPECT_EQ(kind(mixed), 1);
  EXPECT_EQ(kind(outliers), 2);
  EXPECT_EQ(kind(sorted), 3);
  EXPECT_EQ(kind(Values(100, 7)), 3);
}

}  // namespace
}  // namespace sluice::bench
