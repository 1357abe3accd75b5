#define SLUICE_ELEMENT 8
#define PRIM_VALUE_SUITE PrimValueSteps8

#include "tests/simt/prim_value_steps_test.cpp"
