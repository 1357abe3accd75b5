#pragma once
// The primitives that find tokens of values and write them, as tests see them: of a warp, and of a lane. SLUICE_ELEMENT and
// SLUICE_MIN_TOKEN are set before.
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
namespace warp_prim = prim;
namespace thread {
#include "runtime/prim/cuda/thread_tokens.h"
#include "runtime/prim/cuda/thread_value_tokens.h"
}  // namespace thread
}  // namespace gpu
}  // namespace
}  // namespace sluice::simt::test
#pragma GCC diagnostic pop
