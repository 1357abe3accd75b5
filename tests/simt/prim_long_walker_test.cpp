// The tests of walks by a third warp, where a lane's segment has 64 bytes: its lists of a tile's tokens are whole ones.
#define SLUICE_SEGMENT 64
#define PRIM_SPECULATE_SUITE PrimLongWalker

#include "tests/simt/prim_walker_test.cpp"
