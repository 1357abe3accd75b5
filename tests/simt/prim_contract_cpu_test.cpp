// The contract of primitives, kept by those of a CPU's thread: checked when this is compiled.
#include <cstdint>
#include <type_traits>

#pragma GCC diagnostic push
#include "tests/simt/prim_quiet.h"

namespace {

#include "runtime/prim/base.h"
#include "runtime/prim/bits.h"
#include "runtime/prim/turned.h"
#include "runtime/prim/copy.h"
#include "runtime/prim/codes.h"
#include "runtime/prim/states.h"
#include "runtime/prim/varint.h"
#include "runtime/prim/checksum.h"
#include "runtime/prim/stream.h"
#include "runtime/prim/source.h"
#include "runtime/prim/stages.h"
#include "runtime/prim/turn_bits.h"
#include "runtime/prim/unshuffle.h"
#include "runtime/prim/place.h"
#include "runtime/prim/bitbuffer.h"
#include "runtime/prim/vectors.h"
#include "runtime/prim/unpack_512.h"
#include "runtime/prim/unpack.h"
#include "runtime/prim/unpack_out.h"
#include "runtime/prim/keep_sums.h"
#include "runtime/prim/join.h"
#include "runtime/prim/stream_start.h"
#include "runtime/prim/streams.h"

namespace of_bytes {
typedef prim::Stream<prim::Input::Bytes> State;
#define CONTRACT_BITS 0
#define CONTRACT_CHUNK 1
#include "tests/simt/prim_contract.def"
}  // namespace of_bytes

namespace of_bits {
typedef prim::Stream<prim::Input::Msb> State;
typedef prim::BitBuffer<true> Bits;
#define CONTRACT_BITS 1
#define CONTRACT_CHUNK 1
#include "tests/simt/prim_contract.def"
}  // namespace of_bits

}  // namespace

#pragma GCC diagnostic pop
