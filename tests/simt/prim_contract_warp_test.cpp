// The contract of primitives, kept by those of a warp's lanes together: checked when this is compiled.
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
#include "runtime/prim/cuda/states.h"
#include "runtime/prim/cuda/checksum.h"
#include "runtime/prim/turned.h"
#include "runtime/prim/cuda/stream.h"
#include "runtime/prim/cuda/bitbuffer.h"
#include "runtime/prim/cuda/direct.h"
#include "runtime/prim/cuda/back.h"
#include "runtime/prim/stream_start.h"
#include "runtime/prim/cuda/streams.h"
#include "runtime/prim/cuda/stages.h"
#include "runtime/prim/cuda/permute.h"
#include "runtime/prim/cuda/units.h"
#include "runtime/prim/turn_bits.h"
#include "runtime/prim/cuda/unshuffle.h"
namespace prim {
SLUICE_INLINE u32* stage_room() { return nullptr; }
}  // namespace prim
#include "runtime/prim/place.h"
#include "runtime/prim/cuda/unpack.h"

namespace of_bytes {
typedef prim::Stream<prim::Input::Bytes, prim::Buffer::Shared> State;
#define CONTRACT_DIRECT 1  // lanes load fields of their own
#define CONTRACT_BITS 0
#define CONTRACT_CHUNK 1
#include "tests/simt/prim_contract.def"
}  // namespace of_bytes

namespace of_bits {
typedef prim::Stream<prim::Input::Msb, prim::Buffer::Registers> State;
typedef prim::BitBuffer<true, prim::Buffer::Registers> Bits;
#define CONTRACT_BITS 1
#define CONTRACT_CHUNK 1
#include "tests/simt/prim_contract.def"
}  // namespace of_bits

}  // namespace

#pragma GCC diagnostic pop
