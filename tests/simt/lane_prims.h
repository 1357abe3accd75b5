#pragma once
// The primitives of strategy `lanes` as tests see them: of a warp, and of a lane. SLUICE_MIN_TOKEN is set before.
#if !defined(SLUICE_STRING_WARPS)
#define SLUICE_STRING_WARPS 1
#endif
#include "tests/simt/record_tokens.h"
#include "tests/support/guard.h"

#pragma GCC diagnostic push
#include "tests/simt/prim_quiet.h"
namespace sluice::simt::test {
namespace {
namespace gpu {
#include "runtime/prim/cuda/stages.h"
#include "runtime/prim/cuda/strings.h"
#include "runtime/prim/cuda/code_lanes.h"
#include "runtime/prim/cuda/fixed_lanes.h"
#if SLUICE_STRING_WARPS > 1
#include "runtime/prim/cuda/team.h"
#include "runtime/prim/cuda/team_lanes.h"
#endif
#include "runtime/prim/cuda/symbol_reads.h"
namespace warp_prim = prim;
namespace thread {
#include "runtime/prim/cuda/thread_tokens.h"
#include "runtime/prim/cuda/thread_code_tokens.h"
}  // namespace thread
}  // namespace gpu
}  // namespace
}  // namespace sluice::simt::test
#pragma GCC diagnostic pop
