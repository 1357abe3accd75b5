// The tests of wide steps, where a second warp writes the output.
#define SLUICE_WRITER 1
#define SLUICE_LONGEST_COPY 64
#define PRIM_WIDE_SUITE PrimWideWriter

#include "tests/simt/prim_wide_test.cpp"
