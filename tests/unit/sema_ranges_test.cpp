// What conditions, masks and assignments teach the checker: seen in the checks that lowering leaves out.
#include <gtest/gtest.h>

#include <algorithm>

#include "sema_fixture.h"

namespace sluice::test {
namespace {

// Number of run-time checks of a reason in the module of `body`.
std::size_t count_checks(const std::string& head, const std::string& body, ir::Reason reason) {
  const Checked c = check(head + body);
  EXPECT_TRUE(c.format.has_value()) << c.text();
  if (!c.format) return 999;
  const ir::Module m = lower::lower(*c.format);
  EXPECT_EQ(ir::verify(m), std::vector<std::string>{});
  return static_cast<std::size_t>(
      std::count_if(m.sites.begin(), m.sites.end(), [&](const ir::Site& s) { return s.reason == reason; }));
}
std::size_t out_of_range(const std::string& body) { return count_checks(kBytes, body, ir::Reason::OutOfRange); }

TEST(SemaRanges, MasksAndShiftsBoundIndices) {
  EXPECT_EQ(out_of_range("  array a: u8[16]\n  x: u8\n  emit a[x & 15]\n  emit a[x >> 4]\n  emit a[x % 16]\n"), 0u);
  EXPECT_EQ(out_of_range("  array a: u8[16]\n  x: u8\n  emit a[x]\n"), 1u);
  EXPECT_EQ(out_of_range("  array a: u8[16]\n  x: u8\n  emit a[min(x, 15)]\n"), 0u);
}

TEST(SemaRanges, ConditionsBoundImmutableNames) {
  EXPECT_EQ(out_of_range("  array a: u8[16]\n  x: u8\n  require x < 16 else reject r\n  emit a[x]\n"), 0u);
  EXPECT_EQ(out_of_range("  array a: u8[16]\n  x: u8\n  if x < 16: emit a[x]\n"), 0u);
  EXPECT_EQ(out_of_range("  array a: u8[16]\n  x: u8\n  if x < 17: emit a[x]\n"), 1u);
  EXPECT_EQ(out_of_range("  array a: u8[16]\n  x: u8\n  when x >= 16: pass\n  else: emit a[x]\n"), 0u);
  EXPECT_EQ(out_of_range("  array a: u8[16]\n  x: u8\n  if x in 3..15 or x == 2: emit a[x]\n"), 0u);
  EXPECT_EQ(out_of_range("  array a: u8[16]\n  x: u8\n  if not (x > 15) and x != 3: emit a[x]\n"), 0u);
  EXPECT_EQ(out_of_range("  array a: u8[16]\n  x: u8\n  require x - 4 in 0..15 else reject r\n  emit a[x - 4]\n"), 0u);
}

TEST(SemaRanges, FactsEndWithTheirBlock) {
  EXPECT_EQ(out_of_range("  array a: u8[16]\n  x: u8\n  if x < 16: emit 0\n  emit a[x]\n"), 1u);
}

TEST(SemaRanges, ArmsLeaveTheRestToLaterArms) {
  EXPECT_EQ(out_of_range("  x: u8\n  when x < 100: emit x\n  when x < 200: emit x - 100\n  else: emit x - 200\n"), 0u);
}

TEST(SemaRanges, AssignmentEndsFactsAboutTheVariable) {
  const std::string head = "  array a: u8[16]\n  rule r(x: u8)\n    var v: u8 = x\n    require v < 16 else reject r\n";
  EXPECT_EQ(out_of_range(head + "    emit a[v]\n  r(1)\n"), 0u);
  EXPECT_EQ(out_of_range(head + "    v := x\n    emit a[v]\n  r(1)\n"), 1u);
  // A loop may have assigned it before.
  EXPECT_EQ(out_of_range(head + "    for i < 3\n      emit a[v]\n      v := x\n  r(1)\n"), 1u);
  EXPECT_EQ(out_of_range(head + "    for i < 3\n      emit a[v]\n  r(1)\n"), 0u);
}

TEST(SemaRanges, CountsOfStepsStayBelowTheirBound) {
  const std::string head = "  array a: u8[64]\n  d: u8\n  n: u8\n";
  EXPECT_EQ(out_of_range(head + "  require d + n <= 64 else reject r\n  for k < n\n    a[d + k] := 1\n"), 0u);
  EXPECT_EQ(out_of_range(head + "  require d + n <= 65 else reject r\n  for k < n\n    a[d + k] := 1\n"), 1u);
  EXPECT_EQ(out_of_range(head + "  require d + n <= 64 else reject r\n  for k < n\n    a[d + k + 1] := 1\n"), 1u);
  // What a step assigns bounds no later one.
  const std::string rule = "  array a: u8[64]\n  rule r(d: u8, n: u8)\n    var m: u8 = n\n    require d + m <= 64 else reject r\n";
  EXPECT_EQ(out_of_range(rule + "    for k < m\n      a[d + k] := 1\n  r(1, 2)\n"), 0u);
  EXPECT_EQ(out_of_range(rule + "    for k < m\n      a[d + k] := 1\n      m := 0\n  r(1, 2)\n"), 1u);
}

TEST(SemaRanges, CallsEndFactsAboutGlobals) {
  const std::string head = "  array a: u8[16]\n  var g: u8 = 0\n  rule other(x: u8)\n    g := x\n";
  EXPECT_EQ(out_of_range(head + "  require g < 16 else reject r\n  emit a[g]\n  other(1)\n"), 0u);
  EXPECT_EQ(out_of_range(head + "  require g < 16 else reject r\n  other(1)\n  emit a[g]\n"), 1u);
}

TEST(SemaRanges, ArithmeticThatMayOverflowIsChecked) {
  EXPECT_EQ(out_of_range("  x: u64le\n  emit (x + 1) as u8\n"), 1u);
  EXPECT_EQ(out_of_range("  x: u64le\n  emit (x +% 1) as u8\n"), 0u);
  EXPECT_EQ(out_of_range("  x: u32le\n  emit (x * x) as u8\n"), 0u);
  EXPECT_EQ(out_of_range("  x: u64le\n  y: u64le\n  emit (x - y) as u8\n"), 1u);
  EXPECT_EQ(out_of_range("  x: u8\n  emit 1 << x & 255\n"), 1u);
}

TEST(SemaRanges, TablesHaveTheRangeOfTheirValues) {
  const std::string head = "  table t: u8 = [3, 240, 7, 100]\n  x: u8\n  left: u64le\n";
  EXPECT_EQ(out_of_range(head + "  emit t[x & 3] + 15\n  emit left as u8\n"), 0u);
  EXPECT_EQ(out_of_range(head + "  emit t[x & 3] + 16\n  emit left as u8\n"), 1u);
  EXPECT_EQ(out_of_range(head + "  emit t[(x & 1) + 2] + 155\n  emit left as u8\n"), 0u);  // 7 or 100
  EXPECT_EQ(out_of_range(head + "  emit min(t[x & 3], left)\n"), 0u);
}

TEST(SemaRanges, CountsOfSignedExpressionsKeepTheirBound) {
  const Checked c = check(kBytes + "  table t: u8 = [3, 240]\n  x: u8\n  y: u8\n  literals u8[min(t[x & 1], y - 5)]\n");
  ASSERT_TRUE(c.format) << c.text();
  const ir::Module m = lower::lower(*c.format);
  const auto literals = std::find_if(m.rules[0].body.begin(), m.rules[0].body.end(), [](const auto& s) {
    return s->kind == ir::Stmt::Kind::Literals;
  });
  ASSERT_NE(literals, m.rules[0].body.end());
  EXPECT_EQ((*literals)->a->range, (ir::Range{0, 240}));
}

TEST(SemaRanges, SelectKnowsItsCondition) {
  EXPECT_EQ(out_of_range("  array a: u8[16]\n  x: u8\n  emit a[select(x < 16, x, 0)]\n"), 0u);
  EXPECT_EQ(out_of_range("  array a: u8[16]\n  x: u8\n  emit a[select(x < 17, x, 0)]\n"), 1u);
}

TEST(SemaRanges, BitsThatAllValuesShare) {
  EXPECT_EQ(out_of_range("  x: u8\n  emit (x | 0xf0) - 0xf0\n"), 0u);
  EXPECT_EQ(out_of_range("  array a: u8[8]\n  x: u8\n  emit a[(x & 7 | 64) & 63]\n"), 0u);
  EXPECT_EQ(out_of_range("  array a: u8[8]\n  x: u8\n  emit a[(x & 7 | 64) ^ 64]\n"), 0u);
}

TEST(SemaSums, BoundTheirTerms) {
  const std::string head = "  array a: u8[65]\n  x: u32le\n  y: u32le\n  require x + y <= 64 else reject r\n";
  EXPECT_EQ(out_of_range(head + "  emit a[x + y]\n  emit a[y + x]\n  emit a[x]\n  emit a[y]\n"), 0u);
  EXPECT_EQ(out_of_range(head + "  emit a[64 - x - y]\n  emit a[64 - (y + x)]\n  emit x + 191 + y\n"), 0u);
  EXPECT_EQ(out_of_range(head + "  emit a[x + y + 1]\n"), 1u);
  EXPECT_EQ(out_of_range(head + "  emit a[x + 2 * y]\n"), 1u);
}

TEST(SemaSums, OrderBoundsDifferences) {
  const std::string head = "  x: u64le\n  y: u64le\n  require x <= y else reject r\n";
  EXPECT_EQ(out_of_range(head + "  emit (y - x) as u8\n"), 0u);
  EXPECT_EQ(out_of_range(head + "  emit (x - y) as u8\n"), 1u);
  EXPECT_EQ(out_of_range("  x: u8\n  y: u8\n  if x < y: emit y - x - 1\n"), 0u);
  EXPECT_EQ(out_of_range("  x: u8\n  y: u8\n  if x < y: emit y - x - 2\n"), 1u);
}

TEST(SemaSums, FactsEndWithTheirVariables) {
  const std::string head = "  array a: u8[65]\n  rule r(x: u32, y: u32)\n    var v: u32 = x\n"
                           "    require v + y <= 64 else reject r\n";
  EXPECT_EQ(out_of_range(head + "    emit a[y + v]\n  r(1, 2)\n"), 0u);
  EXPECT_EQ(out_of_range(head + "    v := x\n    emit a[y + v]\n  r(1, 2)\n"), 1u);
  EXPECT_EQ(out_of_range(head + "    v := x\n    emit a[y]\n  r(1, 2)\n"), 0u);  // y is what it was
}

TEST(SemaSums, WrappingSumsProveNothing) {
  const std::string head = "  array a: u8[65]\n  x: u64le\n  y: u64le\n  require x +% y <= 64 else reject r\n";
  EXPECT_EQ(out_of_range(head + "  emit a[x +% y]\n"), 0u);
  EXPECT_EQ(out_of_range(head + "  emit a[x]\n"), 1u);
  EXPECT_EQ(out_of_range(head + "  emit a[x + y]\n"), 2u);  // the sum, and the index
  const std::string twice = "  array a: u8[65]\n  x: u64le\n  y: u64le\n  require x +% y in 0..64 else reject r\n";
  EXPECT_EQ(out_of_range(twice + "  emit a[x]\n"), 1u);
}

TEST(SemaRanges, DivisionIsCheckedForZero) {
  EXPECT_EQ(count_checks(kBytes, "  x: u8\n  emit 100 / x\n", ir::Reason::DivideByZero), 1u);
  EXPECT_EQ(count_checks(kBytes, "  x: u8\n  emit 100 / (x + 1)\n", ir::Reason::DivideByZero), 0u);
  EXPECT_EQ(count_checks(kBytes, "  x: u8\n  if x != 0: emit 100 / x\n", ir::Reason::DivideByZero), 0u);
}

TEST(SemaAlignment, IsProvenThroughRulesAndLoops) {
  const auto unaligned = [](const std::string& body) { return count_checks(kBits, body, ir::Reason::Unaligned); };
  EXPECT_EQ(unaligned("  a: u3\n  b: u5\n  c: u16le\n  emit a + b + c & 255\n"), 0u);
  EXPECT_EQ(unaligned("  a: u3\n  if a == 1: _: u5\n  c: u16le\n  emit a + c & 255\n"), 1u);
  EXPECT_EQ(unaligned("  a: u3\n  align\n  c: u16le\n  emit a + c & 255\n"), 0u);
  EXPECT_EQ(unaligned("  repeat until end of input\n    c: u16le\n    emit c & 255\n    d: u4\n    emit d\n"), 1u);
  EXPECT_EQ(
      unaligned("  repeat until end of input\n    c: u16le\n    emit c & 255\n    d: u4\n    e: u4\n    emit d + e\n"),
      0u);
  EXPECT_EQ(unaligned("  rule r\n    c: u16le\n    emit c & 255\n  r()\n  x: u1\n  r()\n  emit x\n"), 1u);
  EXPECT_EQ(unaligned("  x: u1\n  if x == 1: align\n  emit peek(u16le) & 255\n"), 1u);
  EXPECT_EQ(unaligned("  x: u1\n  if x == 1: align\n  emit peek(u8)\n"), 0u);  // bits stand anywhere
}

TEST(SemaProgress, OnlyUnprovenLoopsAreChecked) {
  const auto idle = [](const std::string& body) { return count_checks(kBytes, body, ir::Reason::NoProgress); };
  EXPECT_EQ(idle("  repeat until end of input\n    x: u8\n    emit x\n"), 0u);
  EXPECT_EQ(idle("  repeat until end of input\n    emit 1\n"), 0u);
  EXPECT_EQ(idle("  n: u8\n  repeat until end of input\n    literals u8[n]\n"), 1u);
  EXPECT_EQ(idle("  n: u8\n  repeat until end of input\n    literals u8[n + 1]\n"), 0u);
  EXPECT_EQ(idle("  n: u8\n  repeat\n    if n == 0: stop\n    literals u8[n]\n"), 0u);
  EXPECT_EQ(idle("  n: u8\n  repeat\n    if n == 1: stop\n    literals u8[n]\n"), 1u);
  // A rule that always reads, although it leaves its loop by `stop`.
  EXPECT_EQ(
      idle("  rule text\n    repeat\n      c: u8\n      if c == 0: stop\n  repeat until end of input\n    text()\n"),
      0u);
  EXPECT_EQ(idle("  rule maybe(n: u8)\n    if n == 0: return\n    emit n\n  n: u8\n  repeat until end of input\n    "
                 "maybe(n)\n"),
            1u);
}

}  // namespace
}  // namespace sluice::test
