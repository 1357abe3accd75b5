// The run-time arguments of Parquet's encodings: of runs and bit-packed numbers the width and how many values there are, of bytes
// that stand apart the size of a value.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "tests/conform/subjects.h"
#include "tests/support/data.h"
#include "tests/support/parquet.h"
#include "tests/support/sha256.h"

namespace sluice::test {
namespace {

constexpr std::uint64_t kToTheEnd = ~std::uint64_t{0};

// The targets that take arguments from the module: the interpreter, and the code that was generated at build time.
struct Given {
  Given(const std::string& name, const std::vector<std::pair<std::string, std::uint64_t>>& arguments)
      : codec(with_arguments(name, "", arguments)) {
    on.codec = &codec;
    if (!codec.problem.empty()) return;
    on.all.push_back(interpreter(codec));
    if (auto linked = ahead_of_time(codec)) on.all.push_back(std::move(linked));
  }
  Codec codec;
  Subjects on;
};

std::string verdict(const std::string& name, unsigned width, std::uint64_t values, std::span<const std::uint8_t> in,
                    Bytes* bytes = nullptr) {
  const Given given(name, {{"width", width}, {"values", values}});
  if (!usable(given.on)) return "not usable";
  const Outcome counted = agree_count(given.on, in, {}, "size unknown");
  const Decoded decoded = agree(given.on, in, counted.produced, {}, "exact capacity");
  if (counted.error == 0 && decoded.outcome.produced > 0) {
    EXPECT_NE(agree(given.on, in, counted.produced - 1, {}, "one element short").outcome.error, 0u);
  }
  if (bytes != nullptr) *bytes = decoded.bytes;
  return error_text(given.codec.module, counted.error);
}

// Stretches of equal and of different values, of every width.
std::vector<std::uint64_t> stretches(unsigned width, std::size_t count) {
  std::mt19937_64 random(width + 100);
  const std::uint64_t mask = width == 0 ? 0 : ~std::uint64_t{0} >> (64 - width);
  std::vector<std::uint64_t> values;
  while (values.size() < count) {
    const std::uint64_t value = random() & mask, n = 1 + random() % 40;
    const bool equal = random() % 2 == 0;
    for (std::uint64_t i = 0; i < n && values.size() < count; ++i) values.push_back(equal ? value : random() & mask);
  }
  return values;
}

TEST(ParquetArguments, EveryWidth) {
  for (unsigned width = 0; width <= 32; ++width) {
    for (const std::size_t count : {1u, 7u, 8u, 300u}) {
      SCOPED_TRACE(std::to_string(count) + " values of " + std::to_string(width) + " bits");
      const auto values = stretches(width, count);
      Bytes right, made;
      for (const std::uint64_t value : values)
        for (unsigned i = 0; i < 4; ++i) right.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
      Bytes in = encode_hybrid(values, width, 1 + width % 5);
      EXPECT_EQ(verdict("parquet_rle", width, count, in, &made), "ok");
      EXPECT_TRUE(made == right);
      // What stands behind the last value is left, and without a number of values the padding counts as such.
      in.push_back(0xff);
      EXPECT_EQ(verdict("parquet_rle", width, count, in, &made), "ok");
      EXPECT_TRUE(made == right);
      in.pop_back();
      EXPECT_EQ(verdict("parquet_rle", width, kToTheEnd, in, &made), "ok");
      ASSERT_GE(made.size(), right.size());
      EXPECT_LT(made.size(), right.size() + 8 * 4);
      made.resize(right.size());
      EXPECT_TRUE(made == right);
      EXPECT_NE(verdict("parquet_rle", width, made.size() / 4 + 8, in), "ok");
    }
  }
}

TEST(ParquetArguments, EndsAreJudgedAsByArrow) {
  const Bytes group = {0x03, 0x88, 0xc6, 0xfa}, two = {0x05, 0x88, 0xc6, 0xfa, 0x88, 0xc6, 0xfa};
  EXPECT_EQ(verdict("parquet_rle", 33, 1, group), "bad_width 0");
  EXPECT_EQ(verdict("parquet_rle", 3, 8, group), "ok");
  EXPECT_EQ(verdict("parquet_rle", 3, 9, group), "end_of_input 32");
  EXPECT_EQ(verdict("parquet_rle", 3, 0, {}), "ok");
  EXPECT_EQ(verdict("parquet_rle", 99, 0, group), "ok");
  EXPECT_EQ(verdict("parquet_rle", 3, 1, {}), "end_of_input 0");
  // Bytes of the last group may be missing, as far as no value needs them; not a whole group.
  EXPECT_EQ(verdict("parquet_rle", 3, 5, std::span(group).first(3)), "ok");
  EXPECT_EQ(verdict("parquet_rle", 3, 6, std::span(group).first(3)), "end_of_input 23");
  EXPECT_EQ(verdict("parquet_rle", 3, 2, std::span(two).first(5)), "ok");
  EXPECT_EQ(verdict("parquet_rle", 3, 2, std::span(two).first(4)), "end_of_input 16");
  EXPECT_EQ(verdict("parquet_rle", 3, 8, std::span(two).first(4)), "end_of_input 32");
  EXPECT_EQ(verdict("parquet_rle", 3, kToTheEnd, std::span(two).first(5)), "end_of_input 38");
  // A run may be longer than what is wanted of it.
  Bytes made;
  EXPECT_EQ(verdict("parquet_rle", 3, 2, Bytes{0x60, 0x05}, &made), "ok");
  EXPECT_EQ(made, (Bytes{5, 0, 0, 0, 5, 0, 0, 0}));
  EXPECT_EQ(verdict("parquet_levels", 2, 3, Bytes{2, 0, 0, 0, 0x06, 0x02, 0xff}, &made), "ok");
  EXPECT_EQ(made, (Bytes{2, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0}));
  EXPECT_EQ(verdict("parquet_levels", 2, 4, Bytes{2, 0, 0, 0, 0x06, 0x02, 0xff}), "end_of_input 48");
}

TEST(ParquetArguments, BytesOfEverySize) {
  std::mt19937_64 random(3);
  for (const unsigned size : {1u, 2u, 3u, 4u, 7u, 8u, 12u, 16u, 255u}) {
    const Given given("parquet_byte_stream_split", {{"size", size}});
    ASSERT_TRUE(usable(given.on));
    for (const unsigned count : {0u, 1u, 2u, 31u, 1000u}) {
      SCOPED_TRACE(std::to_string(count) + " values of " + std::to_string(size) + " bytes");
      Bytes elements(std::size_t{size} * count);
      for (std::uint8_t& byte : elements) byte = static_cast<std::uint8_t>(random());
      Bytes in = split_bytes(elements, size);
      const Decoded decoded = agree(given.on, in, elements.size(), {}, "exact capacity");
      EXPECT_EQ(error_text(given.codec.module, decoded.outcome.error), "ok");
      EXPECT_TRUE(decoded.bytes == elements);
      if (count == 0) continue;
      EXPECT_NE(agree(given.on, in, elements.size() - 1, {}, "one byte short").outcome.error, 0u);
      in.push_back(1);
      const Decoded more = agree(given.on, in, elements.size() + 1, {}, "a byte more");
      EXPECT_EQ(error_text(given.codec.module, more.outcome.error), size == 1 ? "ok" : "value_cut 0");
    }
  }
  const Given none("parquet_byte_stream_split", {{"size", 0}});
  EXPECT_EQ(error_text(none.codec.module, agree(none.on, Bytes(8), 8, {}, "no size").outcome.error), "divide_by_zero 0");
}

// The runs of real files: levels of pages, and indices without the width in front.
TEST(ParquetArguments, RunsOfFiles) {
  const auto root = data_directory();
  if (!root) GTEST_SKIP() << data_missing_reason();
  unsigned files = 0;
  for (const auto& row : read_table(*root / "parquet" / "streams" / "INDEX.tsv")) {
    if (row.size() < 6 || row[1] != "rle_bp") continue;
    SCOPED_TRACE(row[0]);
    const auto width = static_cast<unsigned>(std::strtoul(row[2].c_str(), nullptr, 10));
    Bytes made;
    EXPECT_EQ(verdict("parquet_rle", width, std::strtoull(row[3].c_str(), nullptr, 10), read_file(*root / row[0]).value_or(Bytes()), &made), "ok");
    EXPECT_EQ(sha256_hex(made), row[5]);
    ++files;
  }
  EXPECT_GT(files, 100u);
}

}  // namespace
}  // namespace sluice::test
