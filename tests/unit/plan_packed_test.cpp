// Which of a warp's loops are packed fields, and that a plan says it where it is so and nowhere else.
#include "compiler/plan/packed.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/planned.h"

namespace sluice::test {
namespace {

struct Made : Planned {
  explicit Made(const std::string& steps)
      : Planned("packed.sluice", "format packed\n  input bits lsb\n  output u32[]\n  trailing accept rest\n\n  width: u5\n  n: u16\n  base: u16\n" + steps,
                plan::Target::Warp) {}
  bool packed() const { return plan.loops.size() == 1 && plan.loops[0].packed; }
};

TEST(PlanPacked, AFieldAndWhatFollowsFromIt) {
  EXPECT_TRUE(Made("  repeat n times\n    v: uint(width)\n    emit v\n").packed());
  EXPECT_TRUE(Made("  repeat n times\n    v: uint(11)\n    emit v + base\n").packed());
  EXPECT_TRUE(Made("  for i < n\n    v: uint(width)\n    emit v +% i as u32\n").packed());
  EXPECT_TRUE(Made("  repeat n times\n    v: uint(width)\n    var w: u32 = v\n    when v & 1 == 1\n      w := base\n    else\n      pass\n"
                   "    emit w\n").packed());
}

TEST(PlanPacked, NothingElse) {
  EXPECT_FALSE(Made("  repeat n times\n    v: uint(width)\n    w: u3\n    emit v + w as u32\n").packed());  // two fields
  EXPECT_FALSE(Made("  repeat n times\n    v: uint(width)\n    emit v\n    emit base as u32\n").packed());           // two elements
  EXPECT_FALSE(Made("  repeat n times\n    v: uint(width)\n    require v != 9 else reject nine\n    emit v\n").packed());
  EXPECT_FALSE(Made("  var sum: u64 = 0\n  repeat n times\n    v: uint(width)\n    sum := sum +% v\n    emit sum as u32\n").packed());
}

// Registers are a kernel's: packed.h.
TEST(PlanPacked, AmongItsLikeOnly) {
  const std::string packed = "  repeat n times\n    v: uint(width)\n    emit v\n", tokens = "  repeat n times\n    m: u8\n    run m as u32, count m\n";
  const Made two(packed + "  align\n" + packed), beside(packed + "  align\n" + tokens);
  ASSERT_EQ(two.plan.loops.size(), 2u);
  EXPECT_TRUE(two.plan.loops[0].packed && two.plan.loops[1].packed);
  ASSERT_EQ(beside.plan.loops.size(), 2u);
  EXPECT_FALSE(beside.plan.loops[0].packed || beside.plan.loops[1].packed);
}

TEST(PlanPacked, TheVerifierKnows) {
  Made made("  repeat n times\n    v: uint(width)\n    require v != 9 else reject nine\n    emit v\n");
  EXPECT_TRUE(plan::verify(*made.compiled.module, made.plan).empty());
  made.plan.loops[0].packed = true;
  EXPECT_EQ(plan::verify(*made.compiled.module, made.plan), std::vector<std::string>{"loop 0 of rule 0: its steps are no packed fields"});
}

}  // namespace
}  // namespace sluice::test
