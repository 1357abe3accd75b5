#pragma once
// What stands between this and avx512_off.h is compiled for AVX-512 as of Ice Lake and Zen 4 (x86-64-v4-vbmi of runtime/jit/isa.h), whatever
// the rest of the file is. Of x86-64 alone.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi2,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,popcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi2,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,popcnt")
#endif
#ifndef __AVX512VBMI2__
#define SLUICE_AVX512_HERE  // neither compiler says so by itself
#ifndef __AVX2__
#define __AVX2__ 1
#define SLUICE_AVX2_HERE  // avx2_off.h ends it
#endif
#define __AVX512DQ__ 1
#define __AVX512VBMI__ 1
#define __AVX512VBMI2__ 1
#endif
