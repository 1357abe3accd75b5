// The run-time arguments of ORC's codecs: the number of values of a boolean stream, and the largest chunk.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "runtime/api/sluice.hpp"
#include "tests/support/data.h"
#include "tests/support/files.h"
#include "tests/support/sha256.h"

namespace sluice::test {
namespace {

struct Made {
  Status status;
  Bytes bytes;
  std::string error;
};

// Decodes with one argument set. The buffer is of the counted size, so counting and decoding are compared as well.
Made decode_with(const Decoder& decoder, std::span<const std::uint8_t> in, const std::string& argument, std::uint64_t value) {
  const auto bound = decoder.bind(std::vector<NamedValue>{{argument, value}});
  EXPECT_TRUE(static_cast<bool>(bound));
  Batch batch;
  batch.arguments = *bound;
  const Status size = decoder.decoded_size(in, batch);
  Made made;
  made.bytes.resize(size.produced);
  made.status = decoder.decode({in, made.bytes}, batch);
  EXPECT_EQ(made.status, size);
  if (made.status.error != 0) made.error = decoder.describe(made.status.error, 0);
  return made;
}

class OrcArguments : public testing::TestWithParam<Target> {
 protected:
  static Result<Decoder> decoder(const std::string& codec) {
    Options options;
    options.target = GetParam();
    options.cache = false;
    return Decoder::from_name(codec, options);
  }
};

// Every boolean stream of the data: the values it is said to have, and not the bits that fill up its last byte.
TEST_P(OrcArguments, BooleanStreamsEndWhereTheirValuesDo) {
  const auto root = data_directory();
  if (!root) GTEST_SKIP() << data_missing_reason();
  const auto booleans = decoder("orc_bool_rle");
  if (!booleans) GTEST_SKIP() << booleans.error().text;
  unsigned files = 0;
  for (const auto& row : read_table(*root / "orc" / "streams" / "INDEX.tsv")) {
    if (row.size() < 6 || row[1] != "bool") continue;
    const std::uint64_t values = std::strtoull(row[3].c_str(), nullptr, 10);
    const Bytes in = read_file(*root / row[0]).value_or(Bytes());
    const Made made = decode_with(*booleans, in, "values", values);
    EXPECT_EQ(made.error, "") << row[0];
    EXPECT_EQ(made.status.consumed, in.size()) << row[0];
    EXPECT_EQ(sha256_hex(made.bytes), row[5]) << row[0];

    const Status all = booleans->decoded_size(in);
    EXPECT_EQ(all.error, 0u) << row[0];
    EXPECT_EQ(all.produced, (values + 7) / 8 * 8) << row[0];
    const Made fewer = decode_with(*booleans, in, "values", values / 2);
    EXPECT_EQ(fewer.bytes.size(), values / 2) << row[0];
    EXPECT_TRUE(std::equal(fewer.bytes.begin(), fewer.bytes.end(), made.bytes.begin())) << row[0];
    ++files;
  }
  EXPECT_GT(files, 30u);
}

TEST_P(OrcArguments, NoChunkIsLargerThanABlock) {
  struct Case {
    const char* codec;
    Bytes in;
  };
  // Nine bytes each: a fixed Deflate block "aaaaaaaaa", "abcabcabc" under Snappy and LZ4, nine stored bytes.
  const Case cases[] = {
      {"orc_zlib", {0x0a, 0x00, 0x00, 0x4b, 0x4c, 0x84, 0x02, 0x00}},
      {"orc_snappy", {0x0e, 0x00, 0x00, 9, 2 << 2, 'a', 'b', 'c', 2 << 2 | 1, 3}},
      {"orc_lz4", {0x0e, 0x00, 0x00, 3 << 4 | 2, 'a', 'b', 'c', 3, 0, 0}},
      {"orc_zlib", {0x13, 0x00, 0x00, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.codec);
    const auto chunks = decoder(one.codec);
    if (!chunks) GTEST_SKIP() << chunks.error().text;
    const Made fits = decode_with(*chunks, one.in, "block_size", 9);
    EXPECT_EQ(fits.error, "");
    EXPECT_EQ(fits.bytes.size(), 9u);
    const Made large = decode_with(*chunks, one.in, "block_size", 8);
    EXPECT_NE(large.error.find("block_too_large"), std::string::npos) << large.error;
  }
}

INSTANTIATE_TEST_SUITE_P(Arguments, OrcArguments, testing::Values(Target::Interp, Target::Cpu),
                         [](const auto& test) { return std::string(test.param == Target::Cpu ? "cpu" : "interp"); });

}  // namespace
}  // namespace sluice::test
