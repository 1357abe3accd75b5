// Tokens that fill an array, one from each of 32 bits of which those count that follow each other, against tokens taken one after the
// other: both orders of bits, line buffers of both kinds, inputs that begin at any address and end where their pages do, and tokens that
// fail at any point, in themselves or for what those before them have filled.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/simt/kernel_fixture.h"
#include "tests/support/guard.h"

#pragma GCC diagnostic push
#include "tests/simt/prim_quiet.h"

namespace sluice::simt::test {
namespace {

#include "runtime/prim/cuda/base.h"
#include "runtime/prim/cuda/warp.h"
#include "runtime/prim/cuda/input.h"
#include "runtime/prim/cuda/copy.h"
#include "runtime/prim/cuda/codes.h"
#include "runtime/prim/turned.h"
#include "runtime/prim/cuda/stream.h"
#include "runtime/prim/cuda/bitbuffer.h"
#include "runtime/prim/cuda/fills.h"

#pragma GCC diagnostic pop

using prim::Buffer;
using prim::Input;

constexpr u32 kElements = 600, kFew = 24;
struct Array {
  u8 of[kElements];
};

// A token is a size of 4 bits, some with more behind them, and a value of as many as the size says, or none: the element before.
struct Token {
  u32 bits = 0, count = 0, value = 0;
  bool none = false;
};
template <typename Field> Token token_of(Field&& field) {
  const u32 tag = field(0, 4);
  if (tag == 15) return {4, 0, 0, true};
  if (tag >= 12) return {4 + 7, 1 + field(4, 7), prim::kElementBefore, false};
  if (tag >= 9) return {4 + 20, 1, field(4, 20) & 0xff, false};
  return {4 + tag, tag == 8 ? 40u : 1u, tag == 0 ? 200u : field(4, tag), false};
}
// What waits for the tokens before: an element in front, an end, and one test more.
bool is_left(const Token& t, u64 at, u64 end) {
  return at >= end || (t.value == prim::kElementBefore && at == 0) || at + t.count > end || (t.count == 1 && at % 97 == 96);
}

template <bool Msb> struct Tokens {
  static constexpr u32 kMostBits = 24;
  Array* m;
  u64 end;
  template <typename Index> u32 round(u32 lane, u32 src, u32 left, Index& first) const {
    const Token t = token_of([&](u32 at, u32 n) { return n == 0 ? 0 : Msb ? src << at >> (32 - n) : src >> at & ((1u << n) - 1); });
    bool bad = t.none;
    const prim::FillPlaces places = prim::fill_places(lane, bad, t.bits, t.count, left);
    bad |= is_left(t, first + places.before, end);
    return prim::fill_round<true>(places, bad, m->of, first, t.count, t.value);
  }
};

struct Case {
  u64 size = 0, skip = 0, skew = 0, first = 0, end = kElements;
};

template <Input K, Buffer B> void run(const Case& c, std::mt19937& random, unsigned seed) {
  constexpr bool kMsb = K == Input::Msb;
  SCOPED_TRACE(testing::Message() << c.size << " bytes from bit " << c.skip << ", skew " << c.skew << ", elements " << c.first << " to " << c.end);
  std::vector<u8> in(c.size);
  for (u8& b : in) b = static_cast<u8>(random());
  sluice::test::GuardedBuffer input(c.size + c.skew, sluice::test::Flush::End);
  u8* const at = input.bytes().data() + c.skew;
  std::ranges::copy(in, at);

  Array expected, made;
  for (u32 i = 0; i < kElements; ++i) expected.of[i] = static_cast<u8>(random());
  made = expected;
  u64 bit = c.skip, next = c.first, taken = 0;
  // A word of which not all bytes are input is nothing that a fast loop looks at.
  const u64 whole = 8 * (((reinterpret_cast<std::uintptr_t>(at) + c.size) & ~std::uintptr_t{3}) - reinterpret_cast<std::uintptr_t>(at));
  for (;; ++taken) {
    const Token t = token_of([&](u32 from, u32 n) {
      u64 v = 0;
      for (u32 i = 0; i < n; ++i) {
        const u64 of = bit + from + i;
        const u64 b = of < 8 * c.size ? in[of / 8] >> (kMsb ? 7 - of % 8 : of % 8) & 1 : 0;
        v |= b << (kMsb ? n - 1 - i : i);
      }
      return static_cast<u32>(v);
    });
    if (t.none || static_cast<std::int64_t>(bit + t.bits) > static_cast<std::int64_t>(whole) || is_left(t, next, c.end)) break;
    const u8 v = t.value == prim::kElementBefore ? expected.of[next - 1] : static_cast<u8>(t.value);
    for (u32 k = 0; k < t.count; ++k) expected.of[next + k] = v;
    next += t.count;
    bit += t.bits;
  }

  u64 filled = c.first, position = 0;
  const Report report = launch(grid(prim::kWorkers, seed), [&] {
    prim::Stream<K, B> s{};
    s.in = at;
    s.size = c.size;
    s.pos = c.skip;
    s.end = 8 * c.size;
    prim::open(s);
    u64 mine = c.first;
    const Tokens<kMsb> tokens = {&made, c.end};
    prim::take_fills<kMsb>(s, tokens, mine);
    if (prim::worker() == 0) filled = mine, position = s.pos;
  });
  ASSERT_TRUE(report.ok()) << report.text;
  EXPECT_EQ(filled, next) << taken << " tokens";
  EXPECT_EQ(position, bit);
  for (u32 i = 0; i < kElements; ++i) ASSERT_EQ(made.of[i], expected.of[i]) << "element " << i;
}

template <Input K, Buffer B> void run_all() {
  std::mt19937 random(static_cast<unsigned>(K) * 2 + static_cast<unsigned>(B));
  for (unsigned i = 0; i < 160; ++i) {
    Case c;
    c.size = i < 40 ? i : 1 + random() % 900;
    c.skip = c.size == 0 ? 0 : random() % std::min<u64>(8 * c.size + 1, 700);
    c.skew = random() % 16;
    c.first = i % 3 == 0 ? 0 : random() % kElements;
    c.end = i % 4 == 0 ? std::min<u64>(c.first + random() % kFew, kElements) : kElements;
    run<K, B>(c, random, static_cast<unsigned>(kSeeds[i % kSeeds.size()]));
  }
}

TEST(PrimFills, LowestBitFirst) { run_all<Input::Lsb, Buffer::Shared>(); }
TEST(PrimFills, HighestBitFirst) { run_all<Input::Msb, Buffer::Shared>(); }
TEST(PrimFills, LinesInRegisters) {
  run_all<Input::Lsb, Buffer::Registers>();
  run_all<Input::Msb, Buffer::Registers>();
}

}  // namespace
}  // namespace sluice::simt::test
