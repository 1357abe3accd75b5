// The tests of parts that leave entries, in slots too large to be pushed all at once.
#define SLUICE_SHORT_ENTRIES 1
#define SLUICE_PART_ENTRIES 98
#define SLUICE_PART_WORDS 33
#define PRIM_PART_STEPS_SUITE PrimPartStepsLarge

#include "tests/simt/prim_part_steps_test.cpp"

namespace sluice::simt::test {
namespace {
static_assert(!prim::kPushTogether);
}  // namespace
}  // namespace sluice::simt::test
