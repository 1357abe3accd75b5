// Many bytes moved by a block (runtime/prim/cuda/wide_copy.h, and copy_words, which takes it from some size on): every alignment of source
// and target against the other, sizes around those at which the loops end; not a byte beside either is touched, which lie against pages
// that can't be.
#define SLUICE_WORKERS 64
#include "tests/simt/prim_texts.h"
#include "tests/support/guard.h"

namespace sluice::simt::test {
namespace {

void compare_copy(u64 n, u64 from, u64 to, sluice::test::Flush end) {
  SCOPED_TRACE(testing::Message() << n << " bytes, source " << from << ", target " << to << " behind a multiple of 16");
  // What lies in front of and behind what is moved, so that both begin there and, flush, end at a page.
  const u64 lead_from = end == sluice::test::Flush::Start ? from : (from - n) & 15, lead_to = end == sluice::test::Flush::Start ? to : (to - n) & 15;
  sluice::test::GuardedBuffer source(n + lead_from, end), target(n + lead_to, end);
  const u64 skip_from = end == sluice::test::Flush::Start ? lead_from : 0, skip_to = end == sluice::test::Flush::Start ? lead_to : 0;
  std::mt19937 random(static_cast<unsigned>(n + from + 16 * to));
  for (u8& byte : source.bytes()) byte = static_cast<u8>(random());
  std::ranges::fill(target.bytes(), u8{0xee});
  with_workers([&] { gpu::prim::copy_words(target.bytes().data() + skip_to, source.bytes().data() + skip_from, n); });
  const auto expected = source.bytes().subspan(skip_from, n), made = target.bytes().subspan(skip_to, n);
  ASSERT_TRUE(std::ranges::equal(expected, made));
  for (u64 i = 0; i < target.bytes().size(); ++i) {
    if (i < skip_to || i >= skip_to + n) {
      ASSERT_EQ(target.bytes()[i], 0xee) << "byte " << i;
    }
  }
}

TEST(PrimWideCopy, MovesWhatIsThereAndNothingElse) {
  constexpr u64 kMany = gpu::prim::kManyBytes;
  for (const u64 n : {kMany - 1, kMany, kMany + 1, kMany + 15, kMany + 16, kMany + 4 * 16 * 64, 3 * kMany + 7})
    for (const u64 from : {0, 1, 2, 3, 4, 8, 13, 15})
      for (const u64 to : {0, 1, 4, 7, 12, 15})
        for (const auto end : {sluice::test::Flush::Start, sluice::test::Flush::End}) compare_copy(n, from, to, end);
}

}  // namespace
}  // namespace sluice::simt::test
