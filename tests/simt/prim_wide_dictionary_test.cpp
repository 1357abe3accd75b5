// The tests of dictionaries, where all steps that can be are wide ones.
#define SLUICE_WIDE_PARTS 1
#define PRIM_DICTIONARY_SUITE PrimWideDictionary

#include "tests/simt/prim_dictionary_test.cpp"
