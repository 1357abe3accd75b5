// The tests of walks, where a lane takes up two tokens at a time (note [tokens a lane] of records.h), and near bytes of a step
// are links (note [links] of steps.h), and a lane's segment has 64 bytes.
#define SLUICE_TOKENS_A_LANE 2
#define SLUICE_LINKS 1
#define SLUICE_SEGMENT 64
#define PRIM_EACH_PART 1
#define PRIM_SPECULATE_SUITE PrimTokensALane
#define PRIM_STEPS_SUITE PrimTokensALaneSteps

#include "tests/simt/prim_steps_test.cpp"
#include "tests/simt/prim_walker_test.cpp"
