#pragma once
// Runs a batch of independent chunks on the machine's cores. Which thread takes which chunk changes nothing: a chunk
// writes only what is its own, and each thread brings its own scratch memory.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>

namespace sluice::runtime {

// Decodes chunk `index` with `scratch`: the asked bytes, 64-byte aligned, contents irrelevant, not shared with any
// other running call. Must not throw.
using ChunkTask = std::function<void(std::size_t index, void* scratch)>;

// How many threads a batch may run on, of as many as are asked for.
[[nodiscard]] inline unsigned threads_of(unsigned asked) {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  return asked == 0 ? cores : std::min(asked, cores);
}

// Calls task(0) .. task(count - 1), each once, and returns when all are done. threads: 1 runs them in order on the
// calling thread; 0 stands for one per core of the machine, and no more than that run. False, with nothing or part of
// it run, when there is no memory. Thread-safe: batches may run at the same time.
[[nodiscard]] bool run_batch(std::size_t count, unsigned threads, std::uint64_t scratch_bytes, const ChunkTask& task);

}  // namespace sluice::runtime
