// Runs a CUDA kernel on this CPU, thread by thread, and reports misuse of the warp instead of suffering it.
//
// Each thread of a block is a fiber. A collective (shuffle, vote, reduction, barrier) parks the thread until all
// threads of its mask are there; the last one computes the results. Blocks run one after another. What no hardware
// promises is an error here: lanes that meet at different collectives, masks that name threads which have ended,
// shuffles from outside the mask, threads that wait for each other for ever. Asynchronous copies land as late as they
// may, when they are waited for; until then poison stands in their place.
//
// Built plainly this finds wrong results and the misuse above; with AddressSanitizer and UBSan, steps outside memory;
// with ThreadSanitizer, lanes that share memory without a __syncwarp() in between (one TSan fiber a thread; only
// barriers order memory). It says nothing about speed, nor about races between blocks: those are ordered by running in
// sequence.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "tests/simt/lane.h"

namespace sluice::simt {

enum class Fault : std::uint8_t {
  None,
  Deadlock,            // threads wait, none can run
  Divergent,           // lanes of one mask are at different collectives, or call one with different masks
  CallerNotInMask,     // a lane calls a collective whose mask leaves it out
  ExitedLane,          // a mask names a lane that has ended, or that the block never had
  ShuffleOutsideMask,  // a shuffle reads from a lane that does not take part
  ShuffleWidth,        // a shuffle's width is no power of two up to 32
  Runaway,             // more collectives than Launch::most_collectives
  CopyOverlap,         // an asynchronous copy goes where another one is still on its way to
  Trap,                // the kernel called __trap()
};

struct Launch {
  unsigned blocks = 1;
  unsigned threads = 32;   // in a block, 1..1024
  std::uint64_t seed = 0;  // 0: lanes take turns; else: order of lanes drawn from this seed
  // The kernel's __shared__ variables: filled with kPoison before each block.
  Region shared{};
  std::uint64_t most_collectives = std::uint64_t{1} << 32;  // of all threads of one block together
};

inline constexpr unsigned kMaxThreads = 1024;

struct Report {
  Fault fault = Fault::None;
  unsigned block = 0;             // in which the fault occurred; later blocks did not run
  std::uint64_t collectives = 0;  // calls by all threads of all blocks: a measure of the work
  std::string text;  // one sentence, then a line for each group of threads: what it waits for, at which line
  [[nodiscard]] bool ok() const { return fault == Fault::None; }
};

// Runs body(argument) as every thread of the grid. May be called from several OS threads at a time, not from a kernel.
// `body` must not throw. After a fault the threads of the block are abandoned where they stand: destructors of their
// local variables do not run.
[[nodiscard]] Report launch(const Launch& launch, void (*body)(void*), void* argument);

template <class Body>
[[nodiscard]] Report launch(const Launch& how, Body&& body) {
  auto* pointer = std::addressof(body);
  return launch(
      how, [](void* argument) { (*static_cast<decltype(pointer)>(argument))(); }, pointer);
}

}  // namespace sluice::simt
