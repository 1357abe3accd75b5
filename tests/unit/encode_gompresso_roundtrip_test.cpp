// What the encoders of Gompresso and of Patel's container make decodes to what went in, whatever the settings.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "runtime/api/sluice.hpp"
#include "runtime/encode/encoder.h"
#include "tests/support/nesting.h"

namespace sluice::encode {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Sets = std::vector<std::pair<std::string, std::string>>;

struct Case {
  std::string codec;
  Sets sets;
};

void PrintTo(const Case& item, std::ostream* stream) {
  *stream << item.codec;
  for (const auto& [name, value] : item.sets) *stream << " " << name << "=" << value;
}

Bytes noise(std::size_t size, unsigned letters) {
  Bytes out;
  std::uint32_t state = 11;
  for (std::size_t i = 0; i < size; ++i) {
    state = state * 1664525 + 1013904223;
    out.push_back(static_cast<std::uint8_t>((state >> 16) % letters));
  }
  return out;
}

Bytes joined(const Bytes& a, const Bytes& b) {
  Bytes all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

std::vector<Bytes> inputs() {
  const Bytes random = noise(3000, 256);
  return {{},
          {42},
          Bytes(3, 7),
          Bytes(20000, 0),
          random,
          joined(random, random),
          noise(9000, 2),
          test::nested_data(9000, 16),
          joined(joined(noise(2000, 5), Bytes(5000, 255)), noise(2000, 40))};
}

class Roundtrip : public testing::TestWithParam<Case> {};

TEST_P(Roundtrip, GivesTheInputBack) {
  const Encoder* encoder = find_encoder(GetParam().codec);
  ASSERT_NE(encoder, nullptr);
  Settings settings(encoder->options);
  Options how;
  how.target = Target::Interp;
  for (const auto& [name, value] : GetParam().sets) {
    std::string error;
    ASSERT_TRUE(settings.set(name, value, error)) << error;
    const auto option = std::ranges::find(encoder->options, name, &Option::name);
    if (option->decoder_too) how.set.push_back({name, value});
  }
  const auto decoder = Decoder::from_name(GetParam().codec, how);
  ASSERT_TRUE(decoder) << decoder.error().text;
  for (const Bytes& in : inputs()) {
    std::size_t last = 0;
    const auto coded = encoder->encode(in, settings, [&](std::size_t done) {
      EXPECT_GE(done, last);
      last = done;
    });
    ASSERT_TRUE(coded) << coded.error().text;
    EXPECT_EQ(last, in.size());
    Bytes out(in.size());
    const Status status = decoder->decode({*coded, out});
    ASSERT_EQ(decoder->describe(status.error, 0), "");
    ASSERT_EQ(status.produced, in.size());
    ASSERT_EQ(status.consumed, coded->size());
    ASSERT_EQ(out, in);
    const auto again = encoder->encode(in, settings, {});
    ASSERT_TRUE(again);
    ASSERT_EQ(*again, *coded) << "another output for the same input";
  }
}

const Case kCases[] = {
    {"gompresso_byte", {}},
    {"gompresso_byte", {{"independent", "1"}}},
    {"gompresso_byte", {{"block_size", "1000"}, {"window", "100"}, {"look_ahead", "4"}}},
    {"gompresso_byte",
     {{"window", "32768"}, {"look_ahead", "65535"}, {"independent", "1"}, {"staleness", "0"}, {"chain", "1"}}},
    {"gompresso_bit", {}},
    {"gompresso_bit", {{"independent", "1"}}},
    {"gompresso_bit", {{"block_size", "777"}, {"window", "1"}, {"look_ahead", "3"}}},
    {"gompresso_bit", {{"window", "32768"}, {"look_ahead", "258"}, {"max_bits", "15"}, {"sub_block", "1"}}},
    {"gompresso_bit", {{"max_bits", "9"}, {"sub_block", "32"}, {"independent", "1"}}},
    {"patel", {}},
    {"patel", {{"block_size", "1"}}},
    {"patel", {{"block_size", "4097"}}},
};

INSTANTIATE_TEST_SUITE_P(Encoders, Roundtrip, testing::ValuesIn(kCases));

TEST(GompressoEncoders, RefuseSettingsThatDoNotGoTogether) {
  const Encoder* bit = find_encoder("gompresso_bit");
  ASSERT_NE(bit, nullptr);
  Settings settings(bit->options);
  std::string error;
  ASSERT_TRUE(settings.set("sub_block", "1", error));
  const auto coded = bit->encode(Bytes(200000, 0), settings, {});
  ASSERT_FALSE(coded);
  EXPECT_NE(coded.error().text.find("sub-blocks"), std::string::npos);
}

}  // namespace
}  // namespace sluice::encode
