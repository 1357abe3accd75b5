#pragma once
// Tokens put together in registers (runtime/prim/join.h), against the same bytes one by one: every prefix and rest, and as much in front
// of the input's place as there has to be. Nothing else is moved, and no byte is looked at or written beyond what the header promises.
// Included by a file for each kind of vectors, of which JOIN_SUITE is the name and JOIN_RUNS whether the machine has them.
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
#include "runtime/prim/place.h"
#include "runtime/prim/join.h"
// clang-format on

constexpr u64 kMost = prim::kJoinedBytes;

bool joined(prim::Held& before, u8*& out, const u8* start, const u8*& in, u64 prefix, u64 rest) {
  return prim::join(before, out, prim::Source{start}, in, prefix, rest);
}
u64 alone(prim::Held& before, u8*& out, const u8* out_limit, const u8* start, const u8*& in, const u8* in_limit, const u16* prefixes, const u32* rests,
          u64 most, u64& size) {
  u64 many = 0;
  const bool done = prim::join_alone(before, out, out_limit, prim::Source{start}, in, in_limit, prefixes, rests, most, many, size);
  EXPECT_EQ(done, many != 0);
  return many;
}
void held(prim::Held& before, const u8* out, u64 n, const u8* window) { prim::hold(before, out, n, window); }
}  // namespace
#pragma GCC diagnostic pop

namespace {

// A token of `old` bytes, and one of `prefix` of them and `rest` of the input, of which `front` bytes lie in front.
void together(u64 old, u64 prefix, u64 rest, u64 front) {
  sluice::test::Random random(old << 20 ^ prefix << 10 ^ rest);
  sluice::test::GuardedBuffer input(front + kMost, sluice::test::Flush::End), room(old + kMost, sluice::test::Flush::End);
  for (u8& byte : input.bytes()) byte = static_cast<u8>(random.next());
  for (u8& byte : room.bytes()) byte = static_cast<u8>(random.next());
  const std::vector<u8> first(room.bytes().begin(), room.bytes().end());
  prim::Held before = {};
  u8* out = room.bytes().data() + old;
  const u8 *const start = input.bytes().data(), *in = start + front;
  held(before, out, old, room.bytes().data());
  ASSERT_EQ(before.size, std::min(old, kMost));
  const bool fits = prefix <= std::min({old, kMost, front}) && rest <= kMost - prefix;
  ASSERT_EQ(joined(before, out, start, in, prefix, rest), fits);
  ASSERT_EQ(out - room.bytes().data(), static_cast<std::ptrdiff_t>(old + (fits ? prefix + rest : 0)));
  ASSERT_EQ(in - start, static_cast<std::ptrdiff_t>(front + (fits ? rest : 0)));
  ASSERT_TRUE(std::equal(first.begin(), fits ? first.begin() + static_cast<std::ptrdiff_t>(old) : first.end(), room.bytes().begin()));
  if (!fits) return;
  ASSERT_EQ(before.size, prefix + rest);
  for (u64 k = 0; k < prefix + rest; ++k)
    ASSERT_EQ(room.bytes()[old + k], k < prefix ? first[k] : input.bytes()[front + k - prefix]) << prefix << " and " << rest << ", byte " << k;
}

TEST(JOIN_SUITE, EveryPrefixAndRest) {
  if (!JOIN_RUNS) GTEST_SKIP() << "this processor has no such vectors";
  for (u64 prefix = 0; prefix <= kMost + 1; ++prefix)
    for (u64 rest = 0; rest <= kMost + 1; ++rest) together(prefix + rest % 3, prefix, rest, prefix + rest % 2);
}

TEST(JOIN_SUITE, WhatIsNotHeldIsNotDone) {
  if (!JOIN_RUNS) GTEST_SKIP() << "this processor has no such vectors";
  together(9, 10, 3, 20);           // more than the token before
  together(100, 65, 0, 100);        // more than is held
  together(20, 10, 3, 9);           // what is loaded would begin in front of the input
  together(20, ~0ull, 2, 20);       // a sum that wraps
  together(20, 2, ~0ull, 20);
}

// Note [alone]: `prefixes` and `rests`, of which the room of input and output has so much.
void tokens_alone(const std::vector<u16>& prefixes, const std::vector<u32>& rests, u64 input, u64 output, u64 expected) {
  sluice::test::Random random(prefixes.size() << 20 ^ input << 10 ^ output);
  sluice::test::GuardedBuffer text(input + kMost, sluice::test::Flush::End), room(output + kMost, sluice::test::Flush::End);
  for (u8& byte : text.bytes()) byte = static_cast<u8>(random.next());
  prim::Held before = {};
  before.size = 3;
  const u8 *const start = text.bytes().data(), *in = start;
  u8 *const begin = room.bytes().data(), *out = begin;
  u64 size = 99, all = 0;
  ASSERT_EQ(alone(before, out, begin + output, start, in, start + input, prefixes.data(), rests.data(), prefixes.size(), size), expected);
  for (u64 k = 0; k < expected; ++k) all += rests[k];
  ASSERT_EQ(static_cast<u64>(in - start), all);
  ASSERT_EQ(static_cast<u64>(out - begin), all);
  ASSERT_TRUE(std::equal(start, in, begin));
  if (expected == 0) {
    ASSERT_EQ(before.size, 3u);
    ASSERT_EQ(size, 99u);
    return;
  }
  ASSERT_EQ(size, rests[expected - 1]);
  ASSERT_EQ(before.size, std::min<u64>(size, kMost));
  // The next one goes on from what is held of the last.
  const u64 prefix = std::min<u64>(before.size, 5);
  if (static_cast<u64>(in - start) < prefix || static_cast<u64>(out - begin) > output || static_cast<u64>(in - start) > input) return;
  const std::vector<u8> last(out - size, out - size + static_cast<std::ptrdiff_t>(prefix));
  ASSERT_TRUE(joined(before, out, start, in, prefix, 0));
  ASSERT_TRUE(std::equal(last.begin(), last.end(), out - prefix));
}

TEST(JOIN_SUITE, TokensAlone) {
  if (!JOIN_RUNS) GTEST_SKIP() << "this processor has no such vectors";
  tokens_alone({0, 0, 0, 7}, {5, 0, 200, 9}, 1000, 1000, 3);
  tokens_alone({0, 0, 0, 0}, {5, 70, 200, 9}, 1000, 1000, 4);
  tokens_alone({0, 0, 0, 0}, {0, 0, 0, 0}, 0, 0, 4);
  tokens_alone({0, 7}, {64, 5}, 1000, 1000, 0);      // one is join()'s, which has all of it in registers
  tokens_alone({0, 7}, {65, 5}, 1000, 1000, 1);      // and this one it has not
  tokens_alone({0}, {500}, 1000, 1000, 0);
  tokens_alone({0, 0, 0}, {100, 100, 101}, 300, 1000, 2);  // as far as the input has room, and the output
  tokens_alone({0, 0, 0}, {100, 100, 100}, 300, 300, 3);
  tokens_alone({0, 0, 0}, {100, 100, 101}, 1000, 300, 2);
  tokens_alone({0, 0, 0}, {301, 1, 1}, 300, 1000, 0);
  tokens_alone({0, 0, 0}, {100, ~0u, ~0u}, 300, 1000, 1);
}

// Bytes in front of the window are no token's.
TEST(JOIN_SUITE, TheWindow) {
  if (!JOIN_RUNS) GTEST_SKIP() << "this processor has no such vectors";
  std::vector<u8> room(8 + kMost);
  prim::Held before = {};
  held(before, room.data() + 8, 8, room.data());
  EXPECT_EQ(before.size, 8u);
  held(before, room.data() + 8, 8, room.data() + 1);
  EXPECT_EQ(before.size, 0u);
}

}  // namespace
