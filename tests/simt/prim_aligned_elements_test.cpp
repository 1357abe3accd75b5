// The tests of aligned stores, with a promise that is enough for some elements and not for others, and two warps for a
// chunk.
#define SLUICE_WORKERS 64
#define SLUICE_OUTPUT_ALIGNMENT 4
#define PRIM_ALIGNED_SUITE PrimAlignedInPart

#include "tests/simt/prim_aligned_test.cpp"
