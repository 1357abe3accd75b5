// What code that runs as a thread of a kernel sees of the SIMT layer: where it is, and the collectives' one door.
#pragma once
#include <cstddef>
#include <cstdint>

namespace sluice::simt {

// What stands in memory that nothing has been written to yet.
inline constexpr std::byte kPoison{0xa5};

// A program's __shared__ variables.
struct Region {
  std::byte* start;
  std::size_t size;
};

struct Dim {
  unsigned x, y, z;
};

// threadIdx, blockIdx, blockDim, gridDim of the thread that runs now. `thread` changes with every switch of fibers, so
// it is right whenever a kernel looks.
struct Place {
  Dim thread, block, block_dim, grid_dim;
};
extern constinit thread_local Place place;

enum class Op : std::uint8_t {
  SyncWarp,
  SyncThreads,
  SyncThreadsOr,
  SyncThreadsAnd,
  SyncThreadsCount,
  Shuffle,
  ShuffleUp,
  ShuffleDown,
  ShuffleXor,
  Ballot,
  Any,
  All,
  Add,
  MinUnsigned,
  MaxUnsigned,
  MinSigned,
  MaxSigned,
  And,
  Or,
  Xor,
  MatchAny,
  MatchAll,
  Arrive,
  Await,
};

// One thread's part in a collective. Returns when all threads of `mask` (of the block, for SyncThreads*) have come,
// with this thread's result:
//   Shuffle*    `value` of the source lane; `argument` is the lane, distance or lane mask, `width` the segment
//   Ballot..Xor a combination of the low 32 bits of every `value`
//   SyncThreadsOr..SyncThreadsCount   whether any, whether all, how many `value`s of the block are not zero
//   Arrive, Await   barrier `value` of the block, at which `argument` threads come in all: Await returns when they have,
//               Arrive at once
//   MatchAny    mask of lanes with an equal value; MatchAll: the mask if all are equal, else 0
// `line` tells the place in the kernel's text. Does not return when the kernel is at fault.
std::uint64_t collective(Op op, std::uint32_t mask, std::uint64_t value, std::uint32_t argument, unsigned width,
                         unsigned line);

// A place where another thread may run: in a launch with a seed, now and then one does.
void interleave();

// A copy that a thread has begun and not waited for: it may land at any time until then.
struct AsyncCopy {
  std::byte* to;
  const std::byte* from;
  std::size_t bytes;
};
// Ends the launch with Fault::CopyOverlap when another copy of this thread is on its way to the same place.
void begin_copy(const AsyncCopy& copy, unsigned line);
// Takes the oldest of this thread's copies that are on their ways; false: there is none.
bool take_copy(AsyncCopy& copy);

// Ends the launch with Fault::Trap.
void trap(unsigned line);

}  // namespace sluice::simt
