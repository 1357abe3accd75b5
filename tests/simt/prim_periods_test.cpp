// The tests of wide steps, where batches of one period are looked for (note [periods] of periods.h).
#define SLUICE_PERIODS 1
#define PRIM_WIDE_SUITE PrimPeriods

#include "tests/simt/prim_wide_test.cpp"
