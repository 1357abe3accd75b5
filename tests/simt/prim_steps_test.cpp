// Output from records, a step of 128 bytes at a time, against copies done byte by byte: whatever copies read, wherever
// the output lies, and whatever is not for the engine. With a warp that writes: prim_writer_test.cpp.
#if !defined(PRIM_STEPS_SUITE)
#define PRIM_STEPS_SUITE PrimSteps
#endif
#define SLUICE_MIN_TOKEN 1
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "tests/simt/record_tokens.h"
#include "tests/support/guard.h"

namespace sluice::simt::test {
namespace {

Told tell(const Records& records, Stream s, std::uint64_t seed) { return tell(records.list, records.literals, s, seed); }

// The input between pages that nobody may touch.
void expect_text(const Story& story, std::uint64_t seed, std::size_t skew) {
  const std::size_t start = kEdge + skew, size = story.text.size();
  std::vector<u8> memory(start + size + kEdge, kBlank);
  const Records records(story);
  sluice::test::GuardedBuffer input(records.literals, seed % 2 == 0 ? sluice::test::Flush::Start : sluice::test::Flush::End);
  const Told told = tell(records.list, input.bytes(), {memory.data() + start, 0, size, 0}, seed);
  EXPECT_EQ(told.taken, records.list.size());
  EXPECT_EQ(told.made, size);
  EXPECT_FALSE(told.refused);
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const bool inside = i >= start && i < start + size;
    ASSERT_EQ(memory[i], inside ? story.text[i - start] : kBlank)
        << "byte " << i << " of " << size << ", seed " << seed;
  }
}

TEST(PRIM_STEPS_SUITE, CopiesOfAllKinds) {
  std::mt19937 random(0x57e9);
  std::uint64_t seed = 0;
  for (const u32 farthest : {1u, 2u, 9u, 40u, 300u, 5000u})
    for (const u32 longest : {5u, 20u, 64u, 700u})
      for (const u32 tokens : {1u, 31u, 33u, 150u}) {
        ++seed;
        expect_text(random_story(random, tokens, farthest, longest), seed, seed % 17);
      }
}

// So many that every ring goes round: of marks, of entries, of what two warps give each other.
TEST(PRIM_STEPS_SUITE, ThousandsOfTokens) {
  std::mt19937 random(0x3a1);
  std::uint64_t seed = 0;
  for (const u32 longest : {1u, 5u, 24u, 64u}) {
    ++seed;
    expect_text(random_story(random, 3000, 600, longest), seed, seed);
  }
  Story small;  // an entry a byte
  small.add({8, 1, 0});
  for (u32 i = 0; i < 3000; ++i) small.add({i % 2, 1 + i % 7, 1});
  expect_text(small, 5, 3);
}

// Loops of one chunk, one behind the other: when one is over its output is there, and the next one copies from it.
TEST(PRIM_STEPS_SUITE, LoopAfterLoop) {
  std::mt19937 random(0x100b);
  const Story story = random_story(random, 900, 3000, 40);
  const Records records(story);
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    std::vector<u8> memory(story.text.size() + 2 * kEdge, kBlank);
    std::vector<u64> wrong(gpu::prim::kLanes);
    run_chunk(seed, [&] {
      Stream s{memory.data() + kEdge, 0, story.text.size(), 0};
      const std::span<const Record> all(records.list);
      for (std::size_t from = 0; from < all.size();) {
        const std::size_t n = std::min<std::size_t>(all.size() - from, 1 + from % 173);
        s.produced += tell_loop(all.subspan(from, n), records.literals, s).made;
        from += n;
        gpu::prim::sync();
        for (u64 i = gpu::prim::lane(); i < s.produced; i += gpu::prim::kLanes)
          wrong[gpu::prim::lane()] += memory[kEdge + i] != story.text[i];
        gpu::prim::sync();
      }
    });
    for (const u64 lanes : wrong) EXPECT_EQ(lanes, 0u) << "seed " << seed;
    EXPECT_TRUE(std::equal(story.text.begin(), story.text.end(), memory.begin() + kEdge));
    EXPECT_EQ(memory[kEdge + story.text.size()], kBlank);
  }
}

TEST(PRIM_STEPS_SUITE, ChainsOfCopiesWithinAStep) {
  Story story;
  story.add({1, 1, 0});
  for (u32 i = 0; i < 400; ++i) story.add({i % 7 == 0 ? 1u : 0u, 1 + i % 3, 1 + i % 5 / 4});
  expect_text(story, 7, 3);
}

// Whole steps of literals, of copies from afar and of short periods; the last literals end where the input does.
TEST(PRIM_STEPS_SUITE, LongParts) {
  for (u32 seed = 0; seed < 40; ++seed) {
    Story story;
    story.add({200 + seed, 1, 0});
    for (const u32 distance : {1u, 2u, 3u, 8u, 12u, 31u, 64u, 127u, 128u, 129u, 190u}) story.add({seed % 3, distance, 250 + 61 * (seed % 5)});
    story.add({1 + seed, 230, 1});
    story.add({300 + 97 * (seed % 7), 1, 0});
    expect_text(story, seed, seed % 17);
  }
}

// Wherever in a step and in a word they end.
TEST(PRIM_STEPS_SUITE, LongLiteralsAtTheEndOfTheInput) {
  for (u32 more = 0; more < gpu::prim::kStepBytes; ++more)
    for (const u32 skew : {0u, 1u}) {
      Story story;
      story.add({1 + more % 4, 1, 5});
      story.add({2 * gpu::prim::kLongPart + more, 1, 0});
      expect_text(story, 2 * more + 1, skew);
    }
}

TEST(PRIM_STEPS_SUITE, WhatIsNotSoundIsLeft) {
  std::vector<u8> memory(4096, kBlank);
  std::vector<u8> input(64, 1);
  const auto told_of = [&](const Record& bad, u64 room) {
    Records records{Story()};
    records.literals = input;
    records.list = {{5, 0, 100, 5}, {3, 5, 0, 0}, bad, {1, 0, 0, 0}};
    return tell(records, {memory.data() + 64, 0, room, 0}, 1);
  };
  const auto expect_left = [&](const Record& bad, u64 room) {
    const Told told = told_of(bad, room);
    EXPECT_TRUE(told.refused);
    EXPECT_EQ(told.taken, 2u);
    EXPECT_EQ(told.made, 108u);
  };
  expect_left({0, 0, 4, 109}, 1000);                          // reaches before the window
  expect_left({0, 0, 4, 0}, 1000);                            // from nowhere
  expect_left({2, 0, 4, 1}, 113);                             // no room
  expect_left({0, 0, gpu::prim::kMaxLength, 1}, 1 << 30);     // longer than the engine takes
  expect_left({0, 0, 4, gpu::prim::kMaxDistance + 1}, 1000);  // farther
  EXPECT_FALSE(told_of({2, 0, 4, 110}, 1000).refused);
  EXPECT_FALSE(told_of({2, 0, 4, 1}, 115).refused);
}

}  // namespace
}  // namespace sluice::simt::test
