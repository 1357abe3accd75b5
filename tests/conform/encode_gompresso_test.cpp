// What Gompresso's encoders make of the shared data: it decodes on every target, and independent copies cost no more
// than the paper says.
#include <gtest/gtest.h>

#include "runtime/encode/encoder.h"
#include "tests/conform/subjects.h"
#include "tests/support/data.h"

namespace sluice::test {
namespace {

constexpr const char* kFiles[] = {"raw/text/alice29.txt",      "raw/text/bible.txt",
                                  "raw/text/plrabn12.txt",     "raw/logs/apache_access.log",
                                  "raw/csv/vega_airports.csv", "raw/csv/nycflights13_weather.csv"};
constexpr double kMaxLost = 0.19;  // the paper's section V-B

Bytes encoded(const std::string& codec, const Bytes& in, const char* independent) {
  const encode::Encoder* encoder = encode::find_encoder(codec);
  if (encoder == nullptr) return {};
  encode::Settings settings(encoder->options);
  std::string error;
  EXPECT_TRUE(settings.set("independent", independent, error)) << error;
  auto coded = encoder->encode(in, settings, {});
  EXPECT_TRUE(coded);
  return coded ? std::move(*coded) : Bytes();
}

class GompressoEncoders : public testing::TestWithParam<const char*> {};

TEST_P(GompressoEncoders, LoseLittleToIndependence) {
  const auto root = data_directory();
  if (!root) GTEST_SKIP() << data_missing_reason();
  const Subjects& on = subjects(GetParam(), "");
  ASSERT_TRUE(usable(on));
  for (const char* file : kFiles) {
    SCOPED_TRACE(file);
    const auto in = read_file(*root / file);
    ASSERT_TRUE(in.has_value());
    const Bytes plain = encoded(GetParam(), *in, "0");
    const Bytes independent = encoded(GetParam(), *in, "1");
    ASSERT_FALSE(plain.empty());
    EXPECT_LE(plain.size(), independent.size());
    EXPECT_LE(1 - static_cast<double>(plain.size()) / static_cast<double>(independent.size()), kMaxLost);
    if (in->size() > 1 << 18) continue;  // the interpreter is slow
    for (const Bytes& coded : {plain, independent}) {
      const Decoded decoded = agree(on, coded, in->size(), {}, "exact capacity");
      EXPECT_EQ(error_text(on.codec->module, decoded.outcome.error), "ok");
      EXPECT_EQ(decoded.bytes, *in);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Codecs, GompressoEncoders, testing::Values("gompresso_byte", "gompresso_bit"));

}  // namespace
}  // namespace sluice::test
