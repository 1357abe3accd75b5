// runtime/prim/join.h as it is compiled for AVX2. (What a machine with AVX-512 decodes goes through it as it is for that: tests/conform.)
#if defined(__x86_64__)
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/guard.h"
#include "tests/support/random.h"

#include "tests/unit/avx2_on.h"
#define JOIN_SUITE PrimJoinAvx2
#define JOIN_RUNS (__builtin_cpu_supports("avx2") != 0)
#include "tests/unit/prim_join_cases.h"
#include "tests/unit/avx2_off.h"
#endif
