// The tests of walks, where a lane's segment has 64 bytes and places of tokens go through a ring (note [ring] of walks.h).
#define SLUICE_SEGMENT 64
#define PRIM_SPECULATE_SUITE PrimLongSegments
#define PRIM_STEPS_SUITE PrimLongSegmentsSteps

#include "tests/simt/prim_steps_test.cpp"
#include "tests/simt/prim_speculate_test.cpp"
