// Which loops a CPU hands to one primitive, and that a plan says it where it is so and nowhere else.
#include "compiler/plan/unpacked_steps.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/planned.h"

namespace sluice::test {
namespace {

using plan::Unpacked;

struct Made : Planned {
  explicit Made(const std::string& steps, const std::string& element = "u32", plan::Target target = plan::Target::Cpu)
      : Planned("unpacked.sluice",
                "format unpacked\n  input bits lsb\n  output " + element +
                    "[]\n  trailing accept rest\n\n  width: u5\n  n: u16\n  base: u16\n  var sum: u64 = 0\n" + steps,
                target) {}
  Unpacked unpacked() const { return plan.loops.size() == 1 ? plan.loops[0].unpacked : Unpacked::No; }
};

TEST(PlanUnpacked, AFieldPutOut) {
  for (const char* const element : {"u8", "i16", "u32", "u64"})
    EXPECT_EQ(Made("  repeat n times\n    v: uint(width)\n    emit v as " + std::string(element) + "\n", element).unpacked(), Unpacked::Stored);
  const Made made("  repeat n times\n    v: uint(width)\n    emit v\n");
  EXPECT_GE(made.plan.loops[0].in_margin, plan::kUnpackReach);
  EXPECT_EQ(Made("  repeat n times\n    v: uint(width)\n    emit v\n", "u32", plan::Target::Warp).unpacked(), Unpacked::No);
}

TEST(PlanUnpacked, ASumPutOut) {
  EXPECT_EQ(Made("  repeat n times\n    v: uint(width)\n    sum := sum +% v\n    emit sum as u32\n").unpacked(), Unpacked::Summed);
  EXPECT_EQ(Made("  repeat n times\n    v: uint(width)\n    sum := base +% (v +% sum)\n    emit sum\n", "u64").unpacked(), Unpacked::Summed);
}

TEST(PlanUnpacked, NothingElse) {
  const auto none = [](const std::string& steps, const std::string& element = "u32") {
    EXPECT_EQ(Made(steps, element).unpacked(), Unpacked::No) << steps;
  };
  none("  repeat n times\n    v: uint(width)\n    emit v + 1\n");
  none("  repeat n times\n    v: uint(width)\n    emit v & 3\n");
  none("  repeat n times\n    v: uint(width)\n    emit zigzag(v) as i32\n", "i32");
  none("  repeat n times\n    v: uint(width)\n    emit (v as u8) as u32\n");  // not all of its bits
  none("  repeat n times\n    v: uint(width)\n    w: u3\n    emit v\n");      // two fields
  none("  repeat n times\n    v: uint(width)\n    emit v\n    emit v\n");
  none("  var last: u31 = 0\n  repeat n times\n    read last: uint(width)\n    emit last\n  emit last\n");
  none("  repeat n times\n    v: uint(width)\n    sum := v +% (sum +% sum)\n    emit sum as u32\n");
  none("  repeat n times\n    v: uint(width)\n    sum := sum +% (v +% v)\n    emit sum as u32\n");
  none("  repeat n times\n    v: uint(width)\n    sum := sum +% (v & base)\n    emit sum as u32\n");
  none("  repeat n times\n    v: uint(width)\n    sum := sum +% v\n    emit v\n");
  none("  for i < n\n    v: uint(width)\n    sum := sum +% (v +% i)\n    emit sum as u32\n");
  none("  repeat n times\n    v: uint(width)\n    sum := sum +% v\n    emit sum as u16\n", "u16");  // no sums of 16 bits
}

// Of the specs below: an array, and steps that may keep sums in it.
Unpacked kept(const std::string& steps, const std::string& more = "", plan::Target target = plan::Target::Cpu) {
  driver::Request request;
  request.name = "kept.sluice";
  request.text = "format kept\n  input bits lsb\n  output u32[]\n  trailing accept rest\n\n  array sizes: u31[64]\n  array bytes: u8[64]\n  rule all(n: u6, base: u32)\n"
                 "    width: u5\n    by: u8\n    var last: i32 = 5\n    var signs: i32 = 0\n    var wide: i64 = 0\n    for k < n\n      more: uint(width)\n" +
                 steps + more + "    emit last as u32\n    emit signs as u32\n    emit wide as u32\n  n: u6\n  all(n, 3)\n  emit sizes[9]\n";
  const driver::Compiled compiled = driver::compile_spec(request);
  EXPECT_TRUE(compiled.ok()) << steps;
  if (!compiled.ok()) return Unpacked::No;
  const plan::Plan plan = plan::lower(*compiled.module, target);
  EXPECT_TRUE(plan::verify(*compiled.module, plan).empty()) << steps;
  for (const plan::Loop& loop : plan.loops)
    if (loop.unpacked != Unpacked::No) return loop.unpacked;
  return Unpacked::No;
}

TEST(PlanUnpacked, ASumKept) {
  const std::string sum = "      last := (last + by + more) as i32\n", signs = "      signs := (signs | last) as i32\n";
  const std::string store = "      sizes[min(base + k, 63)] := last as u31\n";
  EXPECT_EQ(kept(sum + store), Unpacked::Kept);
  EXPECT_EQ(kept(sum + signs + store), Unpacked::Kept);
  EXPECT_EQ(kept(sum + "      sizes[k] := last as u31\n"), Unpacked::Kept);
  EXPECT_EQ(kept(sum + store, "", plan::Target::Warp), Unpacked::No);
  const auto none = [](const std::string& steps) { EXPECT_EQ(kept(steps), Unpacked::No) << steps; };
  none("      last := (last + by + more + more) as i32\n" + store);
  none("      last := (last + last + more) as i32\n" + store);
  none("      last := (last + by + more + k) as i32\n" + store);
  none("      last := (last + sizes[k] + more) as i32\n" + store);
  none("      wide := wide +% more as i64\n      sizes[k] := wide as u31\n");       // a sum of other bits
  none(sum + "      signs := (signs & last) as i32\n" + store);
  none(sum + "      signs := (last | last) as i32\n" + store);
  none(sum + "      sizes[min(base + k + k, 63)] := last as u31\n");               // not one behind the other
  none(sum + "      sizes[min(base, 63)] := last as u31\n");
  none(sum + "      sizes[min(base + more, 63)] := last as u31\n");
  none(sum + "      sizes[63 - k] := last as u31\n");
  none(sum + "      sizes[k] := (last + 1) as u31\n");
  none(sum + "      sizes[k] := more as u31\n");
  none(sum + "      bytes[k] := last as u8\n");
  none(store + sum);
}

// Loops that make no output and store nothing have a form where all they do is add up, and do it often.
TEST(PlanAddsUp, ManyFieldsThatAreComputedWith) {
  const auto form = [](const std::string& steps, plan::Target target = plan::Target::Cpu) {
    const Made made(steps, "u32", target);
    EXPECT_EQ(made.plan.loops.size(), 1u) << steps;
    EXPECT_TRUE(plan::verify(*made.compiled.module, made.plan).empty()) << steps;
    return made.plan.loops[0].form;
  };
  const std::string twice = "    v: uint(width)\n    w: u3\n    sum := sum +% v *% w\n", end = "  emit sum as u32\n";
  EXPECT_EQ(form("  repeat n times\n" + twice + end), plan::LoopForm::Unchecked);
  EXPECT_EQ(form("  repeat n times\n" + twice + end, plan::Target::Warp), plan::LoopForm::Unchecked);
  EXPECT_EQ(form("  repeat 15 times\n" + twice + end), plan::LoopForm::Checked);
  EXPECT_EQ(form("  repeat n times\n" + twice + "    require sum != 9 else reject nine\n" + end), plan::LoopForm::Checked);
  EXPECT_EQ(form("  repeat n times\n    v: varint(u32)\n    sum := sum +% v\n" + end), plan::LoopForm::Checked);
}

TEST(PlanUnpacked, TheVerifierKnows) {
  Made made("  repeat n times\n    v: uint(width)\n    emit v & 3\n");
  EXPECT_TRUE(plan::verify(*made.compiled.module, made.plan).empty());
  made.plan.loops[0].unpacked = Unpacked::Stored;
  EXPECT_EQ(plan::verify(*made.compiled.module, made.plan),
            std::vector<std::string>{"loop 0 of rule 0: steps that are unpacked are no fields that are put out"});
  Made near("  repeat n times\n    v: uint(width)\n    emit v\n");
  EXPECT_TRUE(plan::verify(*near.compiled.module, near.plan).empty());
  near.plan.loops[0].in_margin = plan::kUnpackReach - 1;
  EXPECT_FALSE(plan::verify(*near.compiled.module, near.plan).empty());
}

}  // namespace
}  // namespace sluice::test
