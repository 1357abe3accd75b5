// runtime/prim/unpack.h as it is compiled for AVX-512.
#if defined(__x86_64__) && (defined(__clang__) || __GNUC__ >= 12)
#include "tests/unit/vectors_avx512.h"
#define UNPACK_SUITE PrimUnpackAvx512
#include "tests/unit/prim_unpack_cases.h"
#endif
