// The tests of parts that leave entries, in entries of 32 bits: copies may reach any distance.
#define SLUICE_PART_ENTRIES 15
#define SLUICE_PART_WORDS 3
#define PRIM_PART_STEPS_SUITE PrimPartStepsWide

#include "tests/simt/prim_part_steps_test.cpp"
