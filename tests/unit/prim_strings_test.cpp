// runtime/prim/code_table.h with what every machine has.
#define STRINGS_SUITE PrimStrings
#define VECTORS_ON "tests/unit/vectors_none.h"
#define VECTORS_OFF "tests/unit/vectors_none.h"
#define VECTORS_RUN true
#include "tests/unit/prim_strings_cases.h"
