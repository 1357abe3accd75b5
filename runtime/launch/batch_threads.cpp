// run_batch without TBB, for programs that have to run on machines without it: threads that take the next chunk from a
// counter.
#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

#include "runtime/launch/batch.h"
#include "runtime/launch/scratch.h"

namespace sluice::runtime {
bool run_batch(std::size_t count, unsigned threads, std::uint64_t scratch_bytes, const ChunkTask& task) {
  threads = static_cast<unsigned>(std::min<std::size_t>(threads_of(threads), count));
  std::vector<Scratch> scratch;
  for (unsigned i = 0; i < threads; ++i) {
    scratch.push_back(make_scratch(scratch_bytes));
    if (!scratch.back()) return false;
  }
  std::atomic<std::size_t> next{0};
  const auto work = [&](void* own) {
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) task(i, own);
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i) {
    try {
      others.emplace_back(work, scratch[i].get());
    } catch (const std::system_error&) {
      break;  // no more threads to be had: those that run do the rest
    }
  }
  if (count != 0) work(scratch[0].get());
  for (std::thread& thread : others) thread.join();
  return true;
}

}  // namespace sluice::runtime
