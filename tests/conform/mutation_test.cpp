// Malformed input: every truncation and every single-bit flip of every small vector. All targets must give the same
// error word, produced, consumed and bytes, touch nothing outside their buffers, and agree with the control library.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/conform/judge.h"
#include "tests/support/guard.h"

namespace sluice::test {
namespace {

constexpr std::size_t kLargestInput = 600;

// Bytes that n bytes of input can make: Deflate's 258 for two bits is the most any codec here does; others that declare
// more are refused for want of room.
constexpr std::size_t kBytesPerByte = 1032;
constexpr std::size_t kRoom = kLargestInput * kBytesPerByte;

class Mutations : public testing::TestWithParam<std::string> {
 protected:
  // The bytes at the very end of their page, so that one byte read too many is a fault.
  std::span<const std::uint8_t> at_page_end(std::span<const std::uint8_t> bytes) {
    const auto place = input_.bytes().last(bytes.size());
    std::copy(bytes.begin(), bytes.end(), place.begin());
    return place;
  }

  void run(const Subjects& on, const Vector& vector, std::span<const std::uint8_t> bytes, const std::string& what) {
    const auto in = at_page_end(bytes);
    const unsigned element = on.codec->element_bytes();
    const std::size_t room = std::max<std::size_t>(bytes.size(), 8) * kBytesPerByte / element;
    const auto out = output_.bytes().last(room * element);
    Decoded right;
    for (const auto& subject : on.all) {
      const Outcome outcome = subject->decode({in, out, vector.dictionary});
      ASSERT_LE(outcome.produced, room) << subject->target() << ": " << what;
      const auto made = out.first(outcome.produced * element);
      if (subject == on.all.front()) {
        right = {outcome, Bytes(made.begin(), made.end())};
        continue;
      }
      ASSERT_EQ(error_text(on.codec->module, outcome.error), error_text(on.codec->module, right.outcome.error))
          << subject->target() << ": " << what;
      ASSERT_EQ(outcome, right.outcome) << subject->target() << ": " << what;
      ASSERT_TRUE(std::equal(made.begin(), made.end(), right.bytes.begin())) << subject->target() << ": other bytes: " << what;
    }
    check_count(on, vector, in, right, what);
    const ControlRequest request{in, room * element, vector.dictionary, ignores_garbage(vector.codec, vector.set)};
    EXPECT_EQ(judge_->compare(*on.codec, right, request), "") << what;
    ++inputs_;
  }

  // Count mode agrees among the targets, and with a decode that succeeded.
  static void check_count(const Subjects& on, const Vector& vector, std::span<const std::uint8_t> in, const Decoded& right,
                          const std::string& what) {
    Outcome first;
    for (const auto& subject : on.all) {
      const Outcome counted = subject->count(in, vector.dictionary);
      if (subject == on.all.front()) first = counted;
      ASSERT_EQ(error_text(on.codec->module, counted.error), error_text(on.codec->module, first.error))
          << subject->target() << " count: " << what;
      ASSERT_EQ(counted, first) << subject->target() << " count: " << what;
    }
    if (right.outcome.error != 0) return;
    ASSERT_EQ(first.error, 0u) << what;
    ASSERT_EQ(first.produced, right.outcome.produced) << what;
  }

  std::unique_ptr<Judge> judge_;
  std::uint64_t inputs_ = 0;

 private:
  GuardedBuffer input_{kLargestInput, Flush::End};
  GuardedBuffer output_{kRoom, Flush::End};
};

TEST_P(Mutations, EveryTruncationAndEveryFlippedBit) {
  judge_ = std::make_unique<Judge>(GetParam());
  for (const Vector& vector : all_vectors()) {
    if (vector.codec != GetParam() || vector.in.size() > kLargestInput) continue;
    const Subjects& on = subjects(vector.codec, vector.set);
    ASSERT_TRUE(usable(on));
    run(on, vector, vector.in, vector.name + " as it is");
    for (std::size_t size = 0; size < vector.in.size(); ++size) {
      run(on, vector, std::span(vector.in).first(size), vector.name + " cut to " + std::to_string(size));
      ASSERT_FALSE(HasFatalFailure());
    }
    Bytes flipped = vector.in;
    for (std::size_t bit = 0; bit < 8 * flipped.size(); ++bit) {
      flipped[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
      run(on, vector, flipped, vector.name + " with bit " + std::to_string(bit) + " flipped");
      ASSERT_FALSE(HasFatalFailure());
      flipped[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
    }
  }
  EXPECT_EQ(judge_->unused(), std::set<std::string>()) << "policies that explain nothing";
  EXPECT_GT(inputs_, 100u);
  if (!control_name(GetParam()).empty()) {
    EXPECT_GT(judge_->agreed(), inputs_ / 2);
  }
  RecordProperty("inputs", std::to_string(inputs_));
}

INSTANTIATE_TEST_SUITE_P(Codecs, Mutations, testing::ValuesIn(codec_names()),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace sluice::test
