// The contract of primitives, kept by those of a lane by itself, on bytes: checked when this is compiled.
#define SLUICE_SPLIT_BUFFER 64
#include <type_traits>

#include "tests/simt/kernel_fixture.h"

#pragma GCC diagnostic push
#include "tests/simt/prim_quiet.h"

namespace {

#include "runtime/prim/cuda/base.h"
#include "runtime/prim/cuda/warp.h"
#include "runtime/prim/cuda/input.h"
#include "runtime/prim/cuda/copy.h"
#include "runtime/prim/cuda/codes.h"
#include "runtime/prim/turned.h"
#include "runtime/prim/cuda/stream.h"
#include "runtime/prim/cuda/bitbuffer.h"
#include "runtime/prim/cuda/stages.h"
#include "runtime/prim/cuda/units.h"
namespace warp_prim = prim;

namespace of_bytes {
#include "runtime/prim/cuda/thread_stream.h"
#include "runtime/prim/cuda/thread_source.h"
#include "runtime/prim/cuda/thread_output.h"
typedef prim::Stream<prim::Input::Bytes> State;
#define CONTRACT_BITS 0
#define CONTRACT_CHUNK 0
#include "tests/simt/prim_contract.def"
}  // namespace of_bytes

}  // namespace

#pragma GCC diagnostic pop
