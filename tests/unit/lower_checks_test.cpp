// Lowered specs on the reference interpreter: what is refused, by which clause, where.
#include <gtest/gtest.h>

#include "sema_fixture.h"

namespace sluice::test {
namespace {

Decoded run(const std::string& spec, const std::vector<std::uint8_t>& in) {
  const Checked c = check(spec);
  EXPECT_TRUE(c.format.has_value()) << c.text();
  if (!c.format) return {};
  const ir::Module m = lower::lower(*c.format);
  EXPECT_EQ(ir::verify(m), std::vector<std::string>{});
  return decode(m, in);
}

TEST(Lower, ClausesCountInSourceOrder) {
  const Checked c = check(kBytes + "  a: u8\n  require a < 9 else reject high\n  emit a\n");
  ASSERT_TRUE(c.format.has_value()) << c.text();
  const ir::Module m = lower::lower(*c.format);
  std::vector<std::string> names;
  for (const ir::Site& s : m.sites) {
    names.push_back(s.name);
    EXPECT_EQ(s.clause, names.size());
    EXPECT_EQ(s.rule, 0u);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"end_of_input", "high", "output_full", "rest"}));
  EXPECT_EQ(m.sites[3].reason, ir::Reason::TrailingBytes);
}

TEST(Lower, AssignmentThatDoesNotFit) {
  const std::string spec = kBytes + "  rule r(x: u8)\n    var v: u4 = 0\n    v := x\n    emit v\n  x: u8\n  r(x)\n";
  EXPECT_EQ(run(spec, {15}).out, (std::vector<std::uint8_t>{15}));
  EXPECT_EQ(run(spec, {16}).reason, "out_of_range");
}

TEST(Lower, EmitAndReturnThatDoNotFit) {
  const std::string emit = kBytes + "  x: u16le\n  emit x\n";
  EXPECT_EQ(run(emit, {255, 0}).out, (std::vector<std::uint8_t>{255}));
  EXPECT_EQ(run(emit, {0, 1}).reason, "out_of_range");
  const std::string ret = kBytes + "  rule r -> u4\n    x: u8\n    return x\n  a: r\n  emit a\n";
  EXPECT_EQ(run(ret, {7}).out, (std::vector<std::uint8_t>{7}));
  const Decoded d = run(ret, {77});
  EXPECT_EQ(d.reason, "out_of_range");
  EXPECT_EQ(d.bit, 8u);
}

TEST(Lower, LiteralsComputeTheirWidthAndIndexOnce) {
  // `produced` is 1 where the statement starts, and past the codes and widths that there are behind it.
  const std::string bits = "format t\n  input bits lsb\n  output bytes\n  trailing accept rest\n";
  const std::string index = bits +
                            "  table lengths: u2 = [1, 1]\n  prefix_code code(2, 1) x 2\n"
                            "  for i < 2\n    build code[i] from lengths\n  emit 9\n  literals code[produced][4]\n";
  EXPECT_EQ(run(index, {0x0a}).out, (std::vector<std::uint8_t>{9, 0, 1, 0, 1}));
  const std::string width = bits + "  emit 9\n  literals uint(produced & 3)[4]\n";
  EXPECT_EQ(run(width, {0x0a}).out, (std::vector<std::uint8_t>{9, 0, 1, 0, 1}));
}

TEST(Lower, AlignStopsAtARegionThatEndsInsideAByte) {
  // The region of a byte ends at bit 11, and so does `align` in it: nothing is left for a field of whole bytes there.
  const std::string start =
      "format t\n  input bits lsb\n  output bytes\n  trailing accept rest\n  a: u3\n  within 1 bytes\n    b: u8\n    align\n";
  const Decoded field = run(start + "    c: u16le\n    emit c & 1\n", {1, 2, 3, 4});
  EXPECT_EQ(field.reason, "end_of_input");
  EXPECT_EQ(field.bit, 11u);
  EXPECT_EQ(run(start + "    emit peek(u16le) & 255\n", {1, 2, 3, 4}).out, (std::vector<std::uint8_t>{0}));
}

TEST(Lower, SignedAndUnsignedMeetExactly) {
  // -1 < 200 holds for the numbers, whatever their types.
  const std::string spec = kBytes + "  a: i8\n  b: u8\n  when a < b: emit 1\n  else: emit 0\n";
  EXPECT_EQ(run(spec, {0xff, 200}).out, (std::vector<std::uint8_t>{1}));
  EXPECT_EQ(run(spec, {1, 0}).out, (std::vector<std::uint8_t>{0}));
  const std::string divide =
      kBytes + "  a: i8\n  b: i8\n  emit a / b + 128 & 255\n  emit a % b + 128 & 255\n  emit (a >> 1) + 128\n";
  EXPECT_EQ(run(divide, {0xf9, 2}).out, (std::vector<std::uint8_t>{125, 127, 124}));  // -7 / 2 = -3, rest -1, floor -4
  EXPECT_EQ(run(divide, {0xf9, 0}).reason, "divide_by_zero");
}

TEST(Lower, QuotientThatDoesNotFit) {
  const std::string spec = kBytes + "  a: i64le\n  b: i8\n  emit (a / b) as u8\n";
  std::vector<std::uint8_t> in(8, 0);
  in[7] = 0x80;
  in.push_back(0xff);
  EXPECT_EQ(run(spec, in).reason, "out_of_range");
  in[8] = 1;
  EXPECT_EQ(run(spec, in).out, (std::vector<std::uint8_t>{0}));
}

TEST(Lower, OverflowIsRefusedAndWrappingIsNot) {
  const std::vector<std::uint8_t> ones(8, 0xff);
  EXPECT_EQ(run(kBytes + "  x: u64le\n  emit (x + 1) as u8\n", ones).reason, "out_of_range");
  EXPECT_EQ(run(kBytes + "  x: u64le\n  emit (x +% 1) as u8\n", ones).out, (std::vector<std::uint8_t>{0}));
  EXPECT_EQ(run(kBytes + "  x: u64le\n  emit (x * 2) as u8\n", ones).reason, "out_of_range");
  EXPECT_EQ(run(kBytes + "  x: u64le\n  emit (0 - x) as u8\n", ones).reason, "out_of_range");
}

TEST(Lower, ConditionOfALoopIsCheckedInEveryStep) {
  const std::string spec = kBytes +
                           "  array a: u8[4]\n  rule r\n    var i: u8 = 0\n    repeat until a[i] == 1\n      x: u8\n   "
                           "   i := x\n  a[3] := 1\n  r()\n  emit 7\n";
  EXPECT_EQ(run(spec, {1, 3}).out, (std::vector<std::uint8_t>{7}));
  const Decoded d = run(spec, {1, 4});
  EXPECT_EQ(d.reason, "out_of_range");
  EXPECT_EQ(d.bit, 16u);
}

TEST(Lower, ComputedWidths) {
  const std::string spec = kBytes + "  n: u8\n  x: uint_be(n)\n  emit x & 255\n";
  EXPECT_EQ(run(spec, {16, 1, 2}).out, (std::vector<std::uint8_t>{2}));
  EXPECT_EQ(run(spec, {0}).out, (std::vector<std::uint8_t>{0}));
  EXPECT_EQ(run(spec, {12, 1, 2}).reason, "out_of_range");
  EXPECT_EQ(run(spec, {72, 1, 2}).reason, "out_of_range");
}

TEST(Lower, NegativeCountsAndDistances) {
  EXPECT_EQ(run(kBytes + "  n: i8\n  literals u8[n]\n", {0xff, 1}).reason, "out_of_range");
  EXPECT_EQ(run(kBytes + "  n: i8\n  emit 1\n  copy distance n, length 1\n", {0xff}).reason, "bad_distance");
  EXPECT_EQ(run(kBytes + "  n: i8\n  emit 1\n  copy distance n, length 2\n", {1}).out,
            (std::vector<std::uint8_t>{1, 1, 1}));
}

TEST(Lower, BuildIsCheckedAgainstItsArray) {
  const std::string spec =
      kBits +
      "  array lengths: u2[4]\n  prefix_code code(4, 2)\n  n: u8\n  lengths[0] := 1\n  lengths[1] := 1\n"
      "  build code from lengths[0, n]\n  x: code\n  emit x\n";
  EXPECT_EQ(run(spec, {2, 1}).out, (std::vector<std::uint8_t>{1}));
  EXPECT_EQ(run(spec, {5, 1}).reason, "out_of_range");
  EXPECT_EQ(run(spec, {1, 1}).reason, "incomplete");
}

TEST(Lower, TrailingBytesAreCountedFromTheNextByte) {
  const std::string spec = kBits + "  x: u3\n  emit x\n";
  EXPECT_EQ(run(spec, {5}).error, 0u);
  const Decoded d = run(spec, {5, 0});
  EXPECT_EQ(d.reason, "rest");
  EXPECT_EQ(d.bit, 8u);
}

TEST(Lower, GlobalsStartAsDeclared) {
  EXPECT_EQ(run(kBytes + "  var a: i8 = -3\n  var b: u8 = 0\n  emit a + 10\n  emit b\n", {}).out,
            (std::vector<std::uint8_t>{7, 0}));
}

TEST(Lower, LastArmOfACompleteChainNeedsNoTest) {
  const Checked c = check(kBytes + "  x: u8\n  when x < 128: emit 0\n  when x >= 128: emit 1\n");
  ASSERT_TRUE(c.format.has_value()) << c.text();
  const ir::Module m = lower::lower(*c.format);
  const ir::Stmt& choice = *m.rules[0].body.at(1);
  ASSERT_EQ(choice.kind, ir::Stmt::Kind::If);
  ASSERT_EQ(choice.orelse.size(), 1u);
  EXPECT_EQ(choice.orelse[0]->kind, ir::Stmt::Kind::Emit);
}

TEST(Lower, ChecksumsMarksAndPeek) {
  const std::string spec = kBytes +
                           "  mark m\n  a: u8\n  b: u8\n  emit a\n  emit b\n  require adler32(input since m) == "
                           "adler32(output since m) else reject differ\n"
                           "  emit consumed since m\n  emit peek(u16be) >> 8\n  c: u8\n  emit c\n";
  EXPECT_EQ(run(spec, {1, 2, 3}).out, (std::vector<std::uint8_t>{1, 2, 2, 3, 3}));
}

}  // namespace
}  // namespace sluice::test
