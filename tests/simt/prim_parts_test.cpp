// Copies of parts that lanes have decoded side by side, against the same tokens done byte by byte. Two warps, each with
// parts of its own.
#define SLUICE_WARPS 2
#define SLUICE_PART_COPIES 8
#define SLUICE_DISTANCE_BITS 20

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/simt/copy_story.h"
#include "tests/simt/kernel_fixture.h"

#pragma GCC diagnostic push
#include "tests/simt/prim_quiet.h"

namespace sluice::simt::test {
namespace {

#include "runtime/prim/cuda/base.h"
#include "runtime/prim/cuda/warp.h"
#include "runtime/prim/cuda/copy.h"
#include "runtime/prim/cuda/resolve.h"
#include "runtime/prim/cuda/parts.h"

#pragma GCC diagnostic pop

using prim::Resolve;

constexpr u8 kBlank = 0xcc;
constexpr std::size_t kEdge = 16;

// What a warp is given: a story in 32 parts, at most 8 tokens each, and the part of it that is there before.
struct Group {
  Story story;
  std::vector<std::size_t> first_token, first_byte;  // of part k; 33 of them
  std::size_t before = 0;                            // bytes

  Group(std::mt19937& random, u32 most_copies, u32 farthest, u32 longest) {
    story.add({60, 1, 0});
    before = story.text.size();
    for (u32 lane = 0; lane < 32; ++lane) {
      begin_part();
      for (u32 left = static_cast<u32>(random() % (most_copies + 1)); left > 0; --left) {
        Token token{random() % 3 != 0 ? 0 : static_cast<u32>(random() % 20), 0, static_cast<u32>(random() % (longest + 1))};
        token.distance = 1 + static_cast<u32>(random() % std::min<std::size_t>(farthest, story.text.size() + token.literals));
        story.add(token);
      }
    }
    begin_part();
  }
  void begin_part() {
    first_token.push_back(story.tokens.size());
    first_byte.push_back(story.text.size());
  }
};

// As a lane of part `k` leaves it: its literals written, its copies waiting. Returns how many.
u32 decode_part(const Group& group, u32 k, u8* group_out) {
  std::size_t at = group.first_byte[k];
  u32 copies = 0;
  for (std::size_t t = group.first_token[k]; t < group.first_token[k + 1]; ++t) {
    const Token& token = group.story.tokens[t];
    for (u32 i = 0; i < token.literals; ++i, ++at) group_out[at - group.before] = group.story.text[at];
    prim::PendingPartCopy& waits = prim::pending_of()[copies++ * prim::kLanes + k];
    waits.to = static_cast<u32>(at - group.before);
    waits.what = token.distance | token.length << prim::kDistanceBits;
    at += token.length;
  }
  return copies;
}

template <Resolve R>
void check(const Group (&groups)[2], std::uint64_t seed, std::size_t skew) {
  std::vector<u8> memory[2];
  for (int g = 0; g < 2; ++g) {
    memory[g].assign(kEdge + skew + groups[g].story.text.size() + kEdge, kBlank);
    std::copy_n(groups[g].story.text.begin(), groups[g].before, memory[g].begin() + kEdge + skew);
  }
  const Report report = launch(grid(64, seed), [&] {
    const u32 g = threadIdx.x / 32;
    u8* const out = memory[g].data() + kEdge + skew + groups[g].before;
    const u32 copies = decode_part(groups[g], threadIdx.x % 32, out);
    prim::resolve_parts<R>(out, copies);
  });
  ASSERT_TRUE(report.ok()) << report.text;
  for (int g = 0; g < 2; ++g) {
    const auto& text = groups[g].story.text;
    for (std::size_t i = 0; i < memory[g].size(); ++i) {
      const bool inside = i >= kEdge + skew && i < kEdge + skew + text.size();
      ASSERT_EQ(memory[g][i], inside ? text[i - kEdge - skew] : kBlank) << "byte " << i << " of warp " << g << ", seed " << seed;
    }
  }
}

void check_all(const Group (&groups)[2], std::uint64_t seed) {
  check<Resolve::Together>(groups, seed, seed % 8);
  check<Resolve::Sequential>(groups, seed, seed % 8);
  check<Resolve::Rounds>(groups, seed, seed % 8);
  check<Resolve::Independent>(groups, seed, seed % 8);
}

TEST(PrimParts, CopiesAreDoneInTheirOrder) {
  std::mt19937 random(0x51ce);
  for (const u32 farthest : {1u, 7u, 60u, 2000u})
    for (const u32 longest : {3u, 16u, 64u, 300u})
      for (const u32 most : {1u, 3u, 8u}) {
        const Group groups[2]{Group(random, most, farthest, longest), Group(random, most, farthest, longest)};
        check_all(groups, random());
      }
}

TEST(PrimParts, NoCopiesAtAll) {
  std::mt19937 random(3);
  const Group groups[2]{Group(random, 0, 1, 0), Group(random, 4, 30, 9)};
  check_all(groups, 17);
}

}  // namespace
}  // namespace sluice::simt::test
