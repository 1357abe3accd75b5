// Encoders against their codecs: what they make decodes to what they were given, on every target; how small it gets.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "runtime/encode/encoder.h"
#include "tests/conform/subjects.h"
#include "tests/support/data.h"

namespace sluice::test {
namespace {

using encode::Encoder;

// Numbers of a linear congruential generator, the high byte of each masked.
Bytes noise(std::size_t size, std::uint8_t mask) {
  Bytes out;
  std::uint32_t state = 12345;
  for (std::size_t i = 0; i < size; ++i) {
    state = state * 1664525 + 1013904223;
    out.push_back(static_cast<std::uint8_t>(state >> 24) & mask);
  }
  return out;
}

// Words in no order, so that symbols of every length pay.
Bytes words(std::size_t size) {
  constexpr std::string_view kWords[] = {"a ", "the ", "split ", "symbol ", "interleaved ", "code, ", "table; ", "of "};
  Bytes out;
  for (const std::uint8_t pick : noise(size, 7)) out.insert(out.end(), kWords[pick].begin(), kWords[pick].end());
  out.resize(size);
  return out;
}

std::vector<std::pair<std::string, Bytes>> inputs() {
  std::vector<std::pair<std::string, Bytes>> all;
  all.emplace_back("nothing", Bytes());
  all.emplace_back("one byte", Bytes{'x'});
  all.emplace_back("two bytes", Bytes{255, 0});
  all.emplace_back("all alike", Bytes(5000, 'a'));
  all.emplace_back("255 throughout", Bytes(1001, 255));
  all.emplace_back("noise", noise(6000, 255));
  all.emplace_back("four letters", noise(6000, 3));
  all.emplace_back("words", words(9000));
  return all;
}

Bytes encoded(const Encoder& encoder, const Bytes& in, const std::map<std::string, std::string>& set) {
  encode::Settings settings(encoder.options);
  std::string error;
  for (const auto& [name, value] : set) EXPECT_TRUE(settings.set(name, value, error)) << error;
  std::size_t last = 0;
  const auto run = [&] {
    last = 0;
    return encoder.encode(in, settings, [&](std::size_t done) {
      EXPECT_LE(last, done);
      last = done;
    });
  };
  const auto once = run();
  EXPECT_TRUE(once) << once.error().text;
  if (!once) return {};
  EXPECT_EQ(last, in.size()) << "progress ends with the input";
  const auto again = run();
  EXPECT_TRUE(again && *again == *once) << "not deterministic";
  return *once;
}

// `most`: bytes of each input that are used.
void round_trip(const Encoder& encoder, const std::map<std::string, std::string>& set, std::size_t most) {
  const Subjects& on = subjects(std::string(encoder.name), "");
  ASSERT_TRUE(usable(on));
  std::string with(encoder.name);
  for (const auto& [name, value] : set) with += " " + name + "=" + value;
  for (auto& [what, in] : inputs()) {
    in.resize(std::min(in.size(), most));
    SCOPED_TRACE(with + ", " + what);
    const Bytes coded = encoded(encoder, in, set);
    const Decoded decoded = agree(on, coded, in.size(), {}, "exact capacity");
    EXPECT_EQ(error_text(on.codec->module, decoded.outcome.error), "ok");
    EXPECT_EQ(decoded.outcome.consumed, coded.size());
    EXPECT_EQ(decoded.bytes, in);
  }
}

bool has(const Encoder& encoder, std::string_view option) {
  return std::ranges::find(encoder.options, option, &encode::Option::name) != encoder.options.end();
}

TEST(Encoders, RoundTrip) {
  EXPECT_FALSE(encode::encoders().empty());
  for (const Encoder& encoder : encode::encoders()) round_trip(encoder, {}, 1 << 20);
}

// Sizes that leave short blocks, empty splits, splits of one code and a last row that is not full.
TEST(Encoders, RoundTripWithFsstSettings) {
  for (const Encoder& encoder : encode::encoders()) {
    if (!encoder.name.starts_with("fsst") && !encoder.name.starts_with("gsst")) continue;
    round_trip(encoder, {{"block_size", "1"}}, 20);
    for (const auto& [size, most] : {std::pair{"17", 200}, {"999", 2500}}) {
      round_trip(encoder, {{"block_size", size}}, most);
      if (!has(encoder, "splits")) continue;
      for (const char* splits : {"1", "7", "255"})
        round_trip(encoder, {{"block_size", size}, {"splits", splits}}, most);
    }
  }
}

// A block of this size has more codes than the interleaved codecs take; the encoder makes two.
TEST(Encoders, InterleavedBlocksAreHalvedToFit) {
  const Encoder* encoder = encode::find_encoder("gsst_interleaved");
  ASSERT_NE(encoder, nullptr);
  const Bytes in = noise(600'000, 255);
  const Bytes coded = encoded(*encoder, in, {{"block_size", "600000"}});
  const Subjects& on = subjects("gsst_interleaved", "");
  ASSERT_TRUE(usable(on));
  EXPECT_EQ(agree(on, coded, in.size(), {}, "noise").bytes, in);
}

TEST(Encoders, SettingsAreChecked) {
  for (const Encoder& encoder : encode::encoders()) {
    encode::Settings settings(encoder.options);
    std::string error;
    EXPECT_FALSE(settings.set("no_such_option", "1", error));
    EXPECT_NE(error.find("no_such_option"), std::string::npos);
    for (const encode::Option& option : encoder.options) {
      const std::string name = std::string(encoder.name) + "." + std::string(option.name);
      EXPECT_LE(option.least, option.initial) << name;
      EXPECT_LE(option.initial, option.most) << name;
      EXPECT_EQ(settings[option.name], option.initial) << name;
      EXPECT_FALSE(settings.set(option.name, "x", error)) << name;
      EXPECT_FALSE(settings.set(option.name, "", error)) << name;
      EXPECT_FALSE(settings.set(option.name, std::to_string(option.most + 1), error)) << name;
      EXPECT_TRUE(settings.set(option.name, std::to_string(option.most), error)) << name;
      EXPECT_EQ(settings[option.name], option.most) << name;
    }
  }
}

// The reference implementation's ratios, headers included, with 32 splits a block; at most 2 % may be lost.
TEST(Encoders, FsstRatios) {
  const auto root = data_directory();
  if (!root) GTEST_SKIP() << data_missing_reason();
  struct Row {
    const char* file;
    const char* block_size;
    double reference;
  };
  constexpr Row kRows[] = {
      {"raw/tpch/l_comment.txt", "262144", 2.746},
      {"raw/tpch/l_comment.txt", "1048576", 2.789},
      {"raw/text/bible.txt", "262144", 2.136},
      {"raw/logs/apache_access.log", "262144", 2.192},
      {"raw/genome/ecoli_k12_bases.txt", "262144", 2.962},
  };
  const Encoder* encoder = encode::find_encoder("gsst_splits");
  ASSERT_NE(encoder, nullptr);
  for (const Row& row : kRows) {
    const auto in = read_file(*root / row.file);
    ASSERT_TRUE(in.has_value()) << row.file;
    encode::Settings settings(encoder->options);
    std::string error;
    ASSERT_TRUE(settings.set("block_size", row.block_size, error)) << error;
    const auto coded = encoder->encode(*in, settings, [](std::size_t) {});
    ASSERT_TRUE(coded);
    const double ratio = static_cast<double>(in->size()) / static_cast<double>(coded->size());
    EXPECT_GE(ratio, 0.98 * row.reference) << row.file << " in blocks of " << row.block_size;
  }
}

}  // namespace
}  // namespace sluice::test
