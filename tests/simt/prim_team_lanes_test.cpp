// Tokens of one size by a team: what one warp makes of them.
#define SLUICE_TEAM 4
#define SLUICE_STRING_WARPS 4
#define PRIM_FIXED_SUITE PrimTeamLanes
#define PRIM_READS_SUITE PrimTeamSymbolReads

#include "tests/simt/prim_fixed_lanes_test.cpp"
