#pragma once
// What stands between this and avx2_off.h is compiled for AVX2, whatever the rest of the file is. Of x86-64 alone.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
#ifndef __AVX2__
#define __AVX2__ 1  // neither compiler says so by itself
#define SLUICE_AVX2_HERE
#endif
