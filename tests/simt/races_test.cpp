// Memory shared between lanes without a barrier in between: ThreadSanitizer sees it whatever the order of lanes was,
// also where the result is right by luck. This program is built with -fsanitize=thread.
#include <string>

#include "tests/simt/kernel_fixture.h"

extern "C" {
// Called by ThreadSanitizer's runtime for each report; the programs' own exit code is gtest's business.
void __tsan_on_report(void*);
const char* __tsan_default_options();
}

namespace {
unsigned races = 0;
}
// Not instrumented: it runs inside the runtime, which holds its locks, and fibers that count race with each other.
// GCC 14's runtime would wait for itself to report that.
extern "C" __attribute__((no_sanitize_thread)) void __tsan_on_report(void*) { ++races; }
extern "C" const char* __tsan_default_options() { return "exitcode=0"; }

namespace sluice::simt::test {
namespace {

constexpr unsigned kAll = 0xffffffffu;

// ThreadSanitizer keeps its notes by 8 bytes, and no longer looks at reads of 8 bytes in which it has reported a race:
// each test has variables that share them with no other's.
constexpr std::size_t kGranule = 8;

// Races that show under any of the seeds; each kernel finishes with its result.
template <class Body>
unsigned races_of(unsigned threads, Body body) {
  unsigned most = 0;
  for (const std::uint64_t seed : kSeeds) {
    const unsigned before = races;
    const Report report = launch(grid(threads, seed, 2), body);
    EXPECT_TRUE(report.ok()) << report.text;
    most = std::max(most, races - before);
  }
  return most;
}

struct Sink {
  std::vector<unsigned> memory = std::vector<unsigned>(4096);
};

TEST(Races, WriteThenReadWithoutBarrier) {
  Sink sink;
  const auto kernel = [&](bool barrier) {
    alignas(kGranule) __shared__ unsigned cells[32];
    cells[threadIdx.x] = threadIdx.x;
    if (barrier) __syncwarp();
    sink.memory[threadIdx.x] = cells[threadIdx.x ^ 1];
  };
  EXPECT_EQ(races_of(32, [&] { kernel(true); }), 0u);
  EXPECT_GT(races_of(32, [&] { kernel(false); }), 0u);
}

// One lane writes, a shuffle keeps all lanes together, all read: a shuffle orders no memory.
TEST(Races, AShuffleIsNoBarrier) {
  Sink sink;
  const auto kernel = [&](bool barrier) {
    alignas(kGranule) __shared__ unsigned cell;
    if (threadIdx.x == 0) cell = 7;
    const unsigned from = __shfl_sync(kAll, threadIdx.x, 3) + __ballot_sync(kAll, 1);
    if (barrier) __syncwarp();
    sink.memory[threadIdx.x] = cell + from;
  };
  EXPECT_EQ(races_of(32, [&] { kernel(true); }), 0u);
  EXPECT_GT(races_of(32, [&] { kernel(false); }), 0u);
}

// The barrier after reading: the next round's write may come before a slow lane's read.
TEST(Races, ReadThenWriteWithoutBarrier) {
  Sink sink;
  const auto kernel = [&](bool barrier) {
    alignas(kGranule) __shared__ unsigned cell;
    unsigned sum = 0;
    for (unsigned round = 0; round < 3; ++round) {
      if (threadIdx.x == round) cell = round;
      __syncwarp();
      sum += cell;
      if (barrier) __syncwarp();
    }
    sink.memory[threadIdx.x] = sum;
  };
  EXPECT_EQ(races_of(32, [&] { kernel(true); }), 0u);
  EXPECT_GT(races_of(32, [&] { kernel(false); }), 0u);
}

// A back-reference that overlaps its own output, with one barrier only.
TEST(Races, OverlappingCopyInGlobalMemory) {
  Sink sink;
  const auto kernel = [&](bool barrier) {
    unsigned* const to = sink.memory.data() + 1;
    const unsigned value = to[static_cast<int>(threadIdx.x) - 1];
    if (barrier) __syncwarp();
    to[threadIdx.x] = value;
  };
  EXPECT_EQ(races_of(32, [&] { kernel(true); }), 0u);
  EXPECT_GT(races_of(32, [&] { kernel(false); }), 0u);
}

TEST(Races, MissingSyncthreads) {
  Sink sink;
  const auto kernel = [&](bool barrier) {
    alignas(kGranule) __shared__ unsigned cells[96];
    cells[threadIdx.x] = threadIdx.x;
    if (barrier)
      __syncthreads();
    else
      __syncwarp();
    sink.memory[threadIdx.x] = cells[95 - threadIdx.x];
  };
  EXPECT_EQ(races_of(96, [&] { kernel(true); }), 0u);
  EXPECT_GT(races_of(96, [&] { kernel(false); }), 0u);
}

TEST(Races, HistogramWithoutAtomics) {
  const auto kernel = [&](bool atomic) {
    alignas(kGranule) __shared__ unsigned bins[4];
    if (threadIdx.x < 4) bins[threadIdx.x] = 0;
    __syncwarp();
    if (atomic)
      atomicAdd(&bins[threadIdx.x % 4], 1u);
    else
      ++bins[threadIdx.x % 4];
  };
  EXPECT_EQ(races_of(32, [&] { kernel(true); }), 0u);
  EXPECT_GT(races_of(32, [&] { kernel(false); }), 0u);
}

// Several lanes writing the same value to one place.
TEST(Races, SameAddressEqualValues) {
  Sink sink;
  const auto kernel = [&](bool all) {
    alignas(kGranule) __shared__ unsigned cell;
    if (all || threadIdx.x == 0) cell = 5;
    __syncwarp();
    sink.memory[threadIdx.x] = cell;
  };
  EXPECT_EQ(races_of(32, [&] { kernel(false); }), 0u);
  EXPECT_GT(races_of(32, [&] { kernel(true); }), 0u);
}

// A barrier of half a warp orders nothing for the other half.
TEST(Races, PartialBarrier) {
  Sink sink;
  const auto kernel = [&](unsigned mask) {
    alignas(kGranule) __shared__ unsigned cells[32];
    cells[threadIdx.x] = threadIdx.x;
    if (mask == kAll || threadIdx.x < 16)
      __syncwarp(mask);
    else
      __syncwarp(~mask);
    sink.memory[threadIdx.x] = cells[threadIdx.x ^ 16];
  };
  EXPECT_EQ(races_of(32, [&] { kernel(kAll); }), 0u);
  EXPECT_GT(races_of(32, [&] { kernel(0xffffu); }), 0u);
}

// What a lane does behind a barrier is unknown to the lanes that leave the barrier later.
TEST(Races, BehindTheBarrier) {
  Sink sink;
  const auto kernel = [&](bool barrier) {
    alignas(kGranule) __shared__ unsigned cell;
    __syncwarp();
    if (threadIdx.x == 31) cell = 3;  // in turn, lane 31 comes last and goes on first
    if (barrier) __syncwarp();
    sink.memory[threadIdx.x] = cell;
  };
  EXPECT_EQ(races_of(32, [&] { kernel(true); }), 0u);
  EXPECT_GT(races_of(32, [&] { kernel(false); }), 0u);
}

}  // namespace
}  // namespace sluice::simt::test
