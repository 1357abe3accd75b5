// runtime/prim/unpack_out.h as it is compiled for AVX-512.
#if defined(__x86_64__) && (defined(__clang__) || __GNUC__ >= 12)
#include "tests/unit/vectors_avx512.h"
#define UNPACK_OUT_SUITE PrimUnpackOutAvx512
#define KEEP_SUMS_SUITE PrimKeepSumsAvx512
#define FILL_EQUAL_SUITE PrimFillEqualAvx512
#include "tests/unit/prim_unpack_out_cases.h"
#endif
