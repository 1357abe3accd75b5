// Stages over rows of equal bytes: a CPU takes eight of them in one step, and what stands behind a run by wide stores.
#include <algorithm>
#include <random>

#include "tests/conform/subjects.h"
#include "tests/support/guard.h"

namespace sluice::test {
namespace {

constexpr std::uint64_t kRoom = 1 << 22;

class RowStages : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(on.codec->problem, "");
    if (!on.jit_missing.empty()) GTEST_SKIP() << on.jit_missing;
  }
  // With all the room there is, with just enough, and with less.
  void check(const Bytes& data, const std::string& what) {
    const Decoded right = agree(on, data, kRoom, {}, what);
    for (const std::uint64_t less : {0, 1, 3, 40, 300}) {
      if (less > right.outcome.produced) break;
      const std::uint64_t room = right.outcome.produced - less;
      const Decoded exact = decode(*on.all.front(), data, room, {}, 1);
      GuardedBuffer out(room, Flush::End);
      for (const auto& subject : on.all) {
        ASSERT_EQ(subject->decode({data, out.bytes()}), exact.outcome) << subject->target() << ": " << what << ", " << less << " less";
        ASSERT_TRUE(std::equal(exact.bytes.begin(), exact.bytes.end(), out.bytes().begin())) << subject->target() << ": " << what;
      }
    }
    good_ += right.outcome.error == 0 ? 1 : 0;
    bad_ += right.outcome.error != 0 ? 1 : 0;
  }

  const Subjects& on = subjects(SLUICE_ROW_STAGES, "");
  std::mt19937 random_{5};
  unsigned good_ = 0, bad_ = 0;
};

TEST_F(RowStages, OfEveryLength) {
  for (unsigned i = 0; i < 400; ++i) {
    const std::size_t n = i < 40 ? i : i < 380 ? random_() % 700 : 20000 + random_() % 40000;
    const auto rare = 1 + random_() % 40, values = 1 + random_() % 12;  // one in `rare` is another byte than before
    Bytes data;
    const auto origin = n == 0 ? 0 : random_() % n;
    data.push_back(static_cast<std::uint8_t>(origin));
    data.push_back(static_cast<std::uint8_t>(origin >> 8));
    while (data.size() < n + 2) data.push_back(static_cast<std::uint8_t>(random_() % rare == 0 ? random_() % values : 0));
    check(data, std::to_string(n) + " bytes, case " + std::to_string(i));
  }
  EXPECT_GT(good_, 100u);
  EXPECT_GT(bad_, 10u);  // the text ends where a count should stand
}

}  // namespace
}  // namespace sluice::test
