#define SLUICE_ELEMENT 4
#define PRIM_VALUE_SUITE PrimValueSteps4

#include "tests/simt/prim_value_steps_test.cpp"
