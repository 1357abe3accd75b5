// The tests of teams, with eight warps.
#define SLUICE_TEAM 8
#define PRIM_TEAM_SUITE PrimTeamOfEight

#include "tests/simt/prim_team_test.cpp"
