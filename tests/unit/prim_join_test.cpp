// runtime/prim/join.h with the vectors that every machine has.
#define JOIN_SUITE PrimJoin
#define JOIN_RUNS true
#include "tests/unit/prim_join_cases.h"
