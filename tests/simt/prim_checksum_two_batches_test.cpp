// The tests of checksums, of kernels whose CRCs have two batches of lines on their way.
#define SLUICE_SHORT_ENTRIES 1
#define PRIM_CHECKSUM_SUITE PrimChecksumOfTwoBatches

#include "tests/simt/prim_checksum_test.cpp"
