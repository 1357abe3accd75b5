#pragma once
// Fields unpacked to the output (runtime/prim/unpack_out.h) and what stands beside it: against the same fields read bit by bit, of every
// width, from every bit of a byte on, around the vectors' sizes; no byte is looked at or written beyond what the header promises. Included
// by a file for each kind of vectors: the suites' names, VECTORS_ON and VECTORS_OFF around code for them, VECTORS_RUN whether the machine
// has them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "tests/support/guard.h"
#include "tests/support/random.h"
#include "tests/unit/field_at.h"

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
#include "runtime/prim/unpack_512.h"
#include "runtime/prim/unpack.h"
#include "runtime/prim/unpack_out.h"
#include "runtime/prim/keep_sums.h"
// clang-format on

template <bool Msb, u32 Elem> void unpacked(u8* out, const u8* in, u64 bit, u64 width, u64 n) {
  prim::unpack_out<Msb, Elem>(out, prim::Source{in}, bit, width, n);
}
template <bool Msb, u32 Elem> u64 summed(u8* out, const u8* in, u64 bit, u64 width, u64 n, u64 sum, u64 term) {
  return prim::unpack_sums<Msb, Elem>(out, prim::Source{in}, bit, width, n, sum, term);
}
bool kept(u32 (&array)[50], u64 at, u64 last, const u8* in, u64 bit, u64 width, u64 n, u64& sum, u64& any) {
  return prim::keep_sums<false>(array, at, last, prim::Source{in}, bit, width, n, sum, 7, any, 0x7fffffff);
}
template <u32 Elem> void filled(u8* out, u64 value, u64 n) { prim::fill_equal<Elem>(out, value, n); }
template <u32 Elem> u64 ran(u8* out, u64 value, u64 n, u64 step) {
  prim::Stream<prim::Input::Bytes> s{};
  s.out = out;
  s.out_end = n;
  return prim::run<true, Elem>(s, value, n, step) == 0 ? s.produced : 0;
}
template <bool Msb, u32 Elem> u64 summed_nowhere(const u8* in, u64 bit, u64 width, u64 n, u64 sum, u64 term) {
  return prim::unpack_sums<Msb, Elem>(prim::Place{0}, prim::Source{in}, bit, width, n, sum, term);
}

#include VECTORS_OFF
#pragma GCC diagnostic pop

u64 low_bits(u64 n) { return n == 64 ? ~0ull : (1ull << n) - 1; }
template <u32 Elem> u64 element(const u8* out, u64 k) {
  u64 v = 0;
  std::memcpy(&v, out + k * Elem, Elem);
  return v;
}

constexpr std::array<u64, 19> kCounts{0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 41, 127, 128, 131, 149};
constexpr u64 kMost = 149;

// A field's reach from its first byte on; fields of more bits than a load holds are read by nine bytes.
u64 reach(u64 bit, u64 width, u64 n) {
  if (n == 0) return prim::kUnpackReach;
  return (bit + (n - 1) * width) / 8 + std::max<u64>(prim::kUnpackReach, (width + 7) / 8 + 1);
}

template <bool Msb, u32 Elem>
void every_width() {
  sluice::test::GuardedBuffer memory(64 * kMost / 8 + 64, sluice::test::Flush::End), room(8 * kMost + 64, sluice::test::Flush::End);
  sluice::test::Random random(Elem + Msb);
  const u64 low = low_bits(8 * Elem);
  for (std::uint8_t& byte : memory.bytes()) byte = static_cast<std::uint8_t>(random.next());
  for (u64 width = 0; width <= 64; ++width) {
    for (u64 edge = 0; edge < 8; ++edge) {
      for (const u64 n : kCounts) {
        const u8* const in = memory.bytes().last(reach(edge, width, n)).data();
        u8* const out = room.bytes().last(n == 0 ? 0 : (n - 1) * Elem + prim::kUnpackSlack).data();
        unpacked<Msb, Elem>(out, in, edge, width, n);
        for (u64 k = 0; k < n; ++k)
          ASSERT_EQ(element<Elem>(out, k), field_at<Msb>(in, edge + k * width, width) & low)
              << "width " << width << ", edge " << edge << ", element " << k << " of " << n;
        if constexpr (Elem >= 4) {
          if (width > 8 * Elem) continue;
          const u64 first = random.next(), term = random.next();
          u64 sum = first;
          const u64 last = summed<Msb, Elem>(out, in, edge, width, n, first, term);
          for (u64 k = 0; k < n; ++k) {
            sum += term + field_at<Msb>(in, edge + k * width, width);
            ASSERT_EQ(element<Elem>(out, k), sum & low) << "width " << width << ", edge " << edge << ", sum " << k << " of " << n;
          }
          ASSERT_EQ(last, sum) << "width " << width << ", edge " << edge << ", of " << n;
          ASSERT_EQ((summed_nowhere<Msb, Elem>(in, edge, width, n, first, term)), sum);
        }
      }
    }
  }
}

TEST(UNPACK_OUT_SUITE, EveryWidth) {
  if (!VECTORS_RUN) GTEST_SKIP() << "this processor has no such vectors";
  ASSERT_TRUE(prim::kUnpacks);
  every_width<false, 1>();
  every_width<true, 1>();
  every_width<false, 2>();
  every_width<true, 2>();
  every_width<false, 4>();
  every_width<true, 4>();
  every_width<false, 8>();
  every_width<true, 8>();
}

// In an array: which elements, what all sums have, and what is refused.
TEST(KEEP_SUMS_SUITE, EveryPlace) {
  if (!VECTORS_RUN) GTEST_SKIP() << "this processor has no such vectors";
  sluice::test::Random random(3);
  std::array<u8, 4 * 64> in{};
  for (u8& byte : in) byte = static_cast<u8>(random.next());
  for (u64 width = 0; width <= 32; ++width) {
    for (u64 at = 0; at <= 51; ++at) {
      for (const u64 n : {1, 2, 7, 8, 9, 31, 50}) {
        for (const u64 last : {u64{20}, u64{49}, ~u64{0}}) {
          u32 array[50];
          for (u32& element : array) element = 0x55555555;
          const u64 first = random.next();
          u64 sum = first, any = 1, all = 1;
          const bool fits = at + n <= std::min<u64>(last, 49) + 1;
          ASSERT_EQ(kept(array, at, last, in.data(), 3, width, n, sum, any), fits) << at << " and " << n << " up to " << last;
          u64 expected = first;
          for (u64 k = 0; k < 50; ++k) {
            const bool inside = fits && k >= at && k < at + n;
            if (inside) expected += 7 + field_at<false>(in.data(), 3 + (k - at) * width, width);
            if (inside) all |= static_cast<u32>(expected);
            ASSERT_EQ(array[k], inside ? expected & 0x7fffffff : 0x55555555) << k << " of " << n << " from " << at << ", width " << width;
          }
          ASSERT_EQ(sum, expected);
          ASSERT_EQ(any, all);
        }
      }
    }
  }
}

// Runs of elements of every size: what they hold, and what they leave as it was.
template <u32 Elem> void every_run() {
  constexpr u64 kLong = prim::kLongFill / Elem;
  sluice::test::GuardedBuffer room(8 * (kLong + 80) + prim::kCopySlack, sluice::test::Flush::End);
  for (u64 n = 0; n <= kLong + 70; ++n) {
    if (n > 70 && n < kLong - 3) continue;
    u8* const out = room.bytes().last(n * Elem + prim::kCopySlack).data();
    filled<Elem>(out, 0x8081828384858687 + n, n);
    for (u64 k = 0; k < n; ++k) ASSERT_EQ(element<Elem>(out, k), (0x8081828384858687 + n) & low_bits(8 * Elem)) << k << " of " << n;
    // Into as much room as they take, and with a step.
    u8* const exact = room.bytes().last(n * Elem).data();
    for (const u64 step : {0, 3}) {
      ASSERT_EQ(ran<Elem>(exact, 0x8081828384858687 + n, n, step), n);
      for (u64 k = 0; k < n; ++k) ASSERT_EQ(element<Elem>(exact, k), (0x8081828384858687 + n + k * step) & low_bits(8 * Elem)) << k << " of " << n;
    }
  }
}

TEST(FILL_EQUAL_SUITE, EveryLength) {
  every_run<1>();
  every_run<2>();
  every_run<4>();
  every_run<8>();
}

}  // namespace
