// The tests of steps, where all that can be are wide ones (note [wide steps] of wide_steps.h).
#define SLUICE_WIDE_PARTS 1
#define PRIM_STEPS_SUITE PrimWideSteps
#define PRIM_SPECULATE_SUITE PrimWideSpeculate

#include "tests/simt/prim_steps_test.cpp"
