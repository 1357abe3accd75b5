// A team: several warps that find one chunk's tokens and make its output, against copies done byte by byte and against
// tokens read one after the other. Other teams: prim_team_of_two_test.cpp, prim_team_of_eight_test.cpp.
#if !defined(SLUICE_TEAM)
#define SLUICE_TEAM 4
#define PRIM_TEAM_SUITE PrimTeam
#endif
#define SLUICE_MIN_TOKEN 1
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "tests/simt/record_tokens.h"
#include "tests/support/guard.h"

#pragma GCC diagnostic push
#include "tests/simt/prim_quiet.h"
namespace sluice::simt::test {
namespace {
namespace gpu {
#include "runtime/prim/cuda/team.h"
#include "runtime/prim/cuda/team_steps.h"
#include "runtime/prim/cuda/team_speculate.h"
}  // namespace gpu
}  // namespace
}  // namespace sluice::simt::test
#pragma GCC diagnostic pop

namespace sluice::simt::test {
namespace {

using gpu::prim::kTeamRound;
using gpu::prim::kTeamThreads;

// All threads do what decode_together() does with records. `input`: their literals, wherever they lie.
Told tell_team(const Records& records, std::span<const u8> input, const Stream& s, std::uint64_t seed) {
  Told told;
  const auto before = static_cast<u32>(reinterpret_cast<std::uintptr_t>(input.data()) % gpu::prim::kUnitBytes);
  const Report report = launch(grid(kTeamThreads, seed), [&] {
    gpu::prim::TeamSteps g;
    g.open<true>(s, input.data() - before, before + static_cast<u32>(input.size()));
    u32 next = 0;
    bool refused = false;
    for (;;) {
      while (!refused && next < records.list.size() && g.added - g.done < kTeamRound) {
        const bool have = next + threadIdx.x < records.list.size();
        Record r = have ? records.list[next + threadIdx.x] : Record{0, 0, 0, 0};
        r.from += before;
        next += gpu::prim::add_team_records<true>(g, have, r, refused);
      }
      if (g.added == g.done) break;
      gpu::prim::write_known_rounds(g);
    }
    if (threadIdx.x == 0) told = {next, g.done - g.first, refused};
  });
  EXPECT_TRUE(report.ok()) << report.text;
  return told;
}

// The input between pages that nobody may touch.
void expect_text(const Story& story, std::uint64_t seed, std::size_t skew) {
  const std::size_t start = kEdge + skew, size = story.text.size();
  std::vector<u8> memory(start + size + kEdge, kBlank);
  const Records records(story);
  sluice::test::GuardedBuffer input(records.literals, seed % 2 == 0 ? sluice::test::Flush::Start : sluice::test::Flush::End);
  const Told told = tell_team(records, input.bytes(), {memory.data() + start, 0, size, 0}, seed);
  EXPECT_EQ(told.taken, records.list.size());
  EXPECT_EQ(told.made, size);
  EXPECT_FALSE(told.refused);
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const bool inside = i >= start && i < start + size;
    ASSERT_EQ(memory[i], inside ? story.text[i - start] : kBlank)
        << "byte " << i << " of " << size << ", seed " << seed;
  }
}

TEST(PRIM_TEAM_SUITE, CopiesOfAllKinds) {
  std::mt19937 random(0x7ea3);
  std::uint64_t seed = 0;
  for (const u32 farthest : {1u, 9u, 300u, 5000u})
    for (const u32 longest : {5u, 64u, 600u})
      for (const u32 tokens : {1u, 33u, kTeamThreads + 1, 300u}) {
        ++seed;
        expect_text(random_story(random, tokens, farthest, longest), seed, seed % 17);
      }
}

// Sources that lead from byte to byte through the whole round, and through the steps of all warps.
TEST(PRIM_TEAM_SUITE, ChainsOfCopiesThroughARound) {
  for (const u32 distance : {1u, 2u, 31u, 33u, 127u, 129u}) {
    Story story;
    story.add({distance, 1, 0});
    for (u32 i = 0; i < 3 * kTeamRound; ++i) story.add({0, distance, 1 + i % 2});
    expect_text(story, distance, distance % 16);
  }
  Story story;
  story.add({1, 1, 0});
  for (u32 i = 0; i < 900; ++i) story.add({i % 7 == 0 ? 1u : 0u, 1 + i % 3, 1 + i % 5 / 4});
  expect_text(story, 7, 3);
}

// Whole rounds of literals, of copies from afar and of short periods; the last literals end where the input does.
TEST(PRIM_TEAM_SUITE, LongParts) {
  for (u32 seed = 0; seed < 20; ++seed) {
    Story story;
    story.add({2 * kTeamRound + 100 + seed, 1, 0});
    for (const u32 distance : {1u, 3u, 64u, 127u, kTeamRound - 1, kTeamRound, kTeamRound + 1, kTeamRound + 190})
      story.add({seed % 3, distance, 2 * kTeamRound + 61 * (seed % 5)});
    story.add({1 + seed, 230, 1});
    story.add({3 * kTeamRound + 97 * (seed % 7), 1, 0});
    expect_text(story, seed, seed % 17);
  }
}

// Those that begin with a round, whose marks are taken back: wherever the output lies, one of the first literals ends there.
TEST(PRIM_TEAM_SUITE, LongPartsFromTheStartOfARound) {
  for (u32 units = 0; units < gpu::prim::kStepBytes / gpu::prim::kUnitBytes; ++units) {
    Story story;
    story.add({kTeamRound - units * gpu::prim::kUnitBytes, 1, 0});
    for (const u32 distance : {3u, kTeamRound / 2, 2 * kTeamRound - 130}) {
      story.add({0, std::min<u32>(distance, static_cast<u32>(story.text.size())), 2 * kTeamRound});
      story.add({2 * kTeamRound, 1, 0});
    }
    expect_text(story, units, 0);
  }
}

// Wherever in a round and in a word they end.
TEST(PRIM_TEAM_SUITE, LongLiteralsAtTheEndOfTheInput) {
  for (u32 more = 0; more < kTeamRound; more += 1 + more % 3 * 31)
    for (const u32 skew : {0u, 1u}) {
      Story story;
      story.add({1 + more % 4, 1, 5});
      story.add({2 * gpu::prim::kLongRounds + more, 1, 0});
      expect_text(story, 2 * more + 1, skew);
    }
}

// In the first warp's records and in the last one's.
TEST(PRIM_TEAM_SUITE, WhatIsNotSoundIsLeft) {
  std::vector<u8> memory(4096, kBlank);
  std::vector<u8> input(64, 1);
  const auto told_of = [&](const Record& bad, u64 room, u32 sound) {
    Records records{Story()};
    records.literals = input;
    records.list = {{5, 0, 100, 5}};
    for (u32 i = 1; i < sound; ++i) records.list.push_back({1, 5, 1, 1});
    records.list.push_back(bad);
    for (u32 i = 0; i < 70; ++i) records.list.push_back({1, 0, 0, 0});
    return tell_team(records, records.literals, {memory.data() + 64, 0, room, 0}, 1);
  };
  for (const u32 sound : {2u, 31u, 32u, 33u, kTeamThreads - 1, kTeamThreads, kTeamThreads + 3}) {
    const u32 made = 105 + 2 * (sound - 1);
    const auto expect_left = [&](const Record& bad, u64 room) {
      const Told told = told_of(bad, room, sound);
      EXPECT_TRUE(told.refused);
      EXPECT_EQ(told.taken, sound);
      EXPECT_EQ(told.made, made);
    };
    expect_left({0, 0, 4, made + 1}, 2000);                     // reaches before the window
    expect_left({0, 0, 4, 0}, 2000);                            // from nowhere
    expect_left({2, 0, 4, 1}, made + 5);                        // no room
    expect_left({0, 0, gpu::prim::kMaxLength, 1}, 1 << 30);     // longer than the engine takes
    expect_left({0, 0, 4, gpu::prim::kMaxDistance + 1}, 2000);  // farther
    EXPECT_FALSE(told_of({2, 0, 4, made + 2}, 2000, sound).refused);
  }
}

// Tokens of `input` from `first` on, up to what is left. It lies `skew` bytes behind a multiple of 16, between pages that nobody
// may touch where the tile's loads would leave it.
template <typename T>
Outcome outcome_of(const std::vector<u8>& input, std::size_t first, u8* text, std::size_t room, std::size_t skew = 0) {
  std::vector<u8> padded(skew);
  padded.insert(padded.end(), input.begin(), input.end());
  sluice::test::GuardedBuffer memory(padded, sluice::test::Flush::Start);
  Outcome told;
  const Report report = launch(grid(kTeamThreads, first + skew), [&] {
    if (threadIdx.x >= gpu::prim::kLanes) {
      while (gpu::prim::next_job() != 0) gpu::prim::decode_together<true, T>();
      return;
    }
    Chunk s;
    s.in = memory.bytes().data() + skew;
    s.size = s.end = input.size();
    s.pos = first;
    s.out = text;
    s.out_end = room;
    const T tokens;
    const bool left = gpu::prim::team_speculate<true>(s, tokens, 1);
    gpu::prim::end_jobs();
    if (gpu::prim::lane() == 0) told = {left, s};
  });
  EXPECT_TRUE(report.ok()) << report.text;
  return told;
}

std::vector<u8> random_input(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<u8> input(size);
  for (u8& b : input) b = static_cast<u8>(random());
  return input;
}

template <typename Size, typename T = Tokens<Size>> void expect_every_token(std::size_t first, std::size_t size) {
  std::vector<u8> text(size + 1, kBlank);
  const std::vector<u8> input = random_input(first + size, static_cast<unsigned>(first));
  const Outcome told = outcome_of<T>(input, first, text.data() + first % 2, size, first * 7 % 16);
  EXPECT_FALSE(told.left) << first;
  std::size_t at = first;
  for (u64 i = 0; i < told.stream.produced; ++i) {
    ASSERT_EQ(text[i + first % 2], input[at + 1]) << first << ": byte " << i << " of " << told.stream.produced;
    at += Size::of(Whole{input}, static_cast<u32>(at));
  }
  EXPECT_EQ(told.stream.pos, at) << first;
  // All tokens but the one that does not end before the region.
  EXPECT_LT(at, input.size()) << first;
  EXPECT_GE(at + Size::of(Whole{input}, static_cast<u32>(at)), input.size()) << first;
}

// Tokens over several segments, into the next slice: they begin there in the middle of a segment that nobody walks.
struct Long {
  template <typename T> static u32 of(const T& tile, u32 at) { return 40 + tile.byte(at); }
};

TEST(PRIM_TEAM_SUITE, WalksThatMeetFindEveryToken) {
  for (std::size_t first = 0; first < 12; ++first) {
    expect_every_token<ThreeToSeven>(first, 20000);
    expect_every_token<LongNowAndThen>(first, 20000);
    expect_every_token<LongNowAndThen, ToldByTheFirstByte>(first, 20000);
  }
}
// Of 1 to 3 of 280 bytes: slices that nothing begins in but there, and tiles that end anywhere.
TEST(PRIM_TEAM_SUITE, TokensOverSeveralSegments) {
  for (std::size_t first = 0; first < 12; ++first) expect_every_token<Long>(first, 30000 + 111 * first);
}
TEST(PRIM_TEAM_SUITE, ChunksOfLessThanASlice) {
  for (const std::size_t size : {8, 9, 31, 32, 33, 64, 200, 1000, 1023, 1024, 1025, 1100, 2047, 2050})
    for (const std::size_t first : {0, 5}) {
      expect_every_token<ThreeToSeven>(first, size);
    }
}

// No walk meets the ones that slices begin with: all of them learn where they come in, and no slice is lost.
TEST(PRIM_TEAM_SUITE, EverySliceOfATileIsOfUse) {
  const std::vector<u8> input = random_input(2 * gpu::prim::kTeamTileRoom, 9);
  for (u32 first = 0; first < 4; ++first) {
    u32 found = 0, exit = 0;
    const Report report = launch(grid(kTeamThreads, first), [&] {
      gpu::prim::TeamRoom* const room = &gpu::prim::team_room;
      for (u32 i = threadIdx.x; i < gpu::prim::kTeamTileRoom; i += kTeamThreads)
        reinterpret_cast<u8*>(room->tile)[i] = input[i];
      __syncthreads();
      gpu::prim::TokenList list = {room->starts, 0, 0, 0, 0, false, gpu::prim::Far::Nothing};
      gpu::prim::find_team_tokens(Tokens<Always<4>>(), room, list, {room->tile, 0, static_cast<u32>(input.size())}, first);
      if (threadIdx.x == 0) found = list.count, exit = list.exit;
    });
    ASSERT_TRUE(report.ok()) << report.text;
    EXPECT_EQ(found, gpu::prim::kTeamTileBytes / 4) << first;
    EXPECT_EQ(exit, gpu::prim::kTeamTileBytes + first) << first;
  }
}

// A chunk whose rules come to such loops again and again, in regions that end anywhere.
TEST(PRIM_TEAM_SUITE, OneJobAfterTheOther) {
  const std::vector<u8> input = random_input(9000, 5);
  std::vector<u8> text(input.size());
  Chunk s;
  const Report report = launch(grid(kTeamThreads, 3), [&] {
    if (threadIdx.x >= gpu::prim::kLanes) {
      for (u32 job; (job = gpu::prim::next_job()) != 0;) {
        if (job == 1) gpu::prim::decode_together<true, Tokens<ThreeToSeven>>();
        if (job == 2) gpu::prim::decode_together<true, Tokens<LongNowAndThen>>();
      }
      return;
    }
    Chunk mine;
    mine.in = input.data();
    mine.size = input.size();
    mine.out = text.data();
    mine.out_end = text.size();
    for (const u64 end : {20, 21, 700, 3000, 3001, 8000, 9000}) {
      mine.end = end;
      gpu::prim::team_speculate<true>(mine, Tokens<ThreeToSeven>(), 1);
      gpu::prim::team_speculate<true>(mine, Tokens<LongNowAndThen>(), 2);
    }
    gpu::prim::end_jobs();
    if (gpu::prim::lane() == 0) s = mine;
  });
  ASSERT_TRUE(report.ok()) << report.text;
  std::size_t at = 0;
  u64 made = 0;
  for (const std::size_t end : {20, 21, 700, 3000, 3001, 8000, 9000}) {
    const auto tokens = [&](auto size) {
      for (std::size_t n; (n = decltype(size)::of(Whole{input}, static_cast<u32>(at))) < end - at; at += n)
        ASSERT_EQ(text[made++], input[at + 1]) << at;
    };
    tokens(ThreeToSeven());
    tokens(LongNowAndThen());
  }
  EXPECT_EQ(s.pos, at);
  EXPECT_EQ(s.produced, made);
}

template <u32 Bytes> Outcome outcome_of_walks(std::size_t first, std::size_t tokens) {
  std::vector<u8> text(tokens);
  std::vector<u8> input(first + Bytes * tokens);
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<u8>(i * 7 ^ i >> 5);
  const Outcome told = outcome_of<Tokens<Always<Bytes>>>(input, first, text.data(), text.size());
  EXPECT_EQ(told.stream.pos, first + Bytes * told.stream.produced) << first;
  for (u64 i = 0; i < told.stream.produced; ++i)
    if (text[i] != input[first + Bytes * i + 1]) return ADD_FAILURE() << first << ": byte " << i, told;
  return told;
}

TEST(PRIM_TEAM_SUITE, WalksThatNeverMeetAreRepairedOneByOne) {
  for (std::size_t first = 0; first < 8; ++first) {
    const Outcome told = outcome_of_walks<4>(first, 9000);
    EXPECT_FALSE(told.left) << first;
    EXPECT_EQ(told.stream.produced, 8999u) << first;  // the last one does not end before the region
  }
}

TEST(PRIM_TEAM_SUITE, WalksThatNeverMeetAndFindLittleAreLeft) {
  const Outcome told = outcome_of_walks<28>(1, 500 * gpu::prim::kTeam);
  EXPECT_TRUE(told.left);
  EXPECT_GT(told.stream.produced, 0u);
  EXPECT_LE(told.stream.produced, gpu::prim::kPoorTiles * gpu::prim::kTeam * gpu::prim::kFewTokens);
}

TEST(PRIM_TEAM_SUITE, TokensThatNoTileHolds) {
  std::mt19937 random(11);
  std::vector<u8> input, expected;
  const auto literals = [&](u32 n) {
    input.push_back(static_cast<u8>(n));
    input.push_back(static_cast<u8>(n >> 8));
    for (; n > 0; --n) {
      input.push_back(static_cast<u8>(random()));
      expected.push_back(input.back());
    }
  };
  const auto copy = [&](u32 length, u32 distance) {
    input.push_back(static_cast<u8>(length));
    input.push_back(static_cast<u8>(distance - 1));
    for (; length > 0; --length) expected.push_back(expected[expected.size() - distance]);
  };
  for (const u32 n : {300, 5, 3000, 2500, 1, 0, 12000, 3, 1400, 9, 700}) {
    literals(n);
    copy(n % 7 * 30, 1 + n % 256);
  }
  literals(1);  // and one that does not end before the region
  for (const std::size_t skew : {0, 3}) {
    std::vector<u8> text(expected.size());
    const Outcome told = outcome_of<LongTokens>(input, 0, text.data(), text.size(), skew);
    EXPECT_FALSE(told.left);
    EXPECT_EQ(told.stream.pos, input.size() - 3);
    ASSERT_EQ(told.stream.produced, expected.size() - 1);
    for (std::size_t i = 0; i + 1 < expected.size(); ++i) ASSERT_EQ(text[i], expected[i]) << i;
  }
}

}  // namespace
}  // namespace sluice::simt::test
