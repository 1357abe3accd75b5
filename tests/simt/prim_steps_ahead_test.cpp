// The tests of steps and of walks, where a second warp writes the output and prepares the next step meanwhile (steps_ahead.h).
#define SLUICE_WRITER 1
#define PRIM_STEPS_AHEAD
#define PRIM_STEPS_SUITE PrimStepsAhead
#define PRIM_SPECULATE_SUITE PrimStepsAheadSpeculate

#include "tests/simt/prim_speculate_test.cpp"
#include "tests/simt/prim_steps_test.cpp"
