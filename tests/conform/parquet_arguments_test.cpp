// The run-time arguments of Parquet's encodings: of runs and bit-packed numbers the width and how many values there are, of bytes
// that stand apart the size of a value, of plain values both.
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

// What a codec makes of a page with these arguments, in its own words, and with how many bytes read.
struct Made {
  std::string verdict;
  Bytes bytes;
  std::uint64_t consumed = 0;
};

Made made_of(const std::string& name, const std::vector<std::pair<std::string, std::uint64_t>>& arguments,
             std::span<const std::uint8_t> in) {
  const Given given(name, arguments);
  if (!usable(given.on)) return {"not usable", {}};
  const Outcome counted = agree_count(given.on, in, {}, "size unknown");
  const Decoded decoded = agree(given.on, in, counted.produced, {}, "exact capacity");
  if (counted.error == 0 && decoded.outcome.produced > 0) {
    EXPECT_NE(agree(given.on, in, counted.produced - 1, {}, "one element short").outcome.error, 0u);
  }
  return {error_text(given.codec.module, counted.error), decoded.bytes, decoded.outcome.consumed};
}

TEST(ParquetArguments, PlainValuesOfEverySize) {
  constexpr std::uint64_t kWidest = 0xffffffff;
  std::mt19937_64 random(4);
  for (const unsigned size : {1u, 2u, 4u, 8u, 12u, 16u, 300u}) {
    for (const unsigned count : {0u, 1u, 2u, 31u, 500u}) {
      SCOPED_TRACE(std::to_string(count) + " values of " + std::to_string(size) + " bytes");
      Bytes page(std::size_t{size} * count);
      for (std::uint8_t& byte : page) byte = static_cast<std::uint8_t>(random());
      const Bytes values = page;
      for (const std::uint64_t told : {std::uint64_t{count}, kToTheEnd}) {
        const Made made = made_of("parquet_plain", {{"size", size}, {"values", told}}, page);
        EXPECT_EQ(made.verdict, "ok");
        EXPECT_TRUE(made.bytes == values);
        EXPECT_EQ(made.consumed, page.size());
      }
      const Made more = made_of("parquet_plain", {{"size", size}, {"values", count + 1}}, page);
      EXPECT_EQ(more.verdict, "end_of_input " + std::to_string(8 * page.size()));
      page.push_back(1);
      EXPECT_EQ(made_of("parquet_plain", {{"size", size}}, page).verdict, size == 1 ? "ok" : "value_cut 0");
      const Made less = made_of("parquet_plain", {{"size", size}, {"values", count}}, page);
      EXPECT_EQ(less.verdict, "ok");
      EXPECT_TRUE(less.bytes == values);
      EXPECT_EQ(less.consumed, values.size());
    }
  }
  const Bytes eight(8, 1);
  EXPECT_EQ(made_of("parquet_plain", {{"size", 0}}, eight).verdict, "divide_by_zero 0");
  EXPECT_EQ(made_of("parquet_plain", {{"size", kWidest}, {"values", 0}}, eight).verdict, "ok");
  EXPECT_EQ(made_of("parquet_plain", {{"size", kWidest}}, eight).verdict, "value_cut 0");
  EXPECT_EQ(made_of("parquet_plain", {{"size", kWidest}, {"values", kToTheEnd - 1}}, eight).verdict, "end_of_input 64");
  // As many as would wrap to nothing, or to what is there.
  for (const std::uint64_t more : {0, 2})
    EXPECT_EQ(made_of("parquet_plain", {{"size", 4}, {"values", (std::uint64_t{1} << 62) + more}}, eight).verdict, "end_of_input 64");
}

TEST(ParquetArguments, PlainBooleans) {
  std::mt19937_64 random(5);
  for (const unsigned count : {0u, 1u, 7u, 8u, 9u, 64u, 1001u}) {
    SCOPED_TRACE(std::to_string(count) + " values");
    Bytes page((count + 7) / 8), values;
    for (std::uint8_t& byte : page) byte = static_cast<std::uint8_t>(random());
    for (unsigned i = 0; i < count; ++i) values.push_back(page[i / 8] >> (i % 8) & 1);
    const std::size_t size = page.size();
    EXPECT_EQ(made_of("parquet_plain_booleans", {}, page).bytes.size(), 8 * size);
    if (count > 0) {
      EXPECT_EQ(made_of("parquet_plain_booleans", {{"values", count}}, std::span(page).first(size - 1)).verdict,
                "end_of_input " + std::to_string(8 * (size - 1)));
    }
    page.push_back(0xff);
    const Made made = made_of("parquet_plain_booleans", {{"values", count}}, page);
    EXPECT_EQ(made.verdict, "ok");
    EXPECT_TRUE(made.bytes == values);
    EXPECT_EQ(made.consumed, size);
  }
  EXPECT_EQ(made_of("parquet_plain_booleans", {{"values", kToTheEnd - 1}}, Bytes{0xff}).verdict, "end_of_input 8");
}

// A page cut at every byte: whole strings before the cut are all there is.
TEST(ParquetArguments, PlainStrings) {
  constexpr unsigned kLongest = 40;
  std::mt19937_64 random(6);
  Bytes page, strings, lengths;
  struct End {
    std::size_t page, strings;
  };
  std::vector<End> ends{{0, 0}};
  for (unsigned i = 0; i < kLongest; ++i) {
    const auto length = static_cast<std::uint8_t>(random() % 3 == 0 ? 0 : random() % kLongest);
    for (Bytes* sizes : {&page, &lengths}) sizes->insert(sizes->end(), {length, 0, 0, 0});
    for (unsigned k = 0; k < length; ++k) {
      const auto byte = static_cast<std::uint8_t>(random() % 5);
      page.push_back(byte);
      strings.push_back(byte);
    }
    ends.push_back({page.size(), strings.size()});
  }
  std::size_t whole = 0;  // strings
  for (std::size_t size = 0; size <= page.size(); ++size) {
    SCOPED_TRACE(std::to_string(size) + " bytes of the page");
    if (whole + 1 < ends.size() && ends[whole + 1].page <= size) ++whole;
    const auto cut = std::span(page).first(size);
    const Bytes right_strings(strings.begin(), strings.begin() + static_cast<std::ptrdiff_t>(ends[whole].strings));
    const Bytes right_lengths(lengths.begin(), lengths.begin() + static_cast<std::ptrdiff_t>(4 * whole));
    const bool at_end = ends[whole].page == size;
    for (const auto& [name, right] : {std::pair("parquet_plain_strings", &right_strings), std::pair("parquet_plain_lengths", &right_lengths)}) {
      SCOPED_TRACE(name);
      const Made all = made_of(name, {}, cut), counted = made_of(name, {{"values", whole}}, cut);
      EXPECT_EQ(all.verdict == "ok", at_end);
      if (at_end) {
        EXPECT_TRUE(all.bytes == *right);
      }
      EXPECT_EQ(counted.verdict, "ok");
      EXPECT_TRUE(counted.bytes == *right);
      EXPECT_EQ(counted.consumed, ends[whole].page);
      const Made more = made_of(name, {{"values", whole + 1}}, cut);
      EXPECT_TRUE(more.verdict.starts_with("end_of_input")) << more.verdict;
      if (!at_end) {
        EXPECT_EQ(more.verdict, all.verdict);
      }
    }
  }
  for (const char* name : {"parquet_plain_strings", "parquet_plain_lengths"}) {
    EXPECT_EQ(made_of(name, {{"values", 0}}, Bytes{0xff}).verdict, "ok");
    EXPECT_EQ(made_of(name, {{"values", kToTheEnd - 1}}, {}).verdict, "end_of_input 0");
  }
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
