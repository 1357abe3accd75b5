// The tests of tokens that begin at bits, where a second warp writes the output, from entries of 16 bits.
#define SLUICE_WRITER 1
#define SLUICE_SHORT_ENTRIES 1
#define PRIM_BITS_SUITE PrimWriterBits

#include "tests/simt/prim_speculate_bits_test.cpp"
