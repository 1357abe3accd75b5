// Plain tokens (runtime/prim/source.h) and copies of several steps (runtime/prim/copy.h), against the same bytes one by one. No byte is
// looked at or written beyond what the headers promise: behind that stands a page that nobody may touch.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/guard.h"
#include "tests/support/random.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
namespace {
// clang-format off
#include "runtime/prim/base.h"
#include "runtime/prim/bits.h"
#include "runtime/prim/turned.h"
#include "runtime/prim/copy.h"
#include "runtime/prim/codes.h"
#include "runtime/prim/varint.h"
#include "runtime/prim/stream.h"
#include "runtime/prim/source.h"
// clang-format on
}  // namespace
#pragma GCC diagnostic pop

namespace {

using sluice::test::Flush;
using sluice::test::GuardedBuffer;
using sluice::test::Random;

void fill_randomly(std::span<u8> bytes, Random& random) {
  for (u8& byte : bytes) byte = static_cast<u8>(random.next());
}

// A token of `literals` and `length` from `far` back, where `before` bytes lie in the window.
template <u64 From, u64 At, bool Behind, u32 Bits, bool Big, u64 Added, u64 Size, u64 Shortest>
void plain(u64 literals, u64 length, u64 far, u64 before) {
  SCOPED_TRACE(testing::Message() << literals << " literals, " << length << " from " << far << " of " << before);
  Random random(literals << 40 ^ length << 32 ^ far);
  constexpr u64 kFront = 100;  // of the output, in front of the window
  GuardedBuffer input(Size + 8, Flush::End), room(kFront + before + prim::kPlainLiterals + prim::kPlainCopy + prim::kCopySlack, Flush::End);
  fill_randomly(input.bytes(), random);
  fill_randomly(room.bytes(), random);
  const u64 at = At + (Behind ? literals : 0), field = far - Added;
  for (u64 k = 0; k < Bits / 8; ++k) input.bytes()[at + k] = static_cast<u8>(field >> 8 * (Big ? Bits / 8 - 1 - k : k));
  std::vector<u8> expected(room.bytes().begin(), room.bytes().begin() + static_cast<std::ptrdiff_t>(kFront + before));
  expected.insert(expected.end(), input.bytes().begin() + From, input.bytes().begin() + static_cast<std::ptrdiff_t>(From + literals));
  const bool good = far != 0 && far <= before + literals;
  for (u64 k = 0; good && k < length; ++k) expected.push_back(expected[expected.size() - far]);

  u8* const start = room.bytes().data() + kFront + before;
  u8* out = start;
  const u8 *in = input.bytes().data(), *const window = room.bytes().data() + kFront;
  u64 ahead = 1000;
  const bool taken = prim::take_plain<From, At, Behind, Bits, Big, Added, Size, Shortest>(out, window, prim::Source{in}, in, ahead, literals, length - Shortest);
  ASSERT_EQ(taken, good);
  if (!good) {
    EXPECT_EQ(out, start);
    EXPECT_EQ(in, input.bytes().data());
    EXPECT_EQ(ahead, 1000u);
    return;
  }
  EXPECT_EQ(static_cast<u64>(out - start), literals + length);
  EXPECT_EQ(static_cast<u64>(in - input.bytes().data()), Size + literals);
  EXPECT_EQ(ahead, input.bytes()[Size + literals]);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), room.bytes().begin()));
}

TEST(PrimPlain, TokensAreWhatTheirBytesSay) {
  for (u64 literals = 0; literals <= prim::kPlainLiterals; ++literals)
    for (u64 length = 4; length <= prim::kPlainCopy; ++length)
      for (const u64 before : {0, 1, 20, 300})
        for (const u64 far : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 31, 32, 33, 255, 256, 299, 300, 301, 307, 308, 65535})
          plain<1, 1, true, 16, false, 0, 3, 4>(literals, length, far, before);
}

TEST(PrimPlain, FieldsOfOtherPlacesAndOrders) {
  for (u64 literals = 0; literals <= prim::kPlainLiterals; ++literals)
    for (u64 length = 1; length <= prim::kPlainCopy; ++length)
      for (const u64 far : {1, 2, 15, 16, 40, 47, 48, 256}) {
        plain<2, 1, false, 8, false, 1, 2, 1>(literals, length, far, 40);
        plain<1, 2, true, 16, true, 0, 5, 1>(literals, length, far, 40);
        plain<3, 1, false, 16, true, 1, 3, 1>(literals, length, far, 40);
      }
}

TEST(PrimCopy, StepsAreTheBytesOneByOne) {
  for (u64 far = 1; far <= 70; ++far)
    for (u64 n = 1; n <= 200; ++n) {
      Random random(far << 20 ^ n);
      GuardedBuffer room(far + n + prim::kCopySlack, Flush::End);
      fill_randomly(room.bytes(), random);
      std::vector<u8> expected(room.bytes().begin(), room.bytes().begin() + static_cast<std::ptrdiff_t>(far));
      for (u64 k = 0; k < n; ++k) expected.push_back(expected[k]);
      prim::copy_steps(room.bytes().data() + far, far, n);
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), room.bytes().begin())) << far << " " << n;
    }
}

}  // namespace
