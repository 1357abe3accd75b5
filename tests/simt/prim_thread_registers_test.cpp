// The tests of primitives at thread scope, staged in registers instead of shared memory.
#define SLUICE_SPLIT_BUFFER 16
#define PRIM_THREAD_SUITE PrimThreadInRegisters

#include "tests/simt/prim_thread_test.cpp"
