// Every collective, intrinsic and atomic against its definition, in turn and in random orders of lanes.
#include <numeric>

#include "tests/simt/kernel_fixture.h"

namespace sluice::simt::test {
namespace {

constexpr unsigned kAll = 0xffffffffu;

class Collectives : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Collectives, Shuffles) {
  const auto seed = GetParam();
  const auto value = [](unsigned lane) { return 1000 + lane; };
  const auto by_index = per_thread(
      32, seed, [&](unsigned lane) { return __shfl_sync(kAll, value(lane), static_cast<int>(lane * 7 + 3)); });
  const auto up = per_thread(32, seed, [&](unsigned lane) { return __shfl_up_sync(kAll, value(lane), 5); });
  const auto down = per_thread(32, seed, [&](unsigned lane) { return __shfl_down_sync(kAll, value(lane), 5, 8); });
  const auto crossed = per_thread(32, seed, [&](unsigned lane) { return __shfl_xor_sync(kAll, value(lane), 17); });
  const auto narrow = per_thread(32, seed, [&](unsigned lane) { return __shfl_sync(kAll, value(lane), 9, 8); });
  const auto narrow_cross =
      per_thread(32, seed, [&](unsigned lane) { return __shfl_xor_sync(kAll, value(lane), 8, 8); });
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(by_index[lane], value((lane * 7 + 3) % 32));
    EXPECT_EQ(up[lane], value(lane < 5 ? lane : lane - 5));
    EXPECT_EQ(down[lane], value(lane % 8 + 5 < 8 ? lane + 5 : lane));
    EXPECT_EQ(crossed[lane], value(lane ^ 17));
    EXPECT_EQ(narrow[lane], value(lane / 8 * 8 + 1));
    // An earlier segment may be read, a later one may not.
    EXPECT_EQ(narrow_cross[lane], value((lane ^ 8) < lane ? lane ^ 8 : lane));
  }
}

TEST_P(Collectives, WideAndSignedValues) {
  const auto wide = per_thread(
      32, GetParam(), [](unsigned lane) { return __shfl_sync(kAll, ~0ull << lane, 31 - static_cast<int>(lane)); });
  const auto negative = per_thread(32, GetParam(), [](unsigned lane) {
    return static_cast<long long>(__shfl_sync(kAll, -1 - static_cast<int>(lane), 4));
  });
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(wide[lane], ~0ull << (31 - lane));
    EXPECT_EQ(negative[lane], static_cast<std::uint64_t>(-5ll));
  }
}

TEST_P(Collectives, VotesMatchesAndSums) {
  const auto seed = GetParam();
  const auto votes = per_thread(32, seed, [](unsigned lane) { return __ballot_sync(kAll, lane % 3 == 0); });
  const auto any = per_thread(
      32, seed, [](unsigned lane) { return __any_sync(kAll, lane == 40) * 2 + __any_sync(kAll, lane == 30); });
  const auto all =
      per_thread(32, seed, [](unsigned lane) { return __all_sync(kAll, lane < 32) * 2 + __all_sync(kAll, lane < 31); });
  const auto same = per_thread(32, seed, [](unsigned lane) { return __match_any_sync(kAll, lane % 5); });
  const auto equal = per_thread(32, seed, [](unsigned lane) {
    int yes = -1, no = -1;
    const unsigned mask = __match_all_sync(kAll, 7u, &yes) ^ __match_all_sync(kAll, lane / 31, &no);
    return (mask == kAll) * 4 + yes * 2 + no;
  });
  const auto sums = per_thread(32, seed, [](unsigned lane) { return __reduce_add_sync(kAll, lane * lane); });
  const auto least = per_thread(32, seed, [](unsigned lane) {
    return static_cast<unsigned>(__reduce_min_sync(kAll, 3 - static_cast<int>(lane)));
  });
  const auto most = per_thread(32, seed, [](unsigned lane) { return __reduce_max_sync(kAll, 3 - lane); });
  const auto bits = per_thread(32, seed, [](unsigned lane) {
    return __reduce_or_sync(kAll, 1u << lane % 7) + __reduce_and_sync(kAll, lane | 64) +
           __reduce_xor_sync(kAll, lane == 9 ? 256u : 0u);
  });
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(votes[lane], 0x49249249u);
    EXPECT_EQ(any[lane], 1u);
    EXPECT_EQ(all[lane], 2u);
    unsigned mask = 0;
    for (unsigned other = 0; other < 32; ++other) mask |= (other % 5 == lane % 5 ? 1u : 0u) << other;
    EXPECT_EQ(same[lane], mask);
    EXPECT_EQ(equal[lane], 6u);
    EXPECT_EQ(sums[lane], 31u * 32 * 63 / 6);
    EXPECT_EQ(least[lane], static_cast<std::uint32_t>(3 - 31));
    EXPECT_EQ(most[lane], static_cast<std::uint32_t>(3 - 4));
    EXPECT_EQ(bits[lane], 127u + 64u + 256u);
  }
}

// Halves of a warp on their own ways, each with its own mask, meeting again behind.
TEST_P(Collectives, PartialMasks) {
  const auto results = per_thread(32, GetParam(), [](unsigned lane) {
    unsigned sum = 0;
    if (lane < 12) {
      for (unsigned i = 0; i < 3; ++i) sum += __reduce_add_sync(0xfffu, lane);
    } else if (lane % 2 == 0) {
      sum = __reduce_add_sync(0x55555000u, lane);
    }
    __syncwarp();
    return sum + __shfl_sync(kAll, lane, 1);
  });
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(results[lane], 1 + (lane < 12 ? 3u * 66 : lane % 2 == 0 ? 210u : 0u));
  }
}

// A scan over a block of several warps, the last one incomplete, through shared memory.
TEST_P(Collectives, BlockScan) {
  constexpr unsigned kThreads = 32 * 5;
  const auto results = per_thread(kThreads, GetParam(), [](unsigned thread) {
    __shared__ unsigned sums[32];
    const unsigned lane = thread % 32;
    unsigned value = thread;
    for (unsigned d = 1; d < 32; d *= 2) {
      const unsigned below = __shfl_up_sync(kAll, value, d);
      if (lane >= d) value += below;
    }
    if (lane == 31) sums[thread / 32] = value;
    __syncthreads();
    for (unsigned warp = 0; warp < thread / 32; ++warp) value += sums[warp];
    return value;
  });
  for (unsigned thread = 0; thread < kThreads; ++thread) EXPECT_EQ(results[thread], thread * (thread + 1) / 2);
}

TEST_P(Collectives, IncompleteWarp) {
  const auto results = per_thread(40, GetParam(), [](unsigned thread) {
    return thread < 32 ? __ballot_sync(kAll, 1) : __ballot_sync(0xffu, thread != 33);
  });
  EXPECT_EQ(results[31], kAll);
  EXPECT_EQ(results[39], 0xfdu);
}

TEST_P(Collectives, AtomicHistogramAndCounter) {
  constexpr unsigned kThreads = 128;
  unsigned long long total = 0;
  unsigned least = ~0u, most = 0, held = 0, claimed = 0;
  std::vector<unsigned> counts(16);
  const Report report = launch(grid(kThreads, GetParam(), 3), [&] {
    __shared__ unsigned bins[16];
    if (threadIdx.x < 16) bins[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = 0; i < 5; ++i) atomicAdd(&bins[(threadIdx.x + i) % 16], 1u);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
    atomicAdd(&total, 1ull << 33);
    atomicMin(&least, blockIdx.x * blockDim.x + threadIdx.x + 5);
    atomicMax(&most, blockIdx.x * blockDim.x + threadIdx.x);
    atomicOr(&held, 1u << threadIdx.x % 32);
    if (atomicCAS(&claimed, 0u, threadIdx.x + 1) == 0) atomicExch(&claimed, gridDim.x);
  });
  EXPECT_TRUE(report.ok()) << report.text;
  for (const unsigned count : counts) EXPECT_EQ(count, 3 * kThreads * 5 / 16);
  EXPECT_EQ(total, static_cast<unsigned long long>(3 * kThreads) << 33);
  EXPECT_EQ(least, 5u);
  EXPECT_EQ(most, 3 * kThreads - 1);
  EXPECT_EQ(held, kAll);
  EXPECT_EQ(claimed, 3u);
}

TEST_P(Collectives, SharedMemoryIsPoisonedBeforeEachBlock) {
  unsigned clean = 0;
  const Report report = launch(grid(32, GetParam(), 4), [&] {
    __shared__ unsigned char bytes[64];
    const bool poison = bytes[threadIdx.x] == 0xa5 && bytes[threadIdx.x + 32] == 0xa5;
    __syncwarp();
    bytes[threadIdx.x] = bytes[threadIdx.x + 32] = 0;
    if (__all_sync(kAll, poison) && threadIdx.x == 0) ++clean;
  });
  EXPECT_TRUE(report.ok()) << report.text;
  EXPECT_EQ(clean, 4u);
}

TEST_P(Collectives, EveryBlockSize) {
  for (const unsigned threads : {1u, 2u, 31u, 32u, 33u, 64u, 100u, 512u, 1024u}) {
    const auto results = per_thread(threads, GetParam(), [](unsigned) {
      __shared__ unsigned arrived;
      if (threadIdx.x == 0) arrived = 0;
      __syncthreads();
      atomicAdd(&arrived, 1u);
      __syncthreads();
      return arrived;
    });
    EXPECT_EQ(results, std::vector<std::uint64_t>(threads, threads));
  }
}

TEST_P(Collectives, BarriersThatVote) {
  const auto results = per_thread(70, GetParam(), [](unsigned thread) {
    const unsigned any = static_cast<unsigned>(__syncthreads_or(thread == 69)),
                   none = static_cast<unsigned>(__syncthreads_or(thread == 70));
    const unsigned all = static_cast<unsigned>(__syncthreads_and(thread < 70)),
                   most = static_cast<unsigned>(__syncthreads_and(thread < 69));
    return any * 8 + none * 4 + all * 2 + most + 16 * static_cast<unsigned>(__syncthreads_count(thread % 2 ? 4 : 0));
  });
  EXPECT_EQ(results, std::vector<std::uint64_t>(70, 16 * 35 + 10));
}

// Threads that have ended are not waited for by __syncthreads().
TEST_P(Collectives, EarlyExitsPassABarrier) {
  unsigned passed = 0;
  const Report report = launch(grid(96, GetParam()), [&] {
    if (threadIdx.x / 32 == 1) return;
    __syncthreads();
    atomicAdd(&passed, 1u);
  });
  EXPECT_TRUE(report.ok()) << report.text;
  EXPECT_EQ(passed, 64u);
}

// Two warps hand a number to and fro: who comes to a barrier with a number goes on, who waits there sees what was written.
TEST_P(Collectives, BarriersWithNumbers) {
  unsigned wrong = 0;
  const Report report = launch(grid(64, GetParam()), [&] {
    __shared__ unsigned number;
    for (unsigned i = 0; i < 20; ++i) {
      if (threadIdx.x < 32) {
        if (i != 0) simt_await(2, 64);
        if (threadIdx.x == 0) number = i;
        __syncwarp();
        simt_arrive(1, 64);
      } else {
        simt_await(1, 64);
        if (number != i) atomicAdd(&wrong, 1u);
        __syncwarp();
        if (i != 19) simt_arrive(2, 64);
      }
    }
  });
  EXPECT_TRUE(report.ok()) << report.text;
  EXPECT_EQ(wrong, 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Collectives, testing::ValuesIn(kSeeds));

TEST(Orders, TheSeedDecidesAndIsRepeatable) {
  const auto order = [](std::uint64_t seed) {
    std::vector<unsigned> threads(64);
    unsigned next = 0;
    const Report report = launch(grid(64, seed), [&] {
      __syncthreads();
      threads[atomicAdd(&next, 1u)] = threadIdx.x;
    });
    EXPECT_TRUE(report.ok());
    return threads;
  };
  EXPECT_EQ(order(5), order(5));
  EXPECT_NE(order(5), order(6));
  EXPECT_NE(order(5), order(0));
}

TEST(Intrinsics, Integers) {
  EXPECT_EQ(__ffs(0), 0);
  EXPECT_EQ(__ffs(8), 4);
  EXPECT_EQ(__ffsll(1ll << 40), 41);
  EXPECT_EQ(__clz(1), 31);
  EXPECT_EQ(__clz(0), 32);
  EXPECT_EQ(__clzll(0), 64);
  EXPECT_EQ(__popc(0xf0f0u), 8);
  EXPECT_EQ(__popcll(~0ull), 64);
  EXPECT_EQ(__brev(0x00000001u), 0x80000000u);
  EXPECT_EQ(__brev(0x12345678u), 0x1e6a2c48u);
  EXPECT_EQ(__brevll(1ull), 1ull << 63);
  EXPECT_EQ(__funnelshift_l(0x80000001u, 0x12345678u, 4), 0x23456788u);
  EXPECT_EQ(__funnelshift_l(1u, 2u, 32), 2u);
  EXPECT_EQ(__funnelshift_lc(1u, 2u, 32), 1u);
  EXPECT_EQ(__funnelshift_r(0x12345678u, 0xabcdef09u, 8), 0x09123456u);
  EXPECT_EQ(__funnelshift_r(1u, 2u, 32), 1u);
  EXPECT_EQ(__funnelshift_rc(1u, 2u, 40), 2u);
  EXPECT_EQ(__byte_perm(0x33221100u, 0x77665544u, 0x0123u), 0x00112233u);
  EXPECT_EQ(__byte_perm(0x33221100u, 0x77665544u, 0x7410u), 0x77441100u);
  EXPECT_EQ(__byte_perm(0x00008000u, 0u, 0x1118u | 0x1u << 12), 0x80808000u);
  EXPECT_EQ(__byte_perm(0x00008000u, 0u, 0x9990u), 0xffffff00u);
  EXPECT_EQ(__umulhi(0x80000000u, 6u), 3u);
  EXPECT_EQ(__mulhi(-1, 1), -1);
  EXPECT_EQ(__umul64hi(1ull << 63, 6ull), 3ull);
  EXPECT_EQ(__mul64hi(-1ll, 1ll), -1ll);
}

}  // namespace
}  // namespace sluice::simt::test
