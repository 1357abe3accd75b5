// runtime/prim/unpack_out.h as it is compiled for AVX-512.
#if defined(__x86_64__) && (defined(__clang__) || __GNUC__ >= 12)
#include "runtime/jit/aot.h"
#define UNPACK_OUT_SUITE PrimUnpackOutAvx512
#define KEEP_SUMS_SUITE PrimKeepSumsAvx512
#define FILL_EQUAL_SUITE PrimFillEqualAvx512
#define VECTORS_ON "tests/unit/avx512_on.h"
#define VECTORS_OFF "tests/unit/avx512_off.h"
#define VECTORS_RUN sluice::runtime::runs_here("x86-64-v4-vbmi", "")
#include "tests/unit/prim_unpack_out_cases.h"
#ifndef SLUICE_BYTES_MOVE
#error the form for AVX-512 was left out
#endif
#endif
