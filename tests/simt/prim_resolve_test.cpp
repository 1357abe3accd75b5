// Copies that a warp collects and does many at a time, against copies done byte by byte: whatever they read, of each
// other or of literals between them.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/simt/copy_story.h"
#include "tests/simt/kernel_fixture.h"

#pragma GCC diagnostic push
#include "tests/simt/prim_quiet.h"

namespace sluice::simt::test {
namespace {

namespace gpu {
#include "runtime/prim/cuda/base.h"
#include "runtime/prim/cuda/warp.h"
#include "runtime/prim/cuda/copy.h"
#include "runtime/prim/cuda/resolve.h"
}  // namespace gpu

#pragma GCC diagnostic pop

using gpu::u32;
using gpu::u8;
using gpu::prim::Resolve;

constexpr u8 kBlank = 0xcc;
constexpr std::size_t kEdge = 16;

template <class Copies>
void tell(const Story& story, std::uint64_t seed, std::size_t skew) {
  const std::size_t start = kEdge + skew, size = story.text.size();
  std::vector<u8> memory(start + size + kEdge, kBlank);
  const Report report = launch(grid(32, seed), [&] {
    Copies pending{};
    std::size_t made = 0;
    for (const Token& token : story.tokens) {
      u8* const out = memory.data() + start + made;
      for (u32 i = threadIdx.x; i < token.literals; i += 32) out[i] = story.text[made + i];
      gpu::prim::copy_match(pending, out + token.literals, token.distance, token.length);
      made += token.literals + token.length;
    }
    gpu::prim::flush(pending);
  });
  ASSERT_TRUE(report.ok()) << report.text;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const bool inside = i >= start && i < start + size;
    ASSERT_EQ(memory[i], inside ? story.text[i - start] : kBlank) << "byte " << i << " of " << size << ", seed " << seed;
  }
}

void tell_all(const Story& story, std::uint64_t seed) {
  const std::size_t skew = seed % 8;
  {
    SCOPED_TRACE("together");
    tell<gpu::prim::PendingCopy>(story, seed, skew);
  }
  {
    SCOPED_TRACE("sequential");
    tell<gpu::prim::Batch<Resolve::Sequential>>(story, seed, skew);
  }
  {
    SCOPED_TRACE("rounds");
    tell<gpu::prim::Batch<Resolve::Rounds>>(story, seed, skew);
  }
  {
    SCOPED_TRACE("independent");
    tell<gpu::prim::Batch<Resolve::Independent>>(story, seed, skew);
  }
}

TEST(PrimResolve, CopiesOfAllKinds) {
  std::mt19937 random(0x51ce);
  for (const u32 farthest : {1u, 9u, 40u, 300u, 5000u})
    for (const u32 longest : {5u, 20u, 64u, 200u})
      for (const u32 tokens : {1u, 31u, 32u, 33u, 100u})
        tell_all(random_story(random, tokens, farthest, longest), random());
}

// Each copy reads the one before it: 32 rounds, batches of one.
TEST(PrimResolve, EveryCopyWaitsForTheOneBefore) {
  Story story;
  story.add({16, 1, 0});
  for (int i = 0; i < 200; ++i) story.add({1, 17, 16});
  for (const std::uint64_t seed : kSeeds) tell_all(story, seed);
}

// No copy reads what 31 others write: encoders with dependency elimination make these.
TEST(PrimResolve, NoCopyWaits) {
  Story story;
  story.add({16 * 40, 1, 0});
  for (int i = 0; i < 200; ++i) story.add({i % 3 == 0 ? 1u : 0u, 16 * 36, 16});
  for (const std::uint64_t seed : kSeeds) tell_all(story, seed);
}

// Long copies are done at once when what they read is there, and after the batch when it is not.
TEST(PrimResolve, LongCopiesBetweenShortOnes) {
  Story story;
  story.add({500, 1, 0});
  for (u32 i = 0; i < 60; ++i) {
    story.add({2, 30 + i, 12});
    story.add({0, i % 4 == 0 ? 7u : i % 4 == 1 ? 200u : 450u, 70 + i});
  }
  for (const std::uint64_t seed : kSeeds) tell_all(story, seed);
}

}  // namespace
}  // namespace sluice::simt::test
