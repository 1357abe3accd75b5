// The tests of steps, where the warp that writes is so slow that the other one is ahead of it as far as it may: by all packets,
// and by all entries and marks that there is room for. It dawdles behind the barrier of each packet it is given.
#define SLUICE_WRITER 1
#define SLUICE_AWAIT(barrier, threads)                                          \
  [&] {                                                                         \
    simt_await(barrier, threads);                                               \
    for (unsigned i = 0; threadIdx.x >= kLanes && i < 400; ++i) __syncwarp();   \
  }()
#define PRIM_STEPS_SUITE PrimSlowWriter
#define PRIM_SPECULATE_SUITE PrimSlowWriterSpeculate

#include "tests/simt/prim_speculate_test.cpp"
#include "tests/simt/prim_steps_test.cpp"
