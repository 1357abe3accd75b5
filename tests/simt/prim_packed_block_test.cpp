// The tests of packed fields with two warps for a chunk.
#define SLUICE_WORKERS 64
#define PRIM_PACKED_SUITE PrimPackedOfABlock

#include "tests/simt/prim_packed_test.cpp"
