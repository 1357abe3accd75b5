// The bit buffer of one lane: fields of 1..32 bits, read by 32 lanes at places of their own, against the bits counted
// one by one. The input ends where its allocation ends, and begins at any address.
#define SLUICE_WARPS 1
#define SLUICE_PART_COPIES 8
#define SLUICE_DISTANCE_BITS 20

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "tests/simt/kernel_fixture.h"

#pragma GCC diagnostic push
#include "tests/simt/prim_quiet.h"

namespace sluice::simt::test {
namespace {

#include "runtime/prim/cuda/base.h"
#include "runtime/prim/cuda/warp.h"
#include "runtime/prim/cuda/input.h"
#include "runtime/prim/cuda/copy.h"
#include "runtime/prim/cuda/resolve.h"
#include "runtime/prim/cuda/parts.h"
#include "runtime/prim/cuda/codes.h"
#include "runtime/prim/turned.h"
#include "runtime/prim/cuda/stream.h"
#include "runtime/prim/cuda/bitbuffer.h"
namespace warp_prim = prim;
namespace thread {
#include "runtime/prim/cuda/thread_stream.h"
#include "runtime/prim/cuda/thread_bits.h"
#include "runtime/prim/cuda/thread_copies.h"
}  // namespace thread

#pragma GCC diagnostic pop

constexpr std::size_t kBytes = 300;
constexpr std::size_t kMargin = thread::prim::kWordsAhead + 2 * prim::kRefillBytes;  // as a fast loop keeps it

u64 bit_of(const std::vector<u8>& in, u64 at, bool msb) { return in[at >> 3] >> (msb ? 7 - (at & 7) : at & 7) & 1; }

u64 expected(const std::vector<u8>& in, u64 at, u32 n, bool msb) {
  u64 v = 0;
  for (u32 i = 0; i < n; ++i) v |= bit_of(in, at + i, msb) << (msb ? n - 1 - i : i);
  return v;
}

template <prim::Input K>
void read_fields(std::size_t skew, unsigned seed) {
  constexpr bool kMsb = K == prim::Input::Msb;
  std::mt19937 random(seed);
  std::vector<u8> bytes(kBytes);
  for (u8& byte : bytes) byte = static_cast<u8>(random());
  const std::unique_ptr<u8[]> memory(new u8[kBytes + skew]);
  std::copy(bytes.begin(), bytes.end(), memory.get() + skew);
  struct Lane {
    u64 start = 0;
    std::vector<u32> widths;
    std::vector<u64> got;
    u64 stop = 0;
  };
  std::vector<Lane> lanes(32);
  for (Lane& lane : lanes) {
    lane.start = random() % (8 * (kBytes - kMargin));
    for (u64 at = lane.start;;) {
      const u32 n = 1 + static_cast<u32>(random() % 32);
      lane.widths.push_back(n);
      at += n;
      if (at >= 8 * (kBytes - kMargin)) break;
    }
  }
  const Report report = launch(grid(32, seed), [&] {
    typedef thread::prim::LaneBits<kMsb> Bits;
    Lane& lane = lanes[threadIdx.x];
    thread::prim::Stream<K> s{};
    s.in = memory.get() + skew;
    s.size = kBytes;
    s.pos = lane.start;
    s.end = 8 * kBytes;
    auto src = thread::prim::source(s);
    prim::Cursor in = thread::prim::cursor(src, s.pos >> 3);
    Bits b = Bits::at(src, s.pos, in);
    for (const u32 n : lane.widths) {
      Bits::refill(b, src, in);
      lane.got.push_back(n % 2 ? Bits::look(b, n) : Bits::look_after(b, 0, n));
      Bits::drop(b, src, in, n);
    }
    lane.stop = Bits::position(src, in, b.count);
  });
  ASSERT_TRUE(report.ok()) << report.text;
  for (const Lane& lane : lanes) {
    u64 at = lane.start;
    for (std::size_t i = 0; i < lane.widths.size(); at += lane.widths[i++])
      ASSERT_EQ(lane.got[i], expected(bytes, at, lane.widths[i], kMsb)) << "bit " << at << ", skew " << skew;
    EXPECT_EQ(lane.stop, at);
  }
}

TEST(PrimBits, FieldsOfAllWidths) {
  for (std::size_t skew = 0; skew < 8; ++skew)
    for (unsigned seed = 0; seed < 6; ++seed) {
      read_fields<prim::Input::Lsb>(skew, seed);
      read_fields<prim::Input::Msb>(skew, seed);
    }
}

}  // namespace
}  // namespace sluice::simt::test
