// The tests of dictionaries, where a second warp writes the output.
#define SLUICE_WRITER 1
#define PRIM_DICTIONARY_SUITE PrimWriterDictionary

#include "tests/simt/prim_dictionary_test.cpp"
