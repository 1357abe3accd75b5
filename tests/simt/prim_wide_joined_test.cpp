// The tests of wide steps, where copies are short, and joined.
#define SLUICE_LONGEST_COPY 64
#define PRIM_WIDE_SUITE PrimWideJoined

#include "tests/simt/prim_wide_test.cpp"
