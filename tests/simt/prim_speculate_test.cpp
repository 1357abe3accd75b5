// Tokens of which nobody knows where they begin, found by one warp: walks that meet and that never do, tokens that no tile holds.
// With a warp that writes: prim_writer_test.cpp; with one that walks: prim_walker_test.cpp.
#if !defined(PRIM_SPECULATE_SUITE)
#define PRIM_SPECULATE_SUITE PrimSpeculate
#endif
#define SLUICE_MIN_TOKEN 1
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/simt/record_tokens.h"

namespace sluice::simt::test {
namespace {

// Tokens of `input` from `first` on, up to what is left.
template <typename T> Outcome outcome_of(const std::vector<u8>& input, std::size_t first, u8* text, std::size_t room) {
  alignas(16) static u8 memory[16384];
  std::ranges::copy(input, memory);
  Outcome told;
  run_chunk(first, [&] {
    Chunk s;
    s.in = memory;
    s.size = s.end = input.size();
    s.pos = first;
    s.out = text;
    s.out_end = room;
    T tokens;
    const bool left = gpu::prim::speculate<true, Walks>(s, tokens);
    if (gpu::prim::lane() == 0) told = {left, s};
  }, WalksOf<T>());
  return told;
}

template <u32 Bytes> Outcome outcome_of_walks(std::size_t first, std::size_t tokens) {
  alignas(16) static u8 text[4096];
  std::vector<u8> input(first + Bytes * tokens);
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<u8>(i * 7 ^ i >> 5);
  const Outcome told = outcome_of<Tokens<Always<Bytes>>>(input, first, text, sizeof text);
  EXPECT_EQ(told.stream.pos, first + Bytes * told.stream.produced) << first;
  for (u64 i = 0; i < told.stream.produced; ++i)
    if (text[i] != input[first + Bytes * i + 1]) return ADD_FAILURE() << first << ": byte " << i, told;
  return told;
}

TEST(PRIM_SPECULATE_SUITE, WalksThatNeverMeetAreRepairedOneByOne) {
  for (std::size_t first = 0; first < 20; ++first) {
    const Outcome told = outcome_of_walks<4>(first, 3000);
    EXPECT_FALSE(told.left) << first;
    EXPECT_EQ(told.stream.produced, 2999u) << first;  // the last one does not end before the region
  }
}

TEST(PRIM_SPECULATE_SUITE, WalksThatNeverMeetAndFindLittleAreLeft) {
  for (std::size_t first = 0; first < 20; ++first) {
    const Outcome told = outcome_of_walks<28>(first, 500);
    const bool in_step = first % 4 == 0;  // one lane in seven is, and so is whoever it is one repair away from
    EXPECT_EQ(told.left, !in_step) << first;
    if (in_step)
      EXPECT_EQ(told.stream.produced, 499u) << first;
    else
      EXPECT_LE(told.stream.produced, gpu::prim::kPoorTiles * gpu::prim::kFewTokens) << first;
  }
}

template <typename Size, typename T = Tokens<Size>> void expect_every_token(std::size_t first, std::size_t size = 12000) {
  alignas(16) static u8 text[4096];
  std::mt19937 random(static_cast<unsigned>(first + size));
  std::vector<u8> input(first + size);
  for (u8& b : input) b = static_cast<u8>(random());
  const Outcome told = outcome_of<T>(input, first, text, sizeof text);
  EXPECT_FALSE(told.left) << first;
  std::size_t at = first;
  for (u64 i = 0; i < told.stream.produced; ++i) {
    ASSERT_EQ(text[i], input[at + 1]) << first << ": byte " << i << " of " << told.stream.produced;
    at += Size::of(Whole{input}, static_cast<u32>(at));
  }
  EXPECT_EQ(told.stream.pos, at) << first;
  // All tokens but the one that does not end before the region, or where it does.
  EXPECT_LT(at, input.size() + T::kToEnd) << first;
  if (at == input.size()) return;
  EXPECT_GE(at + Size::of(Whole{input}, static_cast<u32>(at)), input.size() + T::kToEnd) << first;
}

TEST(PRIM_SPECULATE_SUITE, WalksThatMeetFindEveryToken) {
  for (std::size_t first = 0; first < 40; ++first) {
    expect_every_token<ThreeToSeven>(first);
    expect_every_token<LongNowAndThen>(first);
    expect_every_token<LongNowAndThen, ToldByTheFirstByte>(first);
  }
}

TEST(PRIM_SPECULATE_SUITE, RegionsOfAllSizes) {
  for (const std::size_t around : {1u, 1024u - 8, 1024u + 320 - 24, 2048u}) {
    for (std::size_t size = around; size < around + 32; ++size) {
      expect_every_token<ThreeToSeven>(size % 17, size);
      expect_every_token<ThreeToSeven, ToTheEnd>(size % 17, size);
    }
  }
}

TEST(PRIM_SPECULATE_SUITE, TokensThatNoTileHolds) {
  alignas(16) static u8 text[16384];
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
  for (const u32 n : {300, 5, 3000, 2500, 1, 0, 4000}) {
    literals(n);
    copy(n % 7 * 30, 1 + n % 256);
  }
  literals(1);  // and one that does not end before the region
  const Outcome told = outcome_of<LongTokens>(input, 0, text, sizeof text);
  EXPECT_FALSE(told.left);
  EXPECT_EQ(told.stream.pos, input.size() - 3);
  ASSERT_EQ(told.stream.produced, expected.size() - 1);
  for (std::size_t i = 0; i + 1 < expected.size(); ++i) ASSERT_EQ(text[i], expected[i]) << i;
}

}  // namespace
}  // namespace sluice::simt::test
