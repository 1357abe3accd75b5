// runtime/prim/unpack.h as it is compiled for AVX2.
#if defined(__x86_64__) && (defined(__clang__) || __GNUC__ >= 12)
#define UNPACK_SUITE PrimUnpack
#define VECTORS_ON "tests/unit/avx2_on.h"
#define VECTORS_OFF "tests/unit/avx2_off.h"
#define VECTORS_RUN (__builtin_cpu_supports("avx2") != 0)
#include "tests/unit/prim_unpack_cases.h"
#endif
