// Nothing outside the buffers: input, output and dictionary against untouchable pages on either side, and at every
// alignment between canaries.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/conform/subjects.h"
#include "tests/support/guard.h"
#include "tests/support/vectors.h"

namespace sluice::test {
namespace {

constexpr std::uint64_t kRoom = 1 << 17;  // elements; no vector makes as many
constexpr std::size_t kAlignments = 8;
constexpr std::size_t kCanary = 64;
constexpr std::uint8_t kCanaryByte = 0xb7;

class Bounds : public testing::TestWithParam<std::string> {
 protected:
  // Calls `body` for every vector of the codec with what the interpreter makes of it, given ample room.
  template <class Body>
  void each_vector(const Body& body) {
    for (const Vector& vector : all_vectors()) {
      if (vector.codec != GetParam()) continue;
      const Subjects& on = subjects(vector.codec, vector.set);
      ASSERT_TRUE(usable(on));
      const Decoded right = decode(*on.all.front(), vector.in, kRoom, vector.dictionary, on.codec->element_bytes());
      SCOPED_TRACE(vector.name);
      body(vector, on, right);
    }
  }
};

TEST_P(Bounds, PagesOnEitherSide) {
  each_vector([](const Vector& vector, const Subjects& on, const Decoded& right) {
    for (const Flush flush : {Flush::Start, Flush::End}) {
      GuardedBuffer in(vector.in, flush);
      GuardedBuffer dictionary(vector.dictionary, flush);
      in.make_read_only();
      dictionary.make_read_only();
      // Exactly the room that is needed; a failing chunk has room for what it makes before it fails.
      GuardedBuffer out(right.bytes.size(), flush);
      const Decoded exact = decode(*on.all.front(), vector.in, right.outcome.produced, vector.dictionary, on.codec->element_bytes());
      for (const auto& subject : on.all) {
        const Outcome outcome = subject->decode({in.bytes(), out.bytes(), dictionary.bytes()});
        EXPECT_EQ(outcome, exact.outcome) << subject->target();
        const std::size_t made = outcome.produced * on.codec->element_bytes();
        EXPECT_TRUE(std::equal(out.bytes().begin(), out.bytes().begin() + static_cast<std::ptrdiff_t>(made), right.bytes.begin()))
            << subject->target();
        EXPECT_EQ(subject->count(in.bytes(), dictionary.bytes()), on.all.front()->count(vector.in, vector.dictionary))
            << subject->target();
      }
    }
  });
}

// `content` at every alignment in turn; the buffer is as small as can be, so that ASan sees an overrun.
class Shifted {
 public:
  Shifted(std::span<const std::uint8_t> content, std::size_t alignment) : memory_(content.size() + kAlignments + 1) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    const std::size_t at = (alignment + kAlignments - address % kAlignments) % kAlignments;
    view_ = std::span(memory_).subspan(at, content.size());
    std::copy(content.begin(), content.end(), view_.begin());
  }
  [[nodiscard]] std::span<std::uint8_t> bytes() const { return view_; }

 private:
  Bytes memory_;
  std::span<std::uint8_t> view_;
};

TEST_P(Bounds, EveryAlignmentBetweenCanaries) {
  each_vector([](const Vector& vector, const Subjects& on, const Decoded& right) {
    const std::size_t size = right.bytes.size();
    const Decoded exact = decode(*on.all.front(), vector.in, right.outcome.produced, vector.dictionary, on.codec->element_bytes());
    for (std::size_t alignment = 0; alignment < kAlignments; ++alignment) {
      const Shifted in(vector.in, alignment);
      const Shifted dictionary(vector.dictionary, (alignment + 3) % kAlignments);
      for (const auto& subject : on.all) {
        const Bytes blank(size + 2 * kCanary, kCanaryByte);
        const Shifted memory(blank, (alignment + 5) % kAlignments);
        const auto out = memory.bytes().subspan(kCanary, size);
        const Outcome outcome = subject->decode({in.bytes(), out, dictionary.bytes()});
        ASSERT_EQ(outcome, exact.outcome) << subject->target() << " alignment " << alignment;
        ASSERT_TRUE(std::equal(right.bytes.begin(), right.bytes.begin() + static_cast<std::ptrdiff_t>(outcome.produced * on.codec->element_bytes()), out.begin()));
        const auto intact = [](std::span<const std::uint8_t> bytes) {
          return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == kCanaryByte; });
        };
        ASSERT_TRUE(intact(memory.bytes().first(kCanary))) << subject->target() << " wrote before the output";
        ASSERT_TRUE(intact(memory.bytes().last(kCanary))) << subject->target() << " wrote after the output";
      }
      ASSERT_TRUE(std::equal(vector.in.begin(), vector.in.end(), in.bytes().begin())) << "wrote to its input";
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Codecs, Bounds, testing::ValuesIn(codec_names()),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace sluice::test
