// For tests with kernels of their own: collects the results of a launch. Kernels stand in an unnamed namespace.
#pragma once
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tests/simt/simt.h"

#include "tests/simt/cuda_on_host.h"  // the last one: see there

namespace sluice::simt::test {

// Seeds that tests run under: taking turns, and a few random orders.
inline constexpr std::array<std::uint64_t, 4> kSeeds{0, 1, 2, 0x51ced};

inline Launch grid(unsigned threads, std::uint64_t seed = 0, unsigned blocks = 1) {
  return {blocks, threads, seed, simt_shared_region()};
}

// What body(thread) returns in each thread of one block.
template <class Body>
std::vector<std::uint64_t> per_thread(unsigned threads, std::uint64_t seed, Body body) {
  std::vector<std::uint64_t> results(threads);
  const Report report =
      launch(grid(threads, seed), [&] { results[threadIdx.x] = static_cast<std::uint64_t>(body(threadIdx.x)); });
  EXPECT_EQ(report.fault, Fault::None) << report.text;
  return results;
}

}  // namespace sluice::simt::test
