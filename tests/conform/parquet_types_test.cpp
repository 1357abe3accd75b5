// Parquet's integer encodings for every element type and layout, against encoders of our own.
#include <gtest/gtest.h>

#include <random>

#include "tests/conform/subjects.h"
#include "tests/support/parquet.h"

namespace sluice::test {
namespace {

struct Layout {
  const char* type;  // of an element
  unsigned element_bits;
  DeltaLayout delta;
};

void PrintTo(const Layout& layout, std::ostream* stream) {
  *stream << layout.type << " in blocks of " << layout.delta.block_size << " by " << layout.delta.miniblocks;
}

class ParquetTypes : public testing::TestWithParam<Layout> {};

// Steps of every size, one size a stretch; sums wrap.
std::vector<std::uint64_t> stretches(std::size_t count, unsigned bits) {
  std::mt19937_64 random(count + bits);
  std::vector<std::uint64_t> values;
  std::uint64_t value = random();
  while (values.size() < count) {
    const auto unused = static_cast<unsigned>(64 - bits + random() % bits);
    for (std::uint64_t n = 1 + random() % 90; n > 0 && values.size() < count; --n) {
      values.push_back(value);
      value += random() >> unused;
    }
  }
  return values;
}

Bytes elements_of(std::span<const std::uint64_t> values, unsigned bits) {
  Bytes out;
  for (const std::uint64_t value : values)
    for (unsigned i = 0; i < bits / 8; ++i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  return out;
}

TEST_P(ParquetTypes, Deltas) {
  const Layout& layout = GetParam();
  const std::string set = std::string(layout.type) == "i64" ? "" : std::string("T=") + layout.type;
  const Subjects& on = subjects("parquet_delta", set);
  ASSERT_TRUE(usable(on));
  for (const std::size_t count : {0u, 1u, 2u, 33u, 128u, 129u, 1000u, 5000u}) {
    const auto values = stretches(count, layout.delta.bits);
    const Bytes in = encode_delta(values, layout.delta);
    const Decoded decoded = agree(on, in, count, {}, "exact capacity");
    EXPECT_EQ(error_text(on.codec->module, decoded.outcome.error), "ok");
    EXPECT_EQ(decoded.outcome.consumed, in.size());
    EXPECT_TRUE(decoded.bytes == elements_of(values, layout.element_bits)) << count;
    EXPECT_EQ(agree_count(on, in, {}, "size unknown").produced, count);
    if (count == 0) continue;
    EXPECT_NE(agree(on, in, count - 1, {}, "one element short").outcome.error, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, ParquetTypes,
    testing::Values(Layout{"i64", 64, {64, 128, 4, 0}}, Layout{"i64", 64, {64, 256, 1, 3}}, Layout{"i64", 64, {64, 2048, 8, 0}},
                    Layout{"i64", 64, {64, 8192, 256, 0}}, Layout{"i32", 32, {32, 128, 4, 0}}, Layout{"i32", 32, {32, 384, 4, 2}},
                    Layout{"u16", 16, {32, 128, 2, 0}}),
    [](const auto& test) {
      return std::string(test.param.type) + "_" + std::to_string(test.param.delta.block_size) + "_" +
             std::to_string(test.param.delta.miniblocks);
    });

}  // namespace
}  // namespace sluice::test
