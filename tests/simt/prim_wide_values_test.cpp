// The tests of wide steps, where literals are values and copies have a greatest length (note [joined copies] of steps.h).
#define SLUICE_VALUES 1
#define SLUICE_SHORT_ENTRIES 1
#define SLUICE_LONGEST_COPY 258
#define PRIM_WIDE_SUITE PrimWideValues

#include "tests/simt/prim_wide_test.cpp"
