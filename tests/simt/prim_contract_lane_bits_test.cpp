// The contract of primitives, kept by those of a lane by itself, on bits: checked when this is compiled.
#define SLUICE_PART_COPIES 32
#define SLUICE_DISTANCE_BITS 16
#include <type_traits>

#include "tests/simt/kernel_fixture.h"

#pragma GCC diagnostic push
#include "tests/simt/prim_quiet.h"

namespace {

#include "runtime/prim/cuda/base.h"
#include "runtime/prim/cuda/warp.h"
#include "runtime/prim/cuda/input.h"
#include "runtime/prim/cuda/copy.h"
#include "runtime/prim/cuda/resolve.h"
#include "runtime/prim/cuda/codes.h"
#include "runtime/prim/turned.h"
#include "runtime/prim/cuda/stream.h"
#include "runtime/prim/cuda/bitbuffer.h"
#include "runtime/prim/cuda/stages.h"
#include "runtime/prim/cuda/parts.h"
namespace warp_prim = prim;

namespace of_bits {
#include "runtime/prim/cuda/thread_stream.h"
#include "runtime/prim/cuda/thread_bits.h"
#include "runtime/prim/cuda/thread_copies.h"
// As the emitted one has it: copies wait, and fields come out of a bit buffer.
struct State : prim::Stream<prim::Input::Msb> {
  u8* copy_base;
  u32 copies;
  typedef prim::LaneBits<true> Bits;
};
typedef State::Bits Bits;
#define CONTRACT_BITS 1
#define CONTRACT_CHUNK 0
#include "tests/simt/prim_contract.def"
}  // namespace of_bits

}  // namespace

#pragma GCC diagnostic pop
