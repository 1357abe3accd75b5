#pragma once
// The engine that makes output from records (runtime/prim/cuda), and what it asks of a stream and of a format: for tests on
// the SIMT layer. Whoever includes it has said what the engine is compiled with (SLUICE_MIN_TOKEN, SLUICE_VALUES).
#include <vector>

#include "tests/simt/copy_story.h"
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
#include "runtime/prim/cuda/stream.h"
#include "runtime/prim/cuda/bitbuffer.h"
#include "runtime/prim/cuda/units.h"
#include "runtime/prim/cuda/tile.h"
#include "runtime/prim/cuda/late.h"
#include "runtime/prim/cuda/steps.h"
#include "runtime/prim/cuda/speculate.h"
}  // namespace gpu

#pragma GCC diagnostic pop

using gpu::u32;
using gpu::u64;
using gpu::u8;
using gpu::prim::Record;

constexpr u8 kBlank = 0xcc;
constexpr std::size_t kEdge = 64;

// What the engine asks of a stream.
struct Stream {
  u8* out = nullptr;
  u64 produced = 0, out_end = 0, window = 0;
};

// What is known of a format whose tokens are told otherwise.
struct Untold {
  static constexpr bool kLate = false, kOnePart = false;
  static constexpr u32 kToldMost = 0;
  typedef Record Own;
};

}  // namespace
}  // namespace sluice::simt::test
