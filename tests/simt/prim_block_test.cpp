// The tests of primitives, with two warps for a chunk instead of one.
#define SLUICE_WORKERS 64
#define PRIM_CHECKSUM_SUITE PrimChecksumOfABlock
#define PRIM_CODES_SUITE PrimCodesOfABlock
#define PRIM_STAGES_SUITE PrimStagesOfABlock
#define PRIM_STATES_SUITE PrimStatesOfABlock

#include "tests/simt/prim_checksum_test.cpp"
#include "tests/simt/prim_codes_test.cpp"
#include "tests/simt/prim_stages_test.cpp"
#include "tests/simt/prim_states_test.cpp"
