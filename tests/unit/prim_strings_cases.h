#pragma once
// Tokens that stand for strings (take_strings of runtime/prim/code_table.h), against the same tokens one by one: with and without escapes,
// up to one that is not told, into rooms of any size. No byte is looked at or written beyond what it is given. Included by a file for each
// kind of vectors: STRINGS_SUITE is the name, VECTORS_ON and VECTORS_OFF what stands around code for them, VECTORS_RUN whether the machine
// has them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tests/support/guard.h"
#include "tests/support/random.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
#include VECTORS_ON
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
#include "runtime/prim/place.h"
#include "runtime/prim/bitbuffer.h"
#include "runtime/prim/vectors.h"
#include "runtime/prim/code_table.h"
// clang-format on

void tell(prim::CodeStrings& strings, u32 first, u64 taken, u64 size, const u8* made) { prim::tell_string(strings, first, taken, size, made); }
void take(const prim::CodeStrings& strings, u8*& to, u8* limit, const u8*& from, const u8* end) { prim::take_strings(strings, to, limit, from, end); }
u64 count(const prim::CodeStrings& strings, const u8*& from, const u8* end) {
  prim::Place to{0}, limit{~0ull >> 1};
  prim::take_strings(strings, to, limit, from, end);
  return to.at;
}

#include VECTORS_OFF
#pragma GCC diagnostic pop

constexpr u32 kEscape = 255, kFurtherEscape = 100, kUntold = 7, kNone = 5;

struct Strings {
  std::array<std::vector<u8>, 256> text;  // of escapes and of what is not told, none
  u32 escapes = 1;
  [[nodiscard]] bool is_escape(u32 first) const { return (escapes > 0 && first == kEscape) || (escapes > 1 && first == kFurtherEscape); }
  prim::CodeStrings told;
};
Strings strings_of(sluice::test::Random& random, u32 escapes) {
  Strings strings{};
  strings.escapes = escapes;
  for (u32 first = 0; first < 256; ++first) {
    std::array<u8, 8> made{};
    for (u8& byte : made) byte = static_cast<u8>(random.next());
    const u64 size = escapes == 0 ? (first == kNone ? 0 : 1 + random.next() % 8) : random.next() % 9;  // none, too
    if (strings.is_escape(first)) tell(strings.told, first, 2, 1, made.data());
    else if (first == kUntold) tell(strings.told, first, 3, 1, made.data());
    else tell(strings.told, first, 1, size, made.data());
    if (!strings.is_escape(first) && first != kUntold) strings.text[first].assign(made.begin(), made.begin() + static_cast<std::ptrdiff_t>(size));
  }
  return strings;
}
// What the tokens in front of `end` make, and whether one ends there.
std::vector<u8> one_by_one(const Strings& strings, const u8* in, const u8* end, bool& whole) {
  std::vector<u8> out;
  while (in < end) {
    if (strings.is_escape(*in)) {
      if (in + 1 < end) out.push_back(in[1]);
      in += 2;
      continue;
    }
    out.insert(out.end(), strings.text[*in].begin(), strings.text[*in].end());
    ++in;
  }
  whole = in == end;
  return out;
}

TEST(STRINGS_SUITE, EveryInputAndRoom) {
  if (!VECTORS_RUN) GTEST_SKIP() << "this processor has no such vectors";
  sluice::test::Random random(11);
  u64 ended_by_untold = 0, ended_by_room = 0, ended_by_input = 0;
  for (int round = 0; round < 3000; ++round) {
    const Strings strings = strings_of(random, static_cast<u32>(round % 7 < 3 ? round % 7 : 1));  // none, one, two
    const u64 escapes = std::array<u64, 4>{0, 1, 16, 128}[round % 4], untold = round % 3 == 0 ? 1 : 0;
    const std::size_t size = random.next() % 400;
    sluice::test::GuardedBuffer input(size, sluice::test::Flush::End);
    for (std::uint8_t& byte : input.bytes()) {
      const u64 any = random.next() % 1024;
      byte = static_cast<u8>(any < escapes ? kEscape : any < escapes + untold ? kUntold : random.next() % kEscape);
      if (byte == kUntold && any >= escapes + untold) byte = kUntold + 1;
      if (round % 7 == 0 && any % 64 < 2) byte = any % 64 == 0 ? 0 : kNone;  // what isn't an escape, and what makes nothing, side by side
    }
    const std::size_t most = round % 5 == 0 ? random.next() % 1500 : 8 * size + prim::kRoundRoom;
    sluice::test::GuardedBuffer room(most, sluice::test::Flush::End);
    const u8* const in = input.bytes().data();
    const u8* const end = in + size;
    u8* const out = room.bytes().data();
    const u8* from = in;
    u8* to = out;
    take(strings.told, to, out + most, from, end);
    ASSERT_LE(from, end);
    bool whole = false;
    const std::vector<u8> expected = one_by_one(strings, in, from, whole);
    ASSERT_TRUE(whole) << "ended inside a token";
    ASSERT_TRUE(std::ranges::equal(expected, std::span(out, to)));
    // It goes on as long as there is no reason to end.
    const bool room_left = static_cast<u64>(out + most - to) >= prim::kRoundRoom, input_left = static_cast<u64>(end - from) >= prim::kRoundTaken;
    if (room_left && input_left) {
      ASSERT_EQ(*from, kUntold);
      ++ended_by_untold;
    }
    ended_by_room += !room_left;
    ended_by_input += !input_left;
    if (most < 8 * size + prim::kRoundRoom) continue;
    const u8* counted = in;
    ASSERT_EQ(count(strings.told, counted, end), static_cast<u64>(to - out));
    ASSERT_EQ(counted, from);
  }
  EXPECT_GT(ended_by_untold, 100u);
  EXPECT_GT(ended_by_room, 100u);
  EXPECT_GT(ended_by_input, 1000u);
}

}  // namespace
