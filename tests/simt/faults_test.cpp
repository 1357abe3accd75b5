// Misuse of the warp that no result shows reliably on hardware: each kind is reported, with the line, in every order.
#include <string>

#include "tests/simt/kernel_fixture.h"

namespace sluice::simt::test {
namespace {

constexpr unsigned kAll = 0xffffffffu;

class Faults : public testing::TestWithParam<std::uint64_t> {
 protected:
  template <class Body>
  Report run(unsigned threads, Body body) const {
    return launch(grid(threads, GetParam(), 2), body);
  }
};

void expect(const Report& report, Fault fault, const std::string& part) {
  EXPECT_EQ(report.fault, fault) << report.text;
  EXPECT_NE(report.text.find(part), std::string::npos) << "expected \"" << part << "\" in:\n" << report.text;
}

std::string line(int number) { return "line " + std::to_string(number); }

TEST_P(Faults, LanesAtDifferentCollectives) {
  const int other = __LINE__ + 3;
  const Report report = run(32, [] {
    if (threadIdx.x < 16)
      __shfl_sync(kAll, 1, 0);
    else
      __ballot_sync(kAll, 1);
  });
  expect(report, Fault::Divergent, line(other));
  expect(report, Fault::Divergent, "__shfl_sync mask 0xffffffff");
}

// The same collective, but on two ways through the program: equal by luck.
TEST_P(Faults, LanesAtDifferentLines) {
  const Report report = run(32, [] {
    if (threadIdx.x % 2) {
      __syncwarp();
    } else {
      __syncwarp();
    }
  });
  expect(report, Fault::Divergent, "__syncwarp");
}

TEST_P(Faults, MasksThatDisagree) {
  const Report report = run(32, [] { __shfl_sync(threadIdx.x < 8 ? 0xffffu : kAll, 1, 0); });
  EXPECT_TRUE(report.fault == Fault::Divergent || report.fault == Fault::CallerNotInMask) << report.text;
}

TEST_P(Faults, CallerNotInItsMask) {
  expect(run(32, [] { __ballot_sync(0xfffffffeu, 1); }), Fault::CallerNotInMask, "thread");
}

TEST_P(Faults, ExitedLaneIsNamed) {
  const int place = __LINE__ + 3;
  const Report report = run(32, [] {
    if (threadIdx.x == 31) return;
    __shfl_sync(kAll, 1, 0);
  });
  expect(report, Fault::ExitedLane, line(place));
  expect(report, Fault::ExitedLane, "threads 31: ended");
}

TEST_P(Faults, LaneThatTheBlockNeverHad) {
  expect(run(20, [] { __syncwarp(); }), Fault::ExitedLane, "line");
}

TEST_P(Faults, ShuffleFromOutsideTheMask) {
  const Report report = run(32, [] {
    if (threadIdx.x < 16) __shfl_sync(0xffffu, 1, static_cast<int>(threadIdx.x) + 1);
  });
  expect(report, Fault::ShuffleOutsideMask, "__shfl_sync mask 0x0000ffff");
}

TEST_P(Faults, ShuffleWidth) {
  expect(run(32, [] { __shfl_sync(kAll, 1, 0, 24); }), Fault::ShuffleWidth, "width");
}

TEST_P(Faults, BarrierInADivergentBranch) {
  const int place = __LINE__ + 3;
  const Report report = run(64, [] {
    if (threadIdx.x < 32)
      __syncthreads();
    else
      __syncwarp();
    if (threadIdx.x >= 32) __syncthreads();
  });
  expect(report, Fault::Divergent, "__syncthreads " + line(place));
}

// Lane 5 waits for the block while the rest of its warp waits for lane 5.
TEST_P(Faults, Deadlock) {
  const int barrier = __LINE__ + 2;
  const Report report = run(64, [] {
    if (threadIdx.x == 5) __syncthreads();
    __syncwarp();
  });
  expect(report, Fault::Deadlock, "threads 5: waits at __syncthreads " + line(barrier));
  expect(report, Fault::Deadlock, "threads 0-4 6-31: waits at __syncwarp mask 0xffffffff " + line(barrier + 1));
  expect(report, Fault::Deadlock, "threads 32-63: ended");
}

// Half of those that are to come to it never do.
TEST_P(Faults, BarrierWithANumberThatWaits) {
  const int place = __LINE__ + 2;
  const Report report = run(64, [] {
    if (threadIdx.x < 32) simt_await(3, 64);
  });
  expect(report, Fault::Deadlock, "threads 0-31: waits at bar.sync");
  expect(report, Fault::Deadlock, line(place));
}

TEST_P(Faults, BarrierThatThereIsNot) {
  expect(run(32, [] { simt_arrive(16, 32); }), Fault::Divergent, "1 to 15");
}

TEST_P(Faults, EndlessLoop) {
  Launch how = grid(32, GetParam());
  how.most_collectives = 10000;
  const Report report = launch(how, [] {
    for (;;) __syncwarp();
  });
  expect(report, Fault::Runaway, "more collectives");
}

// Copies land when they are waited for, and not before: what stands there until then is no result of anybody's.
TEST_P(Faults, CopiesLandWhenWaitedFor) {
  const Report report = run(32, [] {
    __shared__ unsigned to[32];
    const unsigned from = 7 + threadIdx.x;
    to[threadIdx.x] = 3;
    simt_begin_copy(&to[threadIdx.x], &from, sizeof from);
    if (to[threadIdx.x] != 0xa5a5a5a5u) __trap();
    simt_wait_for_copies();
    if (to[threadIdx.x] != 7 + threadIdx.x) __trap();
  });
  EXPECT_TRUE(report.ok()) << report.text;
}

TEST_P(Faults, CopyToWhereAnotherIsOnItsWay) {
  const int place = __LINE__ + 6;
  const auto kernel = [](bool waits) {
    __shared__ unsigned to[32][2];
    const unsigned from[2] = {7, 8};
    simt_begin_copy(&to[threadIdx.x], from, sizeof from);
    if (waits) simt_wait_for_copies();
    simt_begin_copy(&to[threadIdx.x][1], from, sizeof *from);
  };
  EXPECT_TRUE(run(32, [&] { kernel(true); }).ok());
  expect(run(32, [&] { kernel(false); }), Fault::CopyOverlap, line(place));
}

TEST_P(Faults, Trap) {
  expect(run(32,
             [] {
               if (threadIdx.x == 3) __trap();
             }),
         Fault::Trap, "threads 3: at line");
}

// Reading shared memory that nobody wrote: the poison makes a wrong result of it.
TEST_P(Faults, SharedMemoryNotInitialised) {
  unsigned sum = 0;
  const Report report = run(32, [&] {
    __shared__ unsigned total;
    atomicAdd(&total, 1u);
    __syncwarp();
    if (threadIdx.x == 0) sum = total;
  });
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(sum, 0xa5a5a5a5u + 32);
}

// A histogram whose updates are lost when lanes come in between reading and writing: a vote stands there.
TEST_P(Faults, LostUpdatesShowInTheResult) {
  unsigned counted = 0;
  const Report report = run(32, [&] {
    __shared__ unsigned bin;
    if (threadIdx.x == 0) bin = 0;
    __syncwarp();
    const unsigned old = bin;
    __any_sync(kAll, 0);
    bin = old + 1;
    __syncwarp();
    if (threadIdx.x == 0) counted = bin;
  });
  EXPECT_TRUE(report.ok());
  EXPECT_NE(counted, 32u);
}

// A copy onto itself without the barrier between reading and writing.
TEST_P(Faults, OverlappingCopyShowsInTheResult) {
  std::vector<unsigned> memory(64);
  for (unsigned i = 0; i < 64; ++i) memory[i] = i;
  const Report report = launch(grid(32, GetParam()), [&] {
    __syncwarp();
    memory[threadIdx.x + 1] = memory[threadIdx.x];
  });
  EXPECT_TRUE(report.ok());
  std::vector<unsigned> right(64);
  for (unsigned i = 0; i < 64; ++i) right[i] = i == 0 ? 0 : i <= 32 ? i - 1 : i;
  EXPECT_NE(memory, right);
}

// After any fault the next launch works.
TEST_P(Faults, TheLayerRecovers) {
  for (unsigned i = 0; i < 100; ++i) {
    const Report bad = run(96, [] {
      volatile unsigned deep[100] = {};
      deep[threadIdx.x] = 1;
      if (threadIdx.x + deep[1] != 41) __syncthreads();
      __syncwarp();
    });
    EXPECT_FALSE(bad.ok());
    unsigned sum = 0;
    const Report good = run(96, [&] {
      const unsigned warp = __reduce_add_sync(kAll, threadIdx.x);
      if (threadIdx.x == 95) sum = warp;
    });
    EXPECT_TRUE(good.ok());
    EXPECT_EQ(sum, (64u + 95) * 16);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Faults, testing::ValuesIn(kSeeds));

TEST(Launches, ABlockSizeThatNoDeviceHas) {
  EXPECT_FALSE(launch(Launch{1, 0}, [] {}).ok());
  EXPECT_FALSE(launch(Launch{1, 1025}, [] {}).ok());
}

}  // namespace
}  // namespace sluice::simt::test
