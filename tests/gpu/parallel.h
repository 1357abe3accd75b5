#pragma once
// A loop over the machine's cores.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace sluice::gpu {

// Calls work(i) for each i below `count`, from `threads` threads; returns when all are done.
template <class Work>
void parallel_for(std::size_t count, unsigned threads, const Work& work) {
  constexpr std::size_t kStride = 16;  // indices taken at a time
  const std::size_t stride = count >= kStride * threads * 4 ? kStride : 1;
  std::atomic<std::size_t> next{0};
  const auto loop = [&] {
    for (std::size_t from = next.fetch_add(stride); from < count; from = next.fetch_add(stride))
      for (std::size_t i = from; i < std::min(count, from + stride); ++i) work(i);
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads && i < count; ++i) others.emplace_back(loop);
  loop();
  for (std::thread& other : others) other.join();
}

}  // namespace sluice::gpu
