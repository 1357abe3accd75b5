// The tests of teams, with two warps.
#define SLUICE_TEAM 2
#define PRIM_TEAM_SUITE PrimTeamOfTwo

#include "tests/simt/prim_team_test.cpp"
