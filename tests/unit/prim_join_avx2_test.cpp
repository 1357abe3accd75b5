// runtime/prim/join.h as it is compiled for AVX2. (What a machine with AVX-512 decodes goes through it as it is for that: tests/conform.)
#if defined(__x86_64__)
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/guard.h"
#include "tests/support/random.h"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
#ifndef __AVX2__
#define __AVX2__ 1  // neither compiler says so by itself
#endif
#define JOIN_SUITE PrimJoinAvx2
#define JOIN_RUNS (__builtin_cpu_supports("avx2") != 0)
#include "tests/unit/prim_join_cases.h"
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
