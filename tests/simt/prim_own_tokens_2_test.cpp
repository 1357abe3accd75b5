#define SLUICE_ELEMENT 2
#define PRIM_OWN_SUITE PrimOwnTokens2

#include "tests/simt/prim_own_tokens_test.cpp"
