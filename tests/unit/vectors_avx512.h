#pragma once
// What a file of cases asks for, of code for AVX-512: what stands around it, and whether the machine has it.
#include "runtime/jit/aot.h"

#define VECTORS_ON "tests/unit/avx512_on.h"
#define VECTORS_OFF "tests/unit/avx512_off.h"
#define VECTORS_RUN sluice::runtime::runs_here("x86-64-v4-vbmi", "")
