// runtime/prim/code_table.h as it is compiled for AVX-512.
#if defined(__x86_64__) && (defined(__clang__) || __GNUC__ >= 12)
#include "tests/unit/vectors_avx512.h"
#define STRINGS_SUITE PrimStringsAvx512
#include "tests/unit/prim_strings_cases.h"
#endif
