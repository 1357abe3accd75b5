// A tile's units (units.h), wherever the input begins and ends in them: its bytes, zeros beside them in units it shares, and
// nothing at all in units it has no byte of. ThreadSanitizer sees to it that one lane alone stores each byte.
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
}  // namespace gpu
#pragma GCC diagnostic pop

constexpr gpu::u32 kUnitBytes = gpu::prim::kUnitBytes, kUnits = 35, kBytes = kUnits * kUnitBytes;
constexpr gpu::u8 kUntouched = 0xee, kForeign = 0xaa;

struct Bytes {
  alignas(16) std::array<gpu::u8, kBytes + 2 * kUnitBytes> at;
};

gpu::u8 own(gpu::u32 byte) { return static_cast<gpu::u8>(1 + byte % 150); }

// What stands at `byte` of a tile that begins at cursor `base`, of an input of cursors [first, last).
gpu::u8 expected(gpu::u32 byte, gpu::u32 base, gpu::u32 first, gpu::u32 last) {
  const gpu::u32 unit = base + byte / kUnitBytes * kUnitBytes, cursor = base + byte;
  if (unit + kUnitBytes <= first || unit >= last) return unit == last ? 0 : kUntouched;
  return cursor >= first && cursor < last ? own(cursor) : 0;
}

template <bool Msb> void compare(gpu::u32 base, gpu::u32 first, gpu::u32 last) {
  Bytes memory, tile;
  memory.at.fill(kForeign);
  tile.at.fill(kUntouched);
  for (gpu::u32 i = first; i < last && i < memory.at.size(); ++i) memory.at[i] = own(i);
  const gpu::prim::UnitMemory input = {memory.at.data(), 0, first, last};
  const Report report = launch(grid(32), [&] {
    gpu::prim::load_units<kUnits, 32, Msb>((gpu::prim::Unit*)tile.at.data(), input, base, threadIdx.x);
  });
  ASSERT_EQ(report.fault, Fault::None) << report.text;
  for (gpu::u32 byte = 0; byte < kBytes; ++byte)
    ASSERT_EQ(tile.at[Msb ? byte ^ 3 : byte], expected(byte, base, first, last))
        << "byte " << byte << " of a tile at " << base << ", input [" << first << ", " << last << ")";
}

// The input begins in the tile's first unit and ends in any of it, in the first one too.
TEST(PrimUnits, EndsAnywhere) {
  for (const gpu::u32 first : {0u, 1u, 9u, 15u})
    for (gpu::u32 last = first + 1; last <= kBytes + 20; last += last < 3 * kUnitBytes || last > kBytes - 20 ? 1 : 13) {
      compare<false>(0, first, last);
      compare<true>(0, first, last);
    }
}

// A tile that isn't the first one.
TEST(PrimUnits, BeginsBehindTheFirstUnit) {
  for (const gpu::u32 last : {17u, 31u, 32u, 33u, 48u, 400u})
    for (const gpu::u32 first : {0u, 7u}) {
      compare<false>(kUnitBytes, first, last);
      compare<true>(kUnitBytes, first, last);
    }
}

}  // namespace
}  // namespace sluice::simt::test
