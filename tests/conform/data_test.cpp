// The shared test data, file by file: the stated hash or a refusal, on every target.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "compiler/ir/error_text.h"
#include "tests/conform/subjects.h"
#include "tests/support/control.h"
#include "tests/support/data.h"
#include "tests/support/sha256.h"

namespace sluice::test {

void PrintTo(const DataCase& item, std::ostream* stream) { *stream << item.name; }

namespace {

// Room for what a refused file may make before it is refused; all of them make less.
constexpr std::uint64_t kRoom = 1 << 20;

class Data : public testing::TestWithParam<DataCase> {};

std::string reason(const Codec& codec, std::uint64_t error) {
  if (error == ir::kNoRoom) return "no_room";
  const ir::Site* site = site_of(codec.module, error);
  return site != nullptr ? site->name : "";
}

void expect_output(const DataCase& item, const Subjects& on, const Bytes& in) {
  const std::uint64_t elements = item.expected_bytes / on.codec->element_bytes();
  const Decoded decoded = agree(on, in, elements, {}, "exact capacity");
  EXPECT_EQ(error_text(on.codec->module, decoded.outcome.error), "ok");
  EXPECT_EQ(decoded.outcome.produced, elements);
  EXPECT_EQ(decoded.outcome.consumed, in.size());
  EXPECT_EQ(sha256_hex(decoded.bytes), item.expected_sha256);

  const Outcome counted = agree_count(on, in, {}, "size unknown");
  EXPECT_EQ(counted.error, 0u);
  EXPECT_EQ(counted.produced, elements);

  if (elements == 0) return;
  const Decoded small = agree(on, in, elements - 1, {}, "one element short");
  EXPECT_EQ(reason(*on.codec, small.outcome.error), "no_room");
  EXPECT_TRUE(std::equal(small.bytes.begin(), small.bytes.end(), decoded.bytes.begin())) << "made other bytes before";
}

TEST_P(Data, DecodesAsStated) {
  const DataCase& item = GetParam();
  SCOPED_TRACE(item.name + ": " + item.exercises);
  const Subjects& on = subjects(item.codec, item.set);
  ASSERT_TRUE(usable(on));
  const auto in = read_file(item.path);
  ASSERT_TRUE(in.has_value()) << "cannot read " << item.name;

  if (item.expect == Expect::Output) return expect_output(item, on, *in);
  const Decoded decoded = agree(on, *in, item.expected_bytes + kRoom, {}, "refused");
  EXPECT_NE(decoded.outcome.error, 0u);
  EXPECT_NE(reason(*on.codec, decoded.outcome.error), "no_room");
  if (item.expect == Expect::Unfinished) {
    EXPECT_EQ(reason(*on.codec, decoded.outcome.error), "end_of_input");
    EXPECT_EQ(decoded.outcome.produced, item.expected_bytes);
    EXPECT_EQ(sha256_hex(decoded.bytes), item.expected_sha256);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Data, testing::ValuesIn(data_cases()),
                         [](const auto& test) { return test_name(test.param.name); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Data);

// Says why when there is nothing to instantiate the tests above with.
TEST(DataDirectory, IsThere) {
  if (!data_directory()) GTEST_SKIP() << data_missing_reason();
  EXPECT_GT(data_cases().size(), 100u);
}

// Refused by libzstd from 1.5.5 on alone: an offset of zero, bits that no sequence takes (codecs/zstd/policies.tsv).
bool newer_libraries_refuse(std::string_view name) {
  return name == "corrupt/zstd/golden_off0.bin.zst" || name == "corrupt/zstd/bad_76671405460bb57ffd4a0079e8d380748e6c0697.zst";
}

// The controls themselves read all of it as stated: a wrong wrapper would prove nothing in the mutation tests.
TEST(DataDirectory, ControlsAgreeWithTheManifest) {
  if (!data_directory()) GTEST_SKIP() << data_missing_reason();
  for (const DataCase& item : data_cases()) {
    const auto in = read_file(item.path);
    ASSERT_TRUE(in.has_value()) << item.name;
    const ControlRequest request{*in, item.expected_bytes + kRoom, {}, ignores_garbage(item.codec, "")};
    for (const auto& result : {control(item.codec, request), second_control(item.codec, request)}) {
      if (!result || newer_libraries_refuse(item.name)) continue;
      // The manifest says of this one that liblz4 reads what the format forbids.
      const bool expected = item.expect == Expect::Output || item.name == "corrupt/lz4/handmade_offset-zero.lz4block";
      EXPECT_EQ(result->verdict == Verdict::Accepted, expected) << item.name << " " << result->message;
      if (item.expect == Expect::Output) {
        EXPECT_EQ(sha256_hex(result->out), item.expected_sha256) << item.name;
      }
    }
  }
}

}  // namespace
}  // namespace sluice::test
