// What a chain of tokens is done with (chain.h, and notes [in turn] and [moves] of plan/late.h): the words that a batch stands in, of
// an input that ends where its allocation ends; and what tokens hand on, by moves and in turn, against one token after the other.
#define SLUICE_WARPS 1
#define SLUICE_MIN_TOKEN 1
#define SLUICE_SLICES 1

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <random>
#include <vector>

#include "tests/simt/kernel_fixture.h"

#pragma GCC diagnostic push
#include "tests/simt/prim_quiet.h"

namespace sluice::simt::test {
namespace {

#define SLUICE_GUESSES 1

#include "runtime/prim/cuda/base.h"
#include "runtime/prim/cuda/warp.h"
#include "runtime/prim/cuda/input.h"
#include "runtime/prim/cuda/copy.h"
#include "runtime/prim/cuda/codes.h"
#include "runtime/prim/turned.h"
#include "runtime/prim/cuda/stream.h"
#include "runtime/prim/cuda/bitbuffer.h"
#include "runtime/prim/cuda/back.h"
#include "runtime/prim/cuda/units.h"
#include "runtime/prim/cuda/tile.h"
#include "runtime/prim/cuda/late.h"
#include "runtime/prim/cuda/steps.h"
#include "runtime/prim/cuda/step_part.h"
#include "runtime/prim/cuda/periods.h"
#include "runtime/prim/cuda/records.h"
#include "runtime/prim/cuda/wide_steps.h"
#include "runtime/prim/cuda/long_parts.h"
#include "runtime/prim/cuda/writer.h"
#include "runtime/prim/cuda/walks.h"
#include "runtime/prim/cuda/speculate.h"
#include "runtime/prim/cuda/chain.h"

#pragma GCC diagnostic pop

// ---- What is handed on

constexpr u32 kPlaces = 3;
struct Handed {
  u32 at[kPlaces];
};
// What a token does: to each place the old value of one, or its own, and something added.
struct Doing : prim::Record {
  u32 from[kPlaces], add[kPlaces];
};
template <typename T> void apply(const Doing& d, T (&c)[kPlaces]) {
  T old[kPlaces];
  for (u32 i = 0; i < kPlaces; ++i) old[i] = c[i];
  for (u32 i = 0; i < kPlaces; ++i) {
    const T added = static_cast<T>(static_cast<std::int64_t>(static_cast<std::int32_t>(d.add[i])));
    c[i] = d.from[i] == 0 ? static_cast<T>(d.add[i]) : old[d.from[i] - 1] + added;
  }
}

template <bool Moves> struct Tokens {
  typedef Doing Own;
  typedef Handed Carried;
  static constexpr bool kLate = true, kCounts = false, kAdds = false, kLatches = false, kTurns = !Moves;
  static constexpr u32 kMoves = Moves ? kPlaces : 0;
  Carried carried;
  u64 outputs;

  void count(Carried&) const {}
  void add(const Own&, Carried&) const {}
  static void sum(Carried&, const Carried&, bool) {}
  static void latch(Carried&, const Carried&, bool) {}
  static void take(Carried& c, u32 lane) {
    for (u32& v : c.at) v = prim::of_lane(v, lane);
  }
  static void take_turned(Carried& at, const Carried& c) { at = c; }
  static void own_of_lane(Own& one, const Own& own, u32 lane) {
    for (u32 i = 0; i < kPlaces; ++i) one.from[i] = prim::of_lane(own.from[i], lane), one.add[i] = prim::of_lane(own.add[i], lane);
  }
  void move(const Own& own, u64 (&c)[kPlaces]) const { apply(own, c); }
  static void take_moved(Carried& at, const u32 (&c)[kPlaces]) { std::copy(c, c + kPlaces, at.at); }
  static void moved_of(u32 (&c)[kPlaces], const Carried& of) { std::copy(of.at, of.at + kPlaces, c); }
  template <bool Checks> bool late(Own& own, u64, Carried& c) const {
    apply(own, c.at);
    return !Checks || c.at[0] % 97 != 0;
  }
};

template <bool Moves> void hand_on(unsigned seed) {
  std::mt19937 random(seed);
  const u32 count = seed % 5 == 0 ? 32 : 1 + static_cast<u32>(random() % 32);
  std::array<Doing, 32> doings{};
  for (Doing& d : doings)
    for (u32 i = 0; i < kPlaces; ++i) {
      d.from[i] = static_cast<u32>(random() % (seed % 3 == 0 ? 4 : 9));
      if (d.from[i] > kPlaces) d.from[i] = i + 1;  // stays
      d.add[i] = d.from[i] == 0 ? static_cast<u32>(random()) : random() % 2 == 0 ? 0 : static_cast<u32>(random() % 1000) - 500;
    }
  const Handed begin = {{static_cast<u32>(random()), 1, ~0u}};
  std::array<Handed, 32> got{};
  std::array<bool, 32> sound{};
  Handed kept{};
  const Report report = launch(grid(32, seed), [&] {
    const u32 lane = threadIdx.x;
    Tokens<Moves> tokens = {begin, 0};
    Doing own = doings[lane];
    const prim::Late<Tokens<Moves>> late(tokens, lane < count, own, 0);
    got[lane] = late.carried;
    sound[lane] = late.sound;
    late.give_back(tokens, count - 1);
    if (lane == 0) kept = tokens.carried;
  });
  ASSERT_TRUE(report.ok()) << report.text;
  Handed now = begin;
  for (u32 k = 0; k < count; ++k) {
    apply(doings[k], now.at);
    for (u32 i = 0; i < kPlaces; ++i) ASSERT_EQ(got[k].at[i], now.at[i]) << "place " << i << " behind token " << k << " of " << count;
    EXPECT_EQ(sound[k], now.at[0] % 97 != 0);
  }
  for (u32 i = 0; i < kPlaces; ++i) EXPECT_EQ(kept.at[i], now.at[i]);
}

TEST(PrimChain, HandsOnByMoves) {
  for (unsigned seed = 0; seed < 200; ++seed) hand_on<true>(seed);
}
TEST(PrimChain, HandsOnInTurn) {
  for (unsigned seed = 0; seed < 60; ++seed) hand_on<false>(seed);
}

// ---- The words of a batch

// The bits below bit `at`, the one nearest to it highest; before the input there are zeros.
u64 below(const std::vector<u8>& in, u64 at, u32 n) {
  u64 v = 0;
  for (u32 i = 1; i <= n; ++i) v = v << 1 | (i <= at ? in[(at - i) >> 3] >> ((at - i) & 7) & 1 : 0);
  return v;
}

// Of an input of `size` bytes that begins `skew` bytes behind a word: its words from the one on that holds the bit below `at`.
void look(std::size_t size, std::size_t skew, u64 at, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<u8> bytes(size);
  for (u8& byte : bytes) byte = static_cast<u8>(random());
  const std::unique_ptr<u8[]> memory(new u8[size + skew]);
  std::copy(bytes.begin(), bytes.end(), memory.get() + skew);
  std::vector<u32> words(prim::kChainWords + prim::kChainAhead);
  u32 first = 0;
  const Report report = launch(grid(32, seed), [&] {
    prim::Stream<prim::Input::Turning, prim::Buffer::Shared> s{};
    s.in = memory.get() + skew;
    s.size = size;
    s.pos = prim::kTurn - at;
    s.end = prim::kTurn;
    prim::open(s);
    const auto src = prim::back_source(s);
    const u32 begin = static_cast<u32>(s.pos - 8 * src.zero);
    if (threadIdx.x == 0) first = begin % 32;
    prim::load_chain_words(words.data(), s.in, s.size, src.above, begin / 32);
  });
  ASSERT_TRUE(report.ok()) << report.text;
  typedef prim::ChainBits Bits;
  Bits b = {words.data(), first};
  const u64 last = 32 * (words.size() - 3);
  for (u64 place = at; b.count < last;) {
    const u64 shown = Bits::shown(b);
    ASSERT_EQ(shown, below(bytes, place, 64)) << "down from bit " << place << " of " << size << " bytes";
    const u32 n = 1 + static_cast<u32>(random() % 32);
    ASSERT_EQ(Bits::look(b, n), below(bytes, place, n));
    ASSERT_EQ(Bits::look_after(b, n / 2, n - n / 2), below(bytes, place < n / 2 ? 0 : place - n / 2, n - n / 2));
    ASSERT_EQ(Bits::cut(shown, 7, n), below(bytes, place < 7 ? 0 : place - 7, n));
    const u32 taken = static_cast<u32>(random() % 40);
    if (taken > place) return;
    if (random() % 2 == 0) Bits::drop(b, 0, 0, taken);
    else Bits::drop_shown(b, 0, 0, taken);
    place -= taken;
  }
}

TEST(PrimChain, WordsOfAnInput) {
  unsigned seed = 1;
  for (const std::size_t size : {1, 5, 30, 255, 256, 257, 400})
    for (std::size_t skew = 0; skew < 4; ++skew)
      for (const u64 back : {0, 1, 7, 8, 31, 32, 33, 700})
        if (8 * size > back) look(size, skew, 8 * size - back, seed++);
}

}  // namespace
}  // namespace sluice::simt::test
