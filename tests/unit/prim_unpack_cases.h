#pragma once
// Fields unpacked by vectors (runtime/prim/unpack.h): against the same fields read bit by bit, and no byte beyond what the header promises.
// Included by a file for each kind of vectors: UNPACK_SUITE is the name, VECTORS_ON and VECTORS_OFF what stands around code for them,
// VECTORS_RUN whether the machine has them.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/guard.h"
#include "tests/support/random.h"
#include "tests/unit/field_at.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
#include VECTORS_ON
namespace {
// clang-format off
#include "runtime/prim/base.h"
#include "runtime/prim/vectors.h"
#include "runtime/prim/unpack_512.h"
#include "runtime/prim/unpack.h"
// clang-format on

template <bool Msb, class T>
bool unpacked(const u8* bytes, u64 bit, u64 width, T* fields) {
  if (!prim::unpackable<T>(width)) return false;
  prim::unpack(prim::unpacker<Msb>(bit, width), bytes + bit / 8, fields);
  return true;
}

#include VECTORS_OFF
#pragma GCC diagnostic pop

// Fields of every width from every bit of a byte on; the last one's first byte has kUnpackBytes left, and then the page ends.
template <bool Msb, class T>
void every_width(u64 widest) {
  constexpr std::size_t kMost = 57 * prim::kUnpacked / 8 + 2 * prim::kUnpackBytes;
  sluice::test::GuardedBuffer memory(kMost, sluice::test::Flush::End);
  sluice::test::Random random(7);
  for (std::uint8_t& byte : memory.bytes()) byte = static_cast<std::uint8_t>(random.next());
  u64 widths = 0;
  for (u64 width = 0; width <= 64; ++width) {
    for (u64 edge = 0; edge < 8; ++edge) {
      const u64 last = edge + (prim::kUnpacked - 1) * width;
      const auto bytes = memory.bytes().last(last / 8 + std::max<u64>(prim::kUnpackBytes, (last % 8 + width + 7) / 8));
      T fields[prim::kUnpacked];
      if (!unpacked<Msb>(bytes.data(), edge, width, fields)) continue;
      ++widths;
      for (u64 k = 0; k < prim::kUnpacked; ++k)
        ASSERT_EQ(fields[k], field_at<Msb>(bytes.data(), edge + k * width, width)) << "width " << width << ", edge " << edge << ", field " << k;
    }
  }
  EXPECT_EQ(widths, 8 * widest);
}

TEST(UNPACK_SUITE, EveryWidth) {
  if (!VECTORS_RUN) GTEST_SKIP() << "this processor has no such vectors";
  ASSERT_TRUE(prim::kUnpacks);
  every_width<false, u32>(32);
  every_width<true, u32>(32);
  every_width<false, u64>(57);
  every_width<true, u64>(57);
}

}  // namespace
