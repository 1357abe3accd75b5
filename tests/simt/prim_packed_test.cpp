// Fields of one width as elements, by units and by lanes, against bits counted one by one: all widths, sizes of elements,
// orders of bits and bytes, inputs and outputs at any address. The input ends and begins at pages that can't be touched, and
// what is beside the output stays as it is. With more warps a chunk: prim_packed_block_test.cpp.
#ifndef PRIM_PACKED_SUITE
#define PRIM_PACKED_SUITE PrimPacked
#endif
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
#include "runtime/prim/cuda/wide_copy.h"
#include "runtime/prim/cuda/copy.h"
#include "runtime/prim/cuda/codes.h"
#include "runtime/prim/turned.h"
#include "runtime/prim/cuda/stream.h"
#include "runtime/prim/cuda/bitbuffer.h"
#include "runtime/prim/cuda/units.h"
#include "runtime/prim/cuda/packed.h"

#pragma GCC diagnostic pop
#include "tests/simt/prim_fields.h"

using prim::Input;
using prim::Order;

u64 value_of(const std::vector<u8>& in, u64 at, u64 n, Input input, Order order, bool sign) {
  u64 v = 0;
  if (order == Order::Little)
    for (u64 i = n / 8; i-- > 0;) v = v << 8 | in[at / 8 + i];
  else if (order == Order::Big || input == Input::Bytes)
    for (u64 i = 0; i < n / 8; ++i) v = v << 8 | in[at / 8 + i];
  else
    v = field_of(in, at, n, input == Input::Msb);
  if (sign && n > 0 && n < 64 && v >> (n - 1) & 1) v |= ~u64{0} << n;
  return v;
}

std::mt19937& source() {
  static std::mt19937 made(11);
  return made;
}
u64 below(u64 n) { return source()() % n; }

struct Case {
  u64 n = 0, width = 0, skip = 0;     // fields, their bits, and bits before the first one
  u64 behind = 0;                     // bytes of the input behind the last one
  u64 in_skew = 0, out_skew = 0;
};

struct Memory {
  std::vector<u8> in;
  sluice::test::GuardedBuffer input;
  u8* first = nullptr;
  explicit Memory(const Case& c, sluice::test::Flush flush)
      : in((c.skip + c.n * c.width + 7) / 8 + c.behind), input(in.size() + c.in_skew, flush) {
    for (u8& b : in) b = static_cast<u8>(source()());
    first = input.bytes().data() + (flush == sluice::test::Flush::Start ? 0 : c.in_skew);
    std::copy(in.begin(), in.end(), first);
  }
};

constexpr std::size_t kBeside = 24;
constexpr u8 kUntouched = 0xa5;

template <u32 Elem>
void expect_elements(const std::vector<u8>& out, std::size_t at, const std::vector<u64>& values) {
  for (std::size_t i = 0; i < at; ++i) ASSERT_EQ(out[i], kUntouched) << "before, " << i;
  for (std::size_t k = 0; k < values.size(); ++k)
    for (u32 b = 0; b < Elem; ++b) ASSERT_EQ(out[at + k * Elem + b], static_cast<u8>(values[k] >> 8 * b)) << "element " << k;
  for (std::size_t i = at + values.size() * Elem; i < out.size(); ++i) ASSERT_EQ(out[i], kUntouched) << "behind, " << i;
}

template <Input K, u32 Elem, Order O, bool Signed>
void literals(const Case& c, sluice::test::Flush flush) {
  SCOPED_TRACE(testing::Message() << c.n << " of " << c.width << " bits behind " << c.skip << ", elements of " << Elem << ", input "
                                  << static_cast<int>(K) << ", order " << static_cast<int>(O) << ", skews " << c.in_skew << ' '
                                  << c.out_skew);
  const Memory memory(c, flush);
  std::vector<u64> values(c.n);
  for (u64 k = 0; k < c.n; ++k) values[k] = value_of(memory.in, c.skip + k * c.width, c.width, K, O, Signed);
  std::vector<u8> out(2 * kBeside + c.n * Elem + 16, kUntouched);
  u8* const aligned = out.data() + (16 - reinterpret_cast<std::uintptr_t>(out.data()) % 16) % 16;
  u8* const to = aligned + c.out_skew;
  u64 taken = 0, position = 0;
  const Report report = launch(grid(prim::kWorkers, c.n), [&] {
    prim::Stream<K, prim::Buffer::Shared> s{};
    s.in = memory.first;
    s.size = memory.in.size();
    s.pos = c.skip / s.kStep;
    s.end = s.size * 8 / s.kStep;
    s.out = to;
    s.out_end = c.n;
    prim::open(s);
    const u64 k = prim::literal_fields<true, Elem, O, Signed>(s, c.n, c.width);
    if (prim::worker() == 0) taken = k, position = s.pos * s.kStep;
  });
  ASSERT_TRUE(report.ok()) << report.text;
  EXPECT_EQ(taken, c.n);
  EXPECT_EQ(position, c.skip + c.n * c.width);
  expect_elements<Elem>(out, static_cast<std::size_t>(to - out.data()), values);
}

// A step of a loop's own, in which the number of the field counts, too.
template <Input K, u32 Elem>
void loop(const Case& c) {
  const Memory memory(c, sluice::test::Flush::End);
  std::vector<u64> values(c.n);
  for (u64 k = 0; k < c.n; ++k) values[k] = 3 * k ^ field_of(memory.in, c.skip + k * c.width, c.width, K == Input::Msb) << 1;
  std::vector<u8> out(2 * kBeside + c.n * Elem + 16, kUntouched);
  u8* const to = out.data() + kBeside + c.out_skew;
  const Report report = launch(grid(prim::kWorkers, c.n), [&] {
    prim::Stream<K, prim::Buffer::Shared> s{};
    s.in = memory.first;
    s.size = memory.in.size();
    s.pos = c.skip;
    s.out = to - 2 * Elem;
    s.produced = 2;
    prim::open(s);
    const auto step = [&](const prim::OneField src, const u64 k, u64 bit, prim::OneElement place) {
      const u64 v = prim::lane_bits_at<K == Input::Msb>(src, bit, c.width);
      prim::store_lane<Elem>(place, 3 * k ^ v << 1);
    };
    prim::packed_fields<K == Input::Msb, Elem>(s, c.n, static_cast<u32>(c.width), step);
  });
  ASSERT_TRUE(report.ok()) << report.text;
  expect_elements<Elem>(out, static_cast<std::size_t>(to - out.data()), values);
}

Case any_case(u64 width, u64 step_of_skip) {
  static constexpr u64 kSizes[] = {0, 1, 3, 16, 17, 31, 40, 64, 100, 257, 700, 2100};
  Case c;
  c.n = kSizes[below(std::size(kSizes))];
  c.width = width;
  c.skip = step_of_skip * below(70);
  c.behind = below(3) == 0 ? below(30) : 0;
  c.in_skew = below(20);
  c.out_skew = below(2) == 0 ? 0 : below(16);
  return c;
}

template <u32 Elem>
void all_widths() {
  for (u64 width = 0; width <= 64; ++width) {
    for (int round = 0; round < 2; ++round) {
      const auto flush = below(2) == 0 ? sluice::test::Flush::Start : sluice::test::Flush::End;
      literals<Input::Lsb, Elem, Order::Stream, false>(any_case(width, 1), flush);
      literals<Input::Msb, Elem, Order::Stream, true>(any_case(width, 1), flush);
      loop<Input::Lsb, Elem>(any_case(width, 1));
      loop<Input::Msb, Elem>(any_case(width, 1));
      if (width % 8 != 0) continue;
      literals<Input::Lsb, Elem, Order::Little, true>(any_case(width, 8), flush);
      literals<Input::Lsb, Elem, Order::Big, false>(any_case(width, 8), flush);
      literals<Input::Msb, Elem, Order::Little, false>(any_case(width, 8), flush);
      literals<Input::Bytes, Elem, Order::Stream, false>(any_case(width, 8), flush);
      literals<Input::Bytes, Elem, Order::Little, false>(any_case(width, 8), flush);
    }
  }
}

TEST(PRIM_PACKED_SUITE, Bytes) { all_widths<1>(); }
TEST(PRIM_PACKED_SUITE, HalfWords) { all_widths<2>(); }
TEST(PRIM_PACKED_SUITE, Words) { all_widths<4>(); }
TEST(PRIM_PACKED_SUITE, DoubleWords) { all_widths<8>(); }

// Units reach as far as their words do, and no farther.
TEST(PRIM_PACKED_SUITE, RangesOfUnits) {
  for (int round = 0; round < 20000; ++round) {
    prim::LineMemory lines{};
    lines.first = below(128);
    const u64 width = below(33), n = below(300), bit = below(200), out = below(16) * (below(2) ? 4 : 1);
    const u64 size = (bit + n * width + 7) / 8 + below(9);
    lines.last = lines.first + size;
    const u64 at = 8 * lines.first + bit;
    const prim::PackedRange range = prim::packed_range<4>(lines, at, reinterpret_cast<const u8*>(out), n, static_cast<u32>(width));
    if (range.units == 0) continue;
    const u64 first = at + range.head * width, last = first + (4 * range.units - 1) * width;
    EXPECT_EQ((out + 4 * range.head) % 16, 0u);
    EXPECT_LE(range.head + 4 * range.units, n);
    if (width != 0) {  // fields of no bits have no words of the input
      EXPECT_GE(first / 32 * 4, lines.first);
      EXPECT_LE(last / 32 * 4 + 8, lines.last);
    }
    if (width > 8 && n > 100) {
      EXPECT_GE(range.units, n / 4 - 5);
    }
  }
}

}  // namespace
}  // namespace sluice::simt::test
