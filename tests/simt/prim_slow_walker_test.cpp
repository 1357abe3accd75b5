// The tests of walks, where the warp that walks ahead is slow, or the one that takes its tiles is, by turns.
#define SLUICE_WRITER 1
#define SLUICE_WALKER 1
#define SLUICE_AWAIT(barrier, threads)                                                                                     \
  [&] {                                                                                                                    \
    simt_await(barrier, threads);                                                                                          \
    for (unsigned i = 0; (threadIdx.x >= 64) == ((barrier) % 2 == 0) && i < 40; ++i) __syncwarp();                        \
  }()
#define PRIM_SPECULATE_SUITE PrimSlowWalker

#include "tests/simt/prim_walker_test.cpp"
