#pragma once
// What avx512_on.h has begun ends.
#ifndef SLUICE_BYTES_MOVE
#error the forms for AVX-512 were left out
#endif
#ifdef SLUICE_AVX512_HERE
#undef SLUICE_AVX512_HERE
#undef __AVX512DQ__
#undef __AVX512VBMI__
#undef __AVX512VBMI2__
#endif
#include "tests/unit/avx2_off.h"
