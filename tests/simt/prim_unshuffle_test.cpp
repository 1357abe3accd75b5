// Bytes put back from a shuffle (unshuffle.h): a core and a warp against the definition in compiler/ir/ir.md, wherever the output
// lies. ThreadSanitizer sees to it that one lane alone stores each byte.
#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "tests/simt/kernel_fixture.h"

#pragma GCC diagnostic push
#include "tests/simt/prim_quiet.h"

namespace sluice::simt::test {
namespace {

namespace gpu {
#include "runtime/prim/cuda/base.h"
#include "runtime/prim/cuda/warp.h"
#include "runtime/prim/cuda/input.h"
#include "runtime/prim/cuda/copy.h"
#include "runtime/prim/cuda/codes.h"
#include "runtime/prim/turned.h"
#include "runtime/prim/cuda/stream.h"
#include "runtime/prim/cuda/bitbuffer.h"
#include "runtime/prim/cuda/units.h"
#include "runtime/prim/turn_bits.h"
#include "runtime/prim/cuda/unshuffle.h"
}  // namespace gpu

#include "tests/simt/prim_between.h"
namespace cpu {
#include "runtime/prim/base.h"
#include "runtime/prim/bits.h"
namespace prim {  // headers of both targets, which are included once
using gpu::prim::bit_of;
using gpu::prim::is_turned;
using gpu::prim::kTurn;
using gpu::prim::turn_bits;
}  // namespace prim
#include "runtime/prim/copy.h"
#include "runtime/prim/codes.h"
#include "runtime/prim/varint.h"
#include "runtime/prim/checksum.h"
#include "runtime/prim/stream.h"
#include "runtime/prim/stages.h"
#include "runtime/prim/unshuffle.h"
}  // namespace cpu
#pragma GCC diagnostic pop

using gpu::u32;
using gpu::u64;
using gpu::u8;

constexpr u64 kMade = 3;        // elements that stand before
constexpr u8 kUntouched = 0xee;

struct Output {
  u8* out;
  u64 produced, out_end;
};

std::vector<u8> expected(const std::vector<u8>& shuffled, u64 size, bool bits) {
  std::vector<u8> out = shuffled;
  const u64 whole = bits ? shuffled.size() / size / 8 * 8 : shuffled.size() / size;
  for (u64 j = 0; j < whole; ++j)
    for (u64 k = 0; k < size; ++k) {
      u8 value = shuffled[bits ? 0 : k * whole + j];
      if (bits) {
        value = 0;
        for (u64 b = 0; b < 8; ++b)
          value = static_cast<u8>(value | (shuffled[((8 * k + b) * whole + j) / 8] >> (j % 8) & 1) << b);
      }
      out[j * size + k] = value;
    }
  return out;
}

// With room to spare, with just enough and with a byte too few; the output `skew` bytes behind a multiple of 16, and the buffer `lead`,
// with its words and no other memory behind it.
template <bool Write, bool Bits>
void compare(u64 n, u64 size, u64 skew, u64 lead = 0) {
  SCOPED_TRACE(testing::Message() << n << " bytes at " << lead << ", elements of " << size << ", output at " << skew << (Bits ? ", bits" : ""));
  static std::mt19937 source(0xb105c);
  const u64 units = n / 16 + 1;
  const auto words = std::make_unique<u32[]>((lead + n + 3) / 4);
  u8* const buffer = reinterpret_cast<u8*>(words.get()) + lead;
  for (u64 i = 0; i < n; ++i) buffer[i] = static_cast<u8>(source());
  const std::vector<u8> right = expected(std::vector<u8>(buffer, buffer + n), size, Bits);
  for (const u64 room : {n + 9, n, n - 1}) {
    if (room + 1 == 0) continue;
    const auto memory = std::make_unique<gpu::prim::Unit[]>(units + 4);
    u8* const bytes = reinterpret_cast<u8*>(memory.get()) + skew;
    for (const bool on_gpu : {false, true}) {
      std::memset(memory.get(), kUntouched, (units + 4) * 16);
      const bool fits = room >= n;
      const u64 made = fits ? kMade + n : kMade;
      if (on_gpu) {
        std::vector<u64> results(gpu::prim::kWorkers);
        const Report report = launch(grid(gpu::prim::kWorkers, n), [&] {
          Output s{bytes, kMade, kMade + room};
          const u32 r = Bits ? gpu::prim::emit_bit_unshuffled<Write>(s, buffer, n, size)
                             : gpu::prim::emit_unshuffled<Write>(s, buffer, n, size);
          results[threadIdx.x] = s.produced << 1 | r;
        });
        ASSERT_TRUE(report.ok()) << report.text;
        for (const u64 result : results) ASSERT_EQ(result, made << 1 | !fits);
      } else {
        Output s{bytes, kMade, kMade + room};
        const u32 r = Bits ? cpu::prim::emit_bit_unshuffled<Write>(s, buffer, n, size)
                           : cpu::prim::emit_unshuffled<Write>(s, buffer, n, size);
        ASSERT_EQ(s.produced << 1 | r, made << 1 | !fits);
      }
      const u64 written = Write && fits ? n : 0;
      EXPECT_TRUE(std::equal(right.begin(), right.begin() + static_cast<std::ptrdiff_t>(written), bytes + kMade)) << on_gpu;
      for (u64 i = 0; i < (units + 4) * 16 - skew; ++i)
        if (i < kMade || i >= kMade + written) {
          ASSERT_EQ(bytes[i], kUntouched) << "byte " << i << " of " << n;
        }
    }
  }
}

template <bool Bits>
void compare_sizes(u64 size) {
  for (u64 n = 0; n < 70 + 3 * size; n += n < 20 ? 1 : 1 + size) compare<true, Bits>(n, size, (n + size) % 16);
  // Where the output starts at a unit, elements are joined in words.
  for (const u64 elements : {4u, 128u, 136u, 300u}) {
    compare<true, Bits>(elements * size, size, 16 - kMade);
    compare<true, Bits>(elements * size + 3, size, 16 - kMade);
    compare<false, Bits>(elements * size, size, 0);
  }
  // A view of the input starts anywhere, and planes behind each other do.
  for (const u64 elements : {1u, 3u, 4u, 11u, 12u, 13u, 128u, 135u, 301u})
    for (const u64 lead : {0u, 1u, 2u, 3u}) compare<true, Bits>(elements * size + lead % 2, size, 16 - kMade, lead);
}

TEST(PrimUnshuffle, Bytes) {
  for (const u64 size : {1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 24, 255}) compare_sizes<false>(size);
  compare<true, false>(40, ~u64{0}, 5);  // an element that is larger than everything
}

TEST(PrimUnshuffle, Bits) {
  for (const u64 size : {1, 2, 3, 4, 8, 12, 16, 17, 255}) compare_sizes<true>(size);
  compare<true, true>(40, ~u64{0}, 5);
}

}  // namespace
}  // namespace sluice::simt::test
