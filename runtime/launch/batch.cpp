#include "runtime/launch/batch.h"

#include <tbb/blocked_range.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <exception>
#include <vector>

#include "runtime/launch/scratch.h"

namespace sluice::runtime {
namespace {

bool run_here(std::size_t count, std::uint64_t scratch_bytes, const ChunkTask& task) {
  const Scratch scratch = make_scratch(scratch_bytes);
  if (!scratch) return false;
  for (std::size_t i = 0; i < count; ++i) task(i, scratch.get());
  return true;
}

}  // namespace

bool run_batch(std::size_t count, unsigned threads, std::uint64_t scratch_bytes, const ChunkTask& task) {
  if (count <= 1 || threads == 1) return count == 0 || run_here(count, scratch_bytes, task);  // TBB takes a while to wake
  // More threads than cores gain nothing, and TBB would complain on stderr.
  const auto cores = static_cast<unsigned>(std::max(1, tbb::info::default_concurrency()));
  threads = threads == 0 ? cores : std::min(threads, cores);
  threads = static_cast<unsigned>(std::min<std::size_t>(threads, count));
  if (threads <= 1) return run_here(count, scratch_bytes, task);

  try {  // TBB reports lack of memory and of threads by exceptions; they end here
    std::vector<Scratch> scratch;
    for (unsigned i = 0; i < threads; ++i) {
      scratch.push_back(make_scratch(scratch_bytes));
      if (!scratch.back()) return false;
    }
    tbb::task_arena arena(static_cast<int>(threads));
    arena.execute([&] {
      // Grain 1: chunks differ in cost, and one is work enough to hand out alone.
      tbb::parallel_for(
          tbb::blocked_range<std::size_t>(0, count, 1),
          [&](const tbb::blocked_range<std::size_t>& range) {
            // A place in the arena belongs to one thread at a time, and tasks here don't wait for others.
            const auto place = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
            for (std::size_t i = range.begin(); i != range.end(); ++i) task(i, scratch[place].get());
          },
          tbb::simple_partitioner{});
    });
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace sluice::runtime
