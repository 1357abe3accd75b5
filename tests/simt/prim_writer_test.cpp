// The tests of steps and of walks, where a second warp writes the output (note [writer] of writer.h).
#define SLUICE_WRITER 1
#define PRIM_STEPS_SUITE PrimWriter
#define PRIM_SPECULATE_SUITE PrimWriterSpeculate

#include "tests/simt/prim_speculate_test.cpp"
#include "tests/simt/prim_steps_test.cpp"
