#define SLUICE_ELEMENT 2
#define PRIM_VALUE_SUITE PrimValueSteps2

#include "tests/simt/prim_value_steps_test.cpp"
