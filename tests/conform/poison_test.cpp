// A decoder relies on nothing that its temporary memory holds when a chunk begins: vectors, whole, cut and with bits
// turned over, in memory that was filled with zeros, with ones, and with noise.
#include <gtest/gtest.h>

#include <random>

#include "tests/conform/subjects.h"
#include "tests/support/vectors.h"

namespace sluice::test {
namespace {

constexpr std::uint64_t kRoom = 1 << 17;  // elements; no vector makes as many
constexpr int kMutants = 6;               // of each vector and kind

std::vector<Bytes> mutants(const Bytes& in, std::mt19937& random) {
  std::vector<Bytes> all{in};
  for (int i = 0; i < kMutants && !in.empty(); ++i) {
    all.emplace_back(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(random() % in.size()));
    Bytes flipped = in;
    flipped[random() % in.size()] ^= static_cast<std::uint8_t>(1u << random() % 8);
    all.push_back(std::move(flipped));
  }
  return all;
}

class VectorsPoisoned : public testing::TestWithParam<std::string> {};

TEST_P(VectorsPoisoned, SameWhateverMemoryHolds) {
  std::mt19937 random(20261122);
  unsigned compared = 0;
  for (const Vector& item : all_vectors()) {
    if (item.codec != GetParam()) continue;
    const Codec& codec = load_codec(item.codec, item.set);
    ASSERT_EQ(codec.problem, "");
    const auto interp = interpreter(codec);
    for (const Bytes& in : mutants(item.in, random)) {
      const Decoded right = decode(*interp, in, kRoom, item.dictionary, codec.element_bytes());
      for (const int poison : {0x00, 0xa5, 0xff}) {
        const auto machine = ahead_of_time(codec, static_cast<std::uint8_t>(poison));
        ASSERT_NE(machine, nullptr);
        const Decoded got = decode(*machine, in, kRoom, item.dictionary, codec.element_bytes());
        ASSERT_EQ(got.outcome, right.outcome) << item.name << ", memory of " << poison << ": "
                                              << error_text(codec.module, got.outcome.error) << " for "
                                              << error_text(codec.module, right.outcome.error);
        ASSERT_TRUE(got.bytes == right.bytes) << item.name << ", memory of " << poison;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 20u);
}

INSTANTIATE_TEST_SUITE_P(Codecs, VectorsPoisoned, testing::ValuesIn(codec_names()),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace sluice::test
