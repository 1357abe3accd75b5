#pragma once
// What avx2_on.h has begun ends.
#ifdef SLUICE_AVX2_HERE
#undef SLUICE_AVX2_HERE
#undef __AVX2__
#endif
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
