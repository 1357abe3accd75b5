// Lanes that guess at which bits tokens begin (speculate_bits.h): walks that come into step with each other, walks that
// never do, tokens that are no records, and walks from within skipped mark words, against tokens read one by one.
// Where a second warp writes: prim_writer_bits_test.cpp.
#if !defined(PRIM_BITS_SUITE)
#define PRIM_BITS_SUITE PrimSpeculateBits
#endif
#define SLUICE_MIN_TOKEN 1
#define SLUICE_VALUES 1
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/simt/record_engine.h"

#pragma GCC diagnostic push
#include "tests/simt/prim_quiet.h"
namespace sluice::simt::test {
namespace {
namespace gpu {
#include "runtime/prim/cuda/bit_tile.h"
#include "runtime/prim/cuda/speculate_bits.h"
}  // namespace gpu
}  // namespace
}  // namespace sluice::simt::test
#pragma GCC diagnostic pop

namespace sluice::simt::test {
namespace {

using gpu::prim::BitTile;
using gpu::prim::NoOutput;

constexpr u32 kCut = 0;  // instead of a size: no record

// 32 bits from bit `at` on, the first lowest.
u32 bits_at(const std::vector<u8>& input, u64 at) {
  u64 word = 0;
  for (u32 k = 0; k < 5 && at / 8 + k < input.size(); ++k) word |= static_cast<u64>(input[at / 8 + k]) << 8 * k;
  return static_cast<u32>(word >> at % 8);
}

u32 wide(u32 bits);

// A token's size by its first bits, and one value: they themselves.
template <u32 (*Size)(u32)> struct Tokens {
  static constexpr u64 kMostBits = Size == wide ? 121 : 64;
  static constexpr u64 kInMargin = 32;
  static constexpr bool kLate = false, kOnePart = true, kEachPart = false;
  typedef Record Own;
  u32 bits(const BitTile& tile, u32 at) const {
    const u32* const p = tile.words() + at / 32;
    return static_cast<u32>((static_cast<u64>(p[1]) << 32 | p[0]) >> at % 32);
  }
  u32 token(const BitTile& tile, u32 at, NoOutput&) const {
    const u32 size = Size(bits(tile, at));
    return size == kCut ? gpu::prim::kCannotTell : at + size;
  }
  u32 token(const BitTile& tile, u32 at, Record& out) const {
    out.literals = 1;
    out.from = static_cast<u8>(bits(tile, at));
    NoOutput none;
    return token(tile, at, none);
  }
};

// Whatever is in them: walks that do not begin in step with each other never are.
u32 eight(u32) { return 8; }
// Walks meet after a few tokens. Some tokens jump over whole mark words.
u32 any(u32 bits) { return 1 + bits % 16; }
// Or one of them.
u32 two_words(u32 bits) { return bits % 4 == 0 ? 64 - bits / 4 % 32 : 3 + bits % 8; }
u32 wide(u32 bits) { return bits % 8 == 0 ? 90 + bits / 8 % 32 : 3 + bits % 8; }
// One token in some thousands is no record.
u32 cut(u32 bits) { return bits % 4096 == 77 ? kCut : any(bits); }

struct Chunk {
  static constexpr gpu::prim::Input kInput = gpu::prim::Input::Lsb;
  const u8* in = nullptr;
  u64 size = 0, pos = 0, end = 0;
  u8* out = nullptr;
  u64 produced = 0, out_end = 0, window = 0;
  u64 byte() const { return pos >> 3; }
};

struct Outcome {
  bool left = false;  // to the loop of strategy `warp`
  Chunk stream;
};

constexpr std::size_t kRoom = 1 << 16;
alignas(16) u8 text[kRoom];

template <u32 (*Size)(u32)> Outcome outcome_of(const std::vector<u8>& input, u64 first) {
  alignas(16) static u8 memory[1 << 15];
  std::ranges::copy(input, memory);
  Outcome told;
  run_chunk(first, [&] {
    Chunk s;
    s.in = memory;
    s.size = input.size();
    s.end = 8 * input.size();
    s.pos = first;
    s.out = text;
    s.out_end = kRoom;
    const bool left = gpu::prim::speculate_bits<true, Tokens<Size>>(s);
    if (gpu::prim::lane() == 0) told = {left, s};
  });
  return told;
}

std::vector<u8> noise(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<u8> input(size);
  for (u8& b : input) b = static_cast<u8>(random());
  return input;
}

// What has been made is what tokens one by one make. Where the last one ends.
template <u32 (*Size)(u32)> void expect_tokens(const std::vector<u8>& input, u64 first, const Outcome& told) {
  u64 at = first;
  for (u64 i = 0; i < told.stream.produced; ++i) {
    const u32 bits = bits_at(input, at), size = Size(bits);
    ASSERT_NE(size, kCut) << first << ": token " << i;
    ASSERT_EQ(text[i], static_cast<u8>(bits)) << first << ": token " << i << " of " << told.stream.produced;
    at += size;
  }
  EXPECT_EQ(told.stream.pos, at) << first;
}

// All tokens but one that does not end before the input.
template <u32 (*Size)(u32)> void expect_all(const std::vector<u8>& input, const Outcome& told) {
  EXPECT_FALSE(told.left);
  EXPECT_GE(told.stream.pos + Size(bits_at(input, told.stream.pos)), 8 * input.size());
}

TEST(PRIM_BITS_SUITE, WalksThatMeetFindEveryToken) {
  for (u64 first = 0; first < 60; first += 7) {
    const auto input = noise(9000 + first, static_cast<unsigned>(first));
    const Outcome told = outcome_of<any>(input, first);
    expect_all<any>(input, told);
    expect_tokens<any>(input, first, told);
  }
}

TEST(PRIM_BITS_SUITE, TokensOverWholeMarkWords) {
  for (u64 first = 0; first < 60; first += 7) {
    const auto input = noise(9000, static_cast<unsigned>(first));
    const Outcome told = outcome_of<wide>(input, first);
    expect_all<wide>(input, told);
    expect_tokens<wide>(input, first, told);
    const Outcome of_two = outcome_of<two_words>(input, first);
    expect_all<two_words>(input, of_two);
    expect_tokens<two_words>(input, first, of_two);
  }
}

TEST(PRIM_BITS_SUITE, WhatIsNoRecordIsLeft) {
  u64 tokens = 0;
  for (u64 first = 0; first < 200; first += 9) {
    const auto input = noise(9000, static_cast<unsigned>(first));
    const Outcome told = outcome_of<cut>(input, first);
    EXPECT_FALSE(told.left) << first;
    expect_tokens<cut>(input, first, told);
    const u64 at = told.stream.pos;
    const u32 size = cut(bits_at(input, at));
    EXPECT_TRUE(size == kCut || at + size >= 8 * input.size()) << first << " stops at " << at;
    tokens += told.stream.produced;
  }
  EXPECT_GT(tokens, 10000u);
}

TEST(PRIM_BITS_SUITE, WalksThatNeverMeetAreLeft) {
  const auto input = noise(20000, 5);
  for (u64 first = 0; first < 40; first += 3) {
    const Outcome told = outcome_of<eight>(input, first);
    const bool in_step = first % 8 == 0;
    EXPECT_EQ(told.left, !in_step) << first;
    if (in_step) expect_all<eight>(input, told);
    else EXPECT_LE(told.stream.produced, gpu::prim::kPoorTiles * (gpu::prim::kBitTileBits / 8 + 1)) << first;
    expect_tokens<eight>(input, first, told);
  }
}

// Inputs of a few bytes, and of none.
TEST(PRIM_BITS_SUITE, LittleInput) {
  for (std::size_t size = 0; size < 40; ++size) {
    const auto input = noise(size, static_cast<unsigned>(size));
    for (const u64 first : {u64{0}, u64{5}, 4 * u64{size}, 8 * u64{size}}) {
      if (first > 8 * size) continue;
      const Outcome told = outcome_of<any>(input, first);
      expect_all<any>(input, told);
      expect_tokens<any>(input, first, told);
    }
  }
}

}  // namespace
}  // namespace sluice::simt::test
