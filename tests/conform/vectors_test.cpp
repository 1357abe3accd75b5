// The vectors of codecs/*/vectors: exact output, or the exact reason and bit position, on every target.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "tests/conform/subjects.h"
#include "tests/support/vectors.h"

namespace sluice::test {

void PrintTo(const Vector& item, std::ostream* stream) { *stream << item.codec << "/" << item.name; }

namespace {

constexpr std::uint64_t kRoom = 1 << 17;  // elements; no vector makes as many

class Vectors : public testing::TestWithParam<Vector> {};

TEST_P(Vectors, DecodesAsStated) {
  const Vector& item = GetParam();
  ASSERT_NE(item.out.has_value(), !item.error.empty()) << "a vector has a .out or a .err";
  const Subjects& on = subjects(item.codec, item.set);
  ASSERT_TRUE(usable(on));
  const ir::Module& module = on.codec->module;

  const Decoded decoded = agree(on, item.in, kRoom, item.dictionary, "ample room");
  if (!item.out) {
    EXPECT_EQ(error_text(module, decoded.outcome.error), item.error);
    return;
  }
  const std::uint64_t elements = item.out->size() / on.codec->element_bytes();
  EXPECT_EQ(error_text(module, decoded.outcome.error), "ok");
  EXPECT_EQ(decoded.bytes, *item.out);
  EXPECT_EQ(decoded.outcome.further, item.further);
  const Outcome counted = agree_count(on, item.in, item.dictionary, "size unknown");
  EXPECT_EQ(counted.error, 0u);
  EXPECT_EQ(counted.produced, elements);
}

// Whatever the capacity: the same word, and the bytes made are the first bytes of the right output.
TEST_P(Vectors, EveryCapacity) {
  const Vector& item = GetParam();
  const Subjects& on = subjects(item.codec, item.set);
  ASSERT_TRUE(usable(on));
  const Decoded whole = agree(on, item.in, kRoom, item.dictionary, "ample room");
  // Every one up to 2048; beyond that as many, evenly spread.
  const std::uint64_t stride = 1 + whole.outcome.produced / 2048;
  for (std::uint64_t capacity = 0; capacity <= whole.outcome.produced; capacity += stride) {
    const Decoded part = agree(on, item.in, capacity, item.dictionary, "capacity " + std::to_string(capacity));
    ASSERT_LE(part.outcome.produced, capacity);
    EXPECT_TRUE(std::equal(part.bytes.begin(), part.bytes.end(), whole.bytes.begin())) << capacity;
    if (capacity < whole.outcome.produced) {
      EXPECT_NE(part.outcome.error, 0u) << capacity;
    }
    if (testing::Test::HasFailure()) return;
  }
}

std::string vector_name(const testing::TestParamInfo<Vector>& info) {
  return test_name(info.param.codec + "__" + info.param.name);
}

INSTANTIATE_TEST_SUITE_P(Codecs, Vectors, testing::ValuesIn(all_vectors()), vector_name);

// Without this a machine that can't compile at run time would pass everything with one target fewer, and say nothing.
TEST(VectorSet, JustInTimeCodeIsAmongTheTargets) {
  for (const std::string& codec : codec_names()) {
    const Subjects& on = subjects(codec, "");
    ASSERT_TRUE(usable(on));
    if (!on.jit_missing.empty()) GTEST_SKIP() << on.jit_missing;
    EXPECT_EQ(on.all.size(), 3u) << codec;
  }
}

// Of bytes every bit is a boolean. It only refuses by an argument, which vectors don't have: parquet_arguments_test.cpp.
constexpr std::string_view kTakesAnything = "parquet_plain_booleans";

TEST(VectorSet, EveryCodecHasGoodAndBadOnes) {
  for (const std::string& codec : codec_names()) {
    unsigned good = 0;
    unsigned bad = 0;
    for (const Vector& item : all_vectors()) {
      if (item.codec == codec) ++(item.out ? good : bad);
    }
    EXPECT_GE(good, 3u) << codec;
    if (codec == kTakesAnything) {
      EXPECT_EQ(bad, 0u) << codec;
    } else {
      EXPECT_GE(bad, 2u) << codec;
    }
  }
}

// Every clause a spec rejects by name is exercised by a vector.
TEST(VectorSet, EveryRejectClauseOccurs) {
  for (const std::string& name : codec_names()) {
    const Codec& codec = load_codec(name, "");
    ASSERT_EQ(codec.problem, "") << name;
    std::set<std::string> seen;
    for (const Vector& item : all_vectors()) {
      if (item.codec == name && !item.error.empty()) seen.insert(item.error.substr(0, item.error.find(' ')));
    }
    for (const ir::Site& site : codec.module.sites) {
      // Clauses of an imported format are its own vectors' business.
      const bool imported = codec.module.rules[site.rule].name.find('.') != std::string::npos;
      if (site.reason != ir::Reason::Reject || imported) continue;
      EXPECT_TRUE(seen.contains(site.name)) << name << ": no vector is refused by " << site.name;
    }
  }
}

}  // namespace
}  // namespace sluice::test
