// What a kernel's loops hold and compute in 32 bits: note [widths].
#include "compiler/plan/width.h"

#include "compiler/driver/compile.h"
#include "compiler/driver/library.h"
#include "compiler/emit/cuda.h"
#include "compiler/plan/lower.h"
#include "compiler/plan/text.h"
#include "compiler/plan/verify.h"
#include "tests/unit/ir_fixture.h"

namespace sluice::test {
namespace {

using Numbers = std::vector<std::uint32_t>;

// Of a loop with slots %0 (u8), %1 (u32), %2 (u64) and %3 (i8).
const char* const kSlots =
    "  slot u8 \"a\" mutable\n  slot u32 \"b\" mutable\n  slot u64 \"c\" mutable\n  slot i8 \"d\" mutable\n"
    "  loop until_end\n    read %0 fixed u8 !0\n    read %1 fixed u32 le !0\n    read %2 fixed u64 le !0\n    read %3 fixed i8 !0\n";

ir::Module module_with(const std::string& value) {
  return module_of(program("bytes", "", kSlots + ("    emit (cast:u8 " + value + ") !2\n")));
}

// Of the operand that is output.
Numbers wide(const std::string& value) {
  const ir::Module module = module_with(value);
  const plan::Plan plan = plan::lower(module, plan::Target::Warp);
  EXPECT_EQ(plan::verify(module, plan), std::vector<std::string>());
  return plan.loops.empty() ? Numbers{99} : std::get<plan::Store>(plan.loops[0].body.back().what).value.wide;
}

TEST(PlanWidth, SlotsByTheirRanges) {
  const ir::Module module = module_with("%0");
  const plan::Loop warp = plan::lower(module, plan::Target::Warp).loops[0];
  EXPECT_EQ(warp.narrow, (std::vector<plan::Local>{{0, 0}, {0, 1}}));
  const plan::Loop cpu = plan::lower(module, plan::Target::Cpu).loops[0];
  EXPECT_TRUE(cpu.narrow.empty() && cpu.narrow_values.empty());
}

// Node 0 is the cast, node 1 what it is given.
TEST(PlanWidth, WhatMayNotFitIsGiven64Bits) {
  EXPECT_EQ(wide("(add{0..510} %0 %0)"), Numbers());
  EXPECT_EQ(wide("(add{0..4294967550} %0 %1)"), (Numbers{1}));
  EXPECT_EQ(wide("(sub %0 %1)"), (Numbers{1}));  // wraps at 64 bits
  EXPECT_EQ(wide("(sub{0..255} %0 %1)"), Numbers());
  EXPECT_EQ(wide("(mul %1 %1)"), (Numbers{1}));
  EXPECT_EQ(wide("(bit_not %0)"), (Numbers{1}));
  // A number of 64 bits widens the others by itself.
  EXPECT_EQ(wide("(add %2 %1)"), Numbers());
  EXPECT_EQ(wide("(add (mul %1 %1) %1)"), (Numbers{2}));
}

TEST(PlanWidth, ShiftsByMoreThanAWordHolds) {
  EXPECT_EQ(wide("(shr{0..255} %1 %0{0..31})"), Numbers());
  EXPECT_EQ(wide("(shr{0..255} %1 %0{0..32})"), (Numbers{1}));
  EXPECT_EQ(wide("(shl{0..2147483648} 1 %0{0..31})"), Numbers());
  EXPECT_EQ(wide("(shl 1 %0{0..63})"), (Numbers{1}));
  EXPECT_EQ(wide("(shl{0..1} (lt %0 %1) %0{0..31})"), (Numbers{1}));  // of an int, else
}

TEST(PlanWidth, WhatCWouldComputeAsInt) {
  EXPECT_EQ(wide("(add{0..2} (lt %0 %1) (lt %1 %0))"), (Numbers{1}));
  EXPECT_EQ(wide("(add{0..256} (lt %0 %1) %0)"), Numbers());
}

TEST(PlanWidth, TheVerifierProvesIt) {
  const ir::Module module = module_with("(add{0..4294967550} %0 %1)");
  const plan::Plan right = plan::lower(module, plan::Target::Warp);
  const auto broken = [&](auto change) {
    plan::Plan plan = plan::lower(module, plan::Target::Warp);
    change(plan.loops[0]);
    return plan::verify(module, plan);
  };
  using All = std::vector<std::string>;
  EXPECT_EQ(broken([](plan::Loop&) {}), All());
  EXPECT_EQ(broken([](plan::Loop& l) { l.narrow.push_back({0, 2}); }), All{"loop 0 of rule 0: @0%2 is more than 32 bits hold"});
  EXPECT_EQ(broken([](plan::Loop& l) { l.narrow_values.push_back(7); }), All{"loop 0 of rule 0: t7 is more than 32 bits hold"});
  EXPECT_EQ(broken([](plan::Loop& l) { l.few_steps = true; }), All{"loop 0 of rule 0: its steps are more than 32 bits count"});
  EXPECT_EQ(broken([](plan::Loop& l) { std::get<plan::Store>(l.body.back().what).value.wide.clear(); }),
            All{"loop 0 of rule 0: 32 bits may not hold what an operator computes"});
}

TEST(PlanWidth, TheTextWidensWhatThePlanSays) {
  const ir::Module module = module_with("(add{0..4294967550} %0 %1)");
  EXPECT_NE(emit::emit_cuda(module).text.find("(u64)v0_a + v1_b"), std::string::npos);
}

}  // namespace
}  // namespace sluice::test
