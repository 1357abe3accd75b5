#pragma once
// What a file of cases asks for, of code for AVX2: what stands around it, and whether the machine has it.
#define VECTORS_ON "tests/unit/avx2_on.h"
#define VECTORS_OFF "tests/unit/avx2_off.h"
#define VECTORS_RUN (__builtin_cpu_supports("avx2") != 0)
