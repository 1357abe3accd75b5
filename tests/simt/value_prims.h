#pragma once
// The primitives that find tokens of values and write them, as tests see them: of a warp, and of a lane. SLUICE_ELEMENT and
// SLUICE_MIN_TOKEN are set before.
#include <span>

#include "tests/simt/record_tokens.h"
#include "tests/support/guard.h"

#pragma GCC diagnostic push
#include "tests/simt/prim_quiet.h"
namespace sluice::simt::test {
namespace {
namespace gpu {
#include "runtime/prim/cuda/value_tile.h"
#include "runtime/prim/cuda/value_steps.h"
#include "runtime/prim/cuda/value_writes.h"
#include "runtime/prim/cuda/speculate_values.h"
#include "runtime/prim/cuda/own_tokens.h"
namespace warp_prim = prim;
namespace thread {
#include "runtime/prim/cuda/thread_tokens.h"
#include "runtime/prim/cuda/thread_value_tokens.h"
}  // namespace thread
}  // namespace gpu
}  // namespace
}  // namespace sluice::simt::test
#pragma GCC diagnostic pop

namespace sluice::simt::test {
namespace {

// What the engine of values asks of a stream.
struct Keeping : Chunk {
  gpu::prim::KeptTokens kept = {};
};
// What a warp makes of the tokens of `input` from `first` on. `room`: elements; Write: they go to `text`, or else are counted.
template <bool Write, typename T> Outcome engine(std::span<const u8> input, std::size_t first, u8* text, std::size_t room, u64 seed) {
  Outcome told;
  const Report report = launch(grid(32, seed), [&] {
    Keeping s;
    s.in = input.data();
    s.size = s.end = input.size();
    s.pos = first;
    s.out = Write ? text : nullptr;
    s.out_end = room;
    const bool left = gpu::prim::as_values<Write>(s, T());
    if (gpu::prim::lane() == 0) told = {left, s};
  });
  EXPECT_TRUE(report.ok()) << report.text;
  return told;
}

}  // namespace
}  // namespace sluice::simt::test
