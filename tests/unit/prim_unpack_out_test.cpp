// runtime/prim/unpack_out.h as it is compiled for AVX2.
#if defined(__x86_64__) && (defined(__clang__) || __GNUC__ >= 12)
#include "tests/unit/vectors_avx2.h"
#define UNPACK_OUT_SUITE PrimUnpackOut
#define KEEP_SUMS_SUITE PrimKeepSums
#define FILL_EQUAL_SUITE PrimFillEqual
#include "tests/unit/prim_unpack_out_cases.h"
#endif
