// Wide steps (note [wide steps] of wide_steps.h): runs and long copies of all distances, against copies done byte by byte. With
// literals that are values, and copies of a greatest length, prim_wide_values_test.cpp; with a warp that writes,
// prim_wide_writer_test.cpp. Steps of all kinds in the wide form: prim_wide_steps_test.cpp.
#if !defined(PRIM_WIDE_SUITE)
#define PRIM_WIDE_SUITE PrimWide
#endif
#define SLUICE_MIN_TOKEN 1
#define SLUICE_WIDE_PARTS 30
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/simt/record_engine.h"
#include "tests/support/guard.h"

namespace sluice::simt::test {
namespace {

using sluice::test::Flush;
using sluice::test::GuardedBuffer;

// The records of a story: its literals are input, or values, a record each; no copy is longer than the engine's tokens have them.
Records records_of(const Story& story) {
  Records all(story);
  std::vector<Record> list;
  for (const Record& r : all.list) {
    Record next = {r.literals, r.from, 0, 0};
    if (gpu::prim::kValues) {
      for (u32 i = 0; i < r.literals; ++i) list.push_back({1, all.literals[r.from + i], 0, 0});
      next = {0, 0, 0, 0};
    }
    for (u32 left = r.length; left != 0;) {
      next.length = std::min(left, gpu::prim::kLongestCopy);
      next.distance = r.distance;
      left -= next.length;
      list.push_back(next);
      next = {0, 0, 0, 0};
    }
    if (next.literals != 0) list.push_back(next);
  }
  all.list = list;
  return all;
}

// Between pages that nobody may touch: the input, and the room for the output, which has `before` bytes in front of the story's.
void expect_text(const Story& story, std::uint64_t seed, std::size_t skew) {
  const std::size_t size = story.text.size();
  const Records records = records_of(story);
  GuardedBuffer input(records.literals, seed % 2 == 0 ? Flush::Start : Flush::End);
  GuardedBuffer output(std::vector<u8>(size + skew, kBlank), seed % 2 == 0 ? Flush::End : Flush::Start);
  u8* const memory = const_cast<u8*>(output.bytes().data());
  const Told told = tell(records.list, input.bytes(), {memory + skew, 0, size, 0}, seed);
  EXPECT_EQ(told.taken, records.list.size());
  EXPECT_EQ(told.made, size);
  EXPECT_FALSE(told.refused);
  for (std::size_t i = 0; i < size + skew; ++i)
    ASSERT_EQ(memory[i], i < skew ? kBlank : story.text[i - skew]) << "byte " << i << " of " << size << ", seed " << seed;
}

// A run's value has a few bytes of its own; the rest is the last value's, told as one copy with what follows, or by itself.
Story runs(std::mt19937& random, u32 value, u32 own, u32 count, u32 longest, bool apart) {
  const auto below = [&](u32 n) { return static_cast<u32>(random() % n); };
  Story story;
  story.add({value, 1, 0});
  for (u32 i = 0; i < count; ++i) {
    const u32 length = value * (1 + below(longest)) - own;
    if (apart && value > own) {
      story.add({own, value * (1 + below(std::min<u32>(6, static_cast<u32>(story.text.size()) / value))), value - own});
      story.add({0, value, length - (value - own)});
    } else {
      story.add({own, value, length});
    }
  }
  return story;
}

TEST(PRIM_WIDE_SUITE, RunsOfValues) {
  std::mt19937 random(0x44c0);
  std::uint64_t seed = 0;
  for (const u32 value : {1u, 2u, 4u, 8u, 12u, 16u, 24u, 40u})
    for (const u32 own : {1u, 2u, 3u, 8u})
      for (const u32 longest : {8u, 70u, 400u})
        for (const bool apart : {false, true}) {
          if (own > value) continue;
          ++seed;
          expect_text(runs(random, value, own, 40, std::max(1u, 8 * longest / value), apart), seed, seed % 33);
        }
}

// Note [periods] of periods.h: all records of a batch, all but one of some, and hardly any. The one that is not of the batch's period has
// a literal too many, another distance, too few bytes, or no copy.
TEST(PRIM_WIDE_SUITE, RecordsOfOnePeriod) {
  std::mt19937 random(0x9e71);
  const auto below = [&](u32 n) { return static_cast<u32>(random() % n); };
  std::uint64_t seed = 0;
  for (const u32 period : {1u, 2u, 4u, 8u})
    for (const u32 longest : {9u, 40u, 700u})
      for (const u32 of : {0u, 90u, 20u, 3u}) {
        Story story;
        story.add({of == 0 ? period : period + below(20), period, 8 + below(longest)});
        for (u32 i = 0; i < 150; ++i) {
          const u32 own = below(period + 1);
          const Token token{own, period, 8 - std::min(own, 7u) + below(longest)};
          if (of == 0 || below(of) != 0) story.add(token);
          else if (i % 4 == 0) story.add({period + 1 + below(9), period, token.length});
          else if (i % 4 == 1) story.add({own, period + 1 + below(std::min<u32>(9, static_cast<u32>(story.text.size() - period))), token.length});
          else if (i % 4 == 2) story.add({below(period + 1) % 3, period, 1 + below(5)});
          else story.add({8, 0, 0});
        }
        ++seed;
        expect_text(story, seed, seed % 29);
        expect_text(story, seed + 1, 0);
      }
}

// At each place in a unit, and of a step.
TEST(PRIM_WIDE_SUITE, RunsAnywhere) {
  for (u32 skew = 0; skew < 40; ++skew) {
    Story story;
    story.add({8 + skew * 11, 1, 0});
    story.add({2, 8, 600 + skew});
    story.add({1, 8, 6 + 256});
    story.add({2, 16, 6});
    story.add({0, 8, 800});
    story.add({3, 1, 300});
    story.add({0, 4, 300 + skew});
    expect_text(story, skew, skew);
  }
}

TEST(PRIM_WIDE_SUITE, EveryDistance) {
  std::mt19937 random(0xd157);
  for (u32 distance = 1; distance <= 72; ++distance) {
    Story story;
    story.add({100, 1, 0});
    for (u32 i = 0; i < 8; ++i) {
      story.add({static_cast<u32>(random() % 4), distance, 100 + static_cast<u32>(random() % 400)});
      story.add({0, 1 + static_cast<u32>(random() % 90), static_cast<u32>(random() % 30)});
    }
    expect_text(story, distance, distance % 17);
  }
}

// From in front of the step, as far as there is output, and from the first bytes of it.
TEST(PRIM_WIDE_SUITE, FarCopies) {
  std::mt19937 random(0xfa2);
  for (u32 seed = 0; seed < 60; ++seed) {
    Story story;
    story.add({1 + seed, 1, 200});
    for (u32 i = 0; i < 20; ++i) {
      const u32 size = static_cast<u32>(story.text.size());
      const u32 distance = i % 3 == 0 ? size - static_cast<u32>(random() % 9) : 1 + static_cast<u32>(random() % size);
      story.add({i % 3 == 1 ? static_cast<u32>(random() % 5) : 0, distance, 40 + static_cast<u32>(random() % 300)});
    }
    expect_text(story, seed, seed % 19);
  }
}

// Words are loaded that hold a byte asked for, and none of them is one that begins in front of the output, where another chunk's may
// end: somebody else writes the byte there, whenever it pleases him, and ThreadSanitizer sees who reads it.
TEST(PRIM_WIDE_SUITE, NothingIsReadInFrontOfTheOutput) {
  for (u32 skew = 1; skew < 8; ++skew)
    for (u32 source = 0; source < 8; ++source) {
      Story story;
      story.add({1000, 1, 0});
      for (u32 i = 0; i < 4; ++i) story.add({0, static_cast<u32>(story.text.size()) - source, 255 + 2 * i});
      const Records records = records_of(story);
      std::vector<u64> words(story.text.size() / 8 + 2);
      u8* const memory = reinterpret_cast<u8*>(words.data());
      std::thread neighbour([&] { memory[skew - 1] = kBlank; });
      const Told told = tell(records.list, records.literals, {memory + skew, 0, story.text.size(), 0}, skew);
      neighbour.join();
      EXPECT_EQ(told.made, story.text.size());
      EXPECT_TRUE(std::equal(story.text.begin(), story.text.end(), memory + skew)) << skew << ", from " << source;
    }
}

// From a few mixed units a step to more than a wide one may have.
TEST(PRIM_WIDE_SUITE, ManyParts) {
  std::mt19937 random(0x3a97);
  std::uint64_t seed = 0;
  for (const u32 longest : {50u, 80u, 120u, 200u})
    for (const u32 farthest : {8u, 16u, 64u, 300u, 5000u})
      for (u32 i = 0; i < 4; ++i) {
        ++seed;
        Story story;
        story.add({64, 1, 0});
        for (u32 k = 0; k < 120; ++k) {
          const u32 most = std::min<u32>(farthest, static_cast<u32>(story.text.size()));
          u32 distance = 1 + static_cast<u32>(random() % most);
          if (i % 2 == 0) distance = std::max(1u, distance & ~7u);
          story.add({random() % 3 == 0 ? static_cast<u32>(random() % 9) : 0, distance, static_cast<u32>(random() % longest)});
        }
        expect_text(story, seed, seed % 23);
      }
}

// Loops of one chunk: each begins inside a step that the one before has begun, often inside a run of it.
TEST(PRIM_WIDE_SUITE, LoopAfterLoop) {
  std::mt19937 random(0x100c);
  const Story story = runs(random, 8, 2, 60, 60, true);
  const Records records = records_of(story);
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    std::vector<u8> memory(story.text.size() + 2 * kEdge, kBlank);
    run_chunk(seed, [&] {
      Stream s{memory.data() + kEdge + seed, 0, story.text.size(), 0};
      const std::span<const Record> all(records.list);
      for (std::size_t from = 0; from < all.size();) {
        const std::size_t n = std::min<std::size_t>(all.size() - from, 1 + from % 23);
        s.produced += tell_loop(all.subspan(from, n), records.literals, s).made;
        from += n;
        gpu::prim::sync();
      }
    });
    EXPECT_TRUE(std::equal(story.text.begin(), story.text.end(), memory.begin() + static_cast<std::ptrdiff_t>(kEdge + seed)));
    EXPECT_EQ(memory[kEdge + seed + story.text.size()], kBlank);
    EXPECT_EQ(memory[kEdge + seed - 1], kBlank);
  }
}

// Copies of the greatest length one behind the other, of the same distance and of others, with nothing and with literals between.
TEST(PRIM_WIDE_SUITE, CopiesOfTheGreatestLength) {
  const u32 most = std::min(gpu::prim::kLongestCopy, 300u);
  for (u32 seed = 0; seed < 60; ++seed) {
    Story story;
    story.add({16 + seed % 5, 1, 0});
    for (u32 i = 0; i < 60; ++i) {
      const u32 distance = seed % 4 == 0 ? 1 + i / 9 : i / 7 % 2 == 0 ? 8 : 8 + seed % 3;
      story.add({i % 11 == 10 ? 1u + seed % 2 : 0u, distance, i % 5 == seed % 5 ? most - seed % 4 : most});
    }
    expect_text(story, seed, seed % 21);
  }
}

// The first part of a loop is joined with none of the loop before.
TEST(PRIM_WIDE_SUITE, CopiesThatBeginALoop) {
  for (u32 distance = 1; distance < 10; ++distance) {
    Story story;
    const u32 length = std::min(gpu::prim::kLongestCopy, 300u);
    story.add({16, 1, 0});
    for (u32 i = 0; i < 24; ++i) story.add({0, distance, length});
    const Records records = records_of(story);
    std::vector<u8> memory(story.text.size() + 2 * kEdge, kBlank);
    run_chunk(distance, [&] {
      Stream s{memory.data() + kEdge + distance, 0, story.text.size(), 0};
      const std::span<const Record> all(records.list);
      for (std::size_t from = 0; from < all.size();) {
        const std::size_t n = std::min<std::size_t>(all.size() - from, from == 0 ? 16 : 3);
        s.produced += tell_loop(all.subspan(from, n), records.literals, s).made;
        from += n;
        gpu::prim::sync();
      }
    });
    EXPECT_TRUE(std::equal(story.text.begin(), story.text.end(), memory.begin() + static_cast<std::ptrdiff_t>(kEdge + distance))) << distance;
  }
}

}  // namespace
}  // namespace sluice::simt::test
