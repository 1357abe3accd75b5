// The tests of values, in entries of 16 bits.
#define SLUICE_SHORT_ENTRIES 1
#define PRIM_VALUES_SUITE PrimShortValues

#include "tests/simt/prim_values_test.cpp"
