// Constructs of the language end to end: from the spec's text to what the interpreter decodes.
#include <gtest/gtest.h>

#include <algorithm>

#include "sema_fixture.h"

namespace sluice::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

const std::string kMsb = "format f\n  input bits msb\n  output bytes\n  trailing accept rest\n";
const std::string kLsb = "format f\n  input bits lsb\n  output bytes\n  trailing accept rest\n";

Bytes decoded(const std::string& spec, const Bytes& in) {
  const Decoded d = decode(lowered(spec), in);
  EXPECT_EQ(d.reason, "") << spec;
  return d.out;
}

std::string refused(const std::string& spec, const Bytes& in) { return decode(lowered(spec), in).reason; }

std::size_t checks_in(const ir::Module& m) {
  return static_cast<std::size_t>(std::count_if(m.sites.begin(), m.sites.end(), [](const ir::Site& s) {
    return s.reason == ir::Reason::OutOfRange;
  }));
}

TEST(LanguageRead, IntoVariablesAndElements) {
  const std::string spec = kBytes +
                           "  var sum: u16 = 0\n  array a: u8[4]\n  var last: u8 = 0\n  n: u8\n"
                           "  for i < n\n    read last: u8\n    sum := sum + last\n    read a[i]: u8\n"
                           "  emit last, sum & 255, a[0], a[1]\n";
  EXPECT_EQ(decoded(spec, {2, 10, 1, 20, 2}), (Bytes{20, 30, 1, 2}));
  EXPECT_EQ(refused(spec, {5, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}), "out_of_range");  // a[4]
}

TEST(LanguageRead, IsCheckedLikeAnAssignment) {
  const std::string spec = kBytes + "  var n: u8 = 0\n  read n: u16le\n  emit n\n";
  EXPECT_EQ(decoded(spec, {7, 0}), Bytes{7});
  const Decoded d = decode(lowered(spec), {7, 1});
  EXPECT_EQ(d.reason, "out_of_range");
  EXPECT_EQ(d.bit, 16u);  // behind the field, as `n := x` would be
  EXPECT_EQ(checks_in(lowered(kBytes + "  var n: u16 = 0\n  read n: u8\n  emit n as u8\n")), 0u);
}

TEST(LanguageRead, ForgetsWhatWasKnownOfTheVariable) {
  const std::string head = "  array a: u8[16]\n  var v: u8 = 3\n";
  EXPECT_EQ(checks_in(lowered(kBytes + head + "  read v: u8\n  emit a[v]\n")), 1u);
  EXPECT_EQ(checks_in(lowered(kBytes + head + "  rule r\n    var w: u8 = 3\n    for i < 3\n      emit a[w]\n      "
                                               "read w: u8\n  r()\n  emit v\n")),
            1u);
}

TEST(LanguageRead, IsAWordOnlyBeforeAName) {
  EXPECT_EQ(decoded(kBytes + "  read: u8\n  write = read + 1\n  emit read, write & 255\n", {4}), (Bytes{4, 5}));
  EXPECT_EQ(check(kBytes + "  read x: u8\n  emit 1\n").ids(), (std::vector<std::string>{"SL0301"}));
  EXPECT_EQ(check(kBytes + "  x: u8\n  read x: u8\n  emit x\n").ids(), (std::vector<std::string>{"SL0308"}));
}

TEST(LanguageEmit, SeveralValues) {
  EXPECT_EQ(decoded(kBytes + "  r: u8\n  emit r, r ^ 255, min(r, 5)\n", {9}), (Bytes{9, 246, 5}));
  // Each value is an output of its own: what fits before the refusal was made.
  const Decoded d = decode(lowered(kBytes + "  r: u16le\n  emit 1, 2, r\n"), {0, 1});
  EXPECT_EQ(d.reason, "out_of_range");
  EXPECT_EQ(d.out, (Bytes{1, 2}));
}

TEST(LanguageRemaining, CountsBits) {
  EXPECT_EQ(decoded(kMsb + "  _: u3\n  emit remaining, remaining bits\n", {0, 0}), (Bytes{1, 13}));
  EXPECT_EQ(decoded(kBytes + "  x: u8\n  emit x, remaining bits\n  skip remaining bytes\n", {5, 0, 0}), (Bytes{5, 16}));
  const std::string within = kMsb +
                             "  within 11 bits\n    _: u2\n    emit remaining bits\n    repeat until remaining bits < 4\n"
                             "      x: u4\n      emit x\n    _: uint(remaining bits)\n";
  EXPECT_EQ(decoded(within, {0x0f, 0x00}), (Bytes{9, 3, 12}));
}

TEST(LanguageRange, VariablesHoldTheirRange) {
  const std::string spec = kLsb +
                           "  var width: 3..12 = 3\n  repeat until remaining bits < 12\n    x: uint(width)\n"
                           "    emit x & 255\n    width := width + 1\n";
  const ir::Module m = lowered(spec);
  EXPECT_EQ(checks_in(m), 1u);  // of the assignment: a width is never too large
  EXPECT_EQ(m.globals[0].range, (ir::Range{3, 12}));
  EXPECT_EQ(m.globals[0].type, (ir::Type{4, false}));
  EXPECT_EQ(decode(m, Bytes(12, 0)).reason, "out_of_range");  // 13
  EXPECT_EQ(decoded(spec, {0b10001'101, 0}), (Bytes{5, 1}));
}

TEST(LanguageRange, LocalAndNegative) {
  const std::string head = kBytes + "  table t: u8 = [10, 11, 12, 13]\n  rule r(x: u8) -> u8\n    var k: -2..1 = 0\n";
  const std::string tail = "    return t[k + 2]\n  b: u8\n  v: r(b)\n  emit v\n";
  EXPECT_EQ(checks_in(lowered(head + "    if x > 9: k := -2\n" + tail)), 0u);
  EXPECT_EQ(decoded(head + "    if x > 9: k := -2\n" + tail, {10}), Bytes{10});
  const std::string checked = head + "    k := x - 2\n" + tail;
  EXPECT_EQ(checks_in(lowered(checked)), 1u);
  EXPECT_EQ(decoded(checked, {3}), Bytes{13});
  EXPECT_EQ(refused(checked, {4}), "out_of_range");
}

TEST(LanguageRange, OneSidedChecksCompareOneSide) {
  const std::string spec = kBytes + "  x: u8\n  var low: 0..100 = 0\n  low := x\n  emit low\n";
  EXPECT_EQ(decoded(spec, {100}), Bytes{100});
  EXPECT_EQ(refused(spec, {101}), "out_of_range");
  const std::string high = kBytes + "  x: u64le\n  var v: 1..0xffff_ffff_ffff_ffff = 1\n  v := x\n  emit v as u8\n";
  EXPECT_EQ(decoded(high, Bytes(8, 255)), Bytes{255});
  EXPECT_EQ(refused(high, Bytes(8, 0)), "out_of_range");
}

TEST(LanguageRange, BoundsAndStartsAreJudged) {
  EXPECT_EQ(check(kBytes + "  var v: 5..3 = 4\n  emit v\n").ids(), (std::vector<std::string>{"SL0416"}));
  EXPECT_EQ(check(kBytes + "  var v: 3..5 = 6\n  emit v\n").ids(), (std::vector<std::string>{"SL0406"}));
  EXPECT_EQ(check(kBytes + "  const most = 5\n  var v: 3..most = 4\n  v := most + 1\n  emit v\n").ids(),
            (std::vector<std::string>{"SL0406"}));
  EXPECT_EQ(check(kBytes + "  x: u8\n  rule r(y: u8)\n    var v: 0..y = 0\n    emit v\n  r(x)\n").ids(),
            (std::vector<std::string>{"SL0412"}));
}

TEST(LanguageRepeat, AtMostEndsTheLoop) {
  const std::string spec = kBytes + "  var n: u8 = 0\n  read n: u8\n  repeat until n == 0, at most 3\n    emit n\n    n := n - min(n, 1)\n"
                                    "  emit 99\n";
  const ir::Module m = lowered(spec);
  EXPECT_TRUE(std::none_of(m.sites.begin(), m.sites.end(),
                           [](const ir::Site& s) { return s.reason == ir::Reason::NoProgress; }));
  EXPECT_EQ(decoded(spec, {2}), (Bytes{2, 1, 99}));
  EXPECT_EQ(decoded(spec, {0}), Bytes{99});
  EXPECT_EQ(decoded(spec, {200}), (Bytes{200, 199, 198, 99}));
}

TEST(LanguageRepeat, AtMostWithTheEndOfInput) {
  const std::string spec = kBytes + "  n: u8\n  repeat until end of input, at most n\n    x: u8\n    emit x + 1 & 255\n  skip remaining bytes\n";
  EXPECT_EQ(decoded(spec, {2, 5, 6, 7}), (Bytes{6, 7}));
  EXPECT_EQ(decoded(spec, {9, 5}), Bytes{6});
  // It may end before the input does: what happens then has to be said.
  EXPECT_EQ(check("format f\n  input bytes\n  output bytes\n  repeat until end of input, at most 4\n    literals u8[1]\n").ids(),
            (std::vector<std::string>{"SL0523"}));
}

TEST(LanguageRepeat, AtMostStepsThatDoNothingAreLimited) {
  EXPECT_EQ(check(kBytes + "  n: u32le\n  var k: u8 = 0\n  repeat until k == 1, at most n\n    k := 2\n  emit k\n").ids(),
            (std::vector<std::string>{"SL0512"}));
}

TEST(LanguagePeek, BitsAtAnyPosition) {
  EXPECT_EQ(decoded(kMsb + "  emit peek(u3)\n  _: u1\n  emit peek(u3), peek(u8)\n  x: u9\n  emit x & 255, peek(u8)\n",
                    {0b1011'0011, 0b0101'1100}),
            (Bytes{0b101, 0b011, 0b0110'0110, 0b1100'1101, 0b0111'0000}));
  EXPECT_EQ(decoded(kLsb + "  emit peek(u3)\n  _: u1\n  emit peek(u3), peek(u8)\n  x: u9\n  emit x & 255, peek(u8)\n",
                    {0b1011'0011, 0b0101'1100}),
            (Bytes{0b011, 0b001, 0b0101'1001, 0b0101'1001, 0b0001'0111}));
}

TEST(LanguagePeek, BitsPastTheRegionAreZero) {
  EXPECT_EQ(decoded(kMsb + "  within 5 bits\n    _: u2\n    emit peek(u4)\n    _: u3\n    emit peek(u9) & 255\n", {0xff, 0xff}),
            (Bytes{0b1110, 0}));
  EXPECT_EQ(decoded(kLsb + "  within 5 bits\n    _: u2\n    emit peek(u4)\n    _: u3\n    emit peek(u64) & 255\n", {0xff, 0xff}),
            (Bytes{0b0111, 0}));
}

TEST(LanguagePeek, SignedAndWideBits) {
  EXPECT_EQ(decoded(kMsb + "  _: u4\n  emit peek(i4) & 255\n  emit peek(u64) >> 56, peek(u64) & 255\n",
                    {0x0f, 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0}),
            (Bytes{0xff, 0xf1, 0xef}));
  EXPECT_EQ(check(kBytes + "  x: u8\n  emit x & peek(u3)\n").ids(), (std::vector<std::string>{"SL0404"}));
}

TEST(LanguageString, IsTheNumberOfItsBytes) {
  const std::string spec = kBytes + "  magic: u32be\n  require magic == \"RIFF\" else reject no_magic\n  emit \"a\", '\\x41'\n";
  EXPECT_EQ(decoded(spec, {'R', 'I', 'F', 'F'}), (Bytes{'a', 'A'}));
  EXPECT_EQ(refused(spec, {'F', 'F', 'I', 'R'}), "no_magic");
  const std::string png = kBytes + "  magic: u64be\n  require magic == \"\\x89PNG\\r\\n\\x1a\\n\" else reject no_magic\n  emit 1\n";
  EXPECT_EQ(decoded(png, {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'}), Bytes{1});
  EXPECT_EQ(decoded(kBytes + "  const magic = \"TR\"\n  if peek(u16be) == magic: skip 2 bytes\n  emit remaining\n", {'T', 'R'}),
            Bytes{0});
}

TEST(LanguageString, OfAnotherWidthOrOrderIsWarnedOf) {
  EXPECT_EQ(check(kBytes + "  m: u32le\n  if m == \"RIFF\": emit 1\n").ids(), (std::vector<std::string>{"SL0417"}));
  EXPECT_EQ(check(kBytes + "  if peek(u16le) == \"PK\": emit 1\n").ids(), (std::vector<std::string>{"SL0417"}));
  EXPECT_EQ(check(kBits + "  m: u32\n  if \"RIFF\" == m: emit 1\n").ids(), (std::vector<std::string>{"SL0417"}));
  EXPECT_EQ(check(kBytes + "  m: u64be\n  if m == \"RIFF\": emit 1\n").ids(), (std::vector<std::string>{"SL0417"}));
  EXPECT_EQ(check(kBytes + "  m: u32be\n  c: u8\n  if m == \"RIFF\" or c == \"x\": emit 1\n").ids(), std::vector<std::string>{});
}

// A format-level `var` costs nothing by itself: one that starts at 0 makes no statement at all.
TEST(LanguageState, AVariableMakesNoStatements) {
  EXPECT_EQ(lowered(kBytes + "  var n: u8 = 0\n  emit n\n").rules[0].body.size(), 2u);  // emit, trailing
  EXPECT_EQ(lowered(kBytes + "  var n: u8 = 7\n  emit n\n").rules[0].body.size(), 3u);
}

}  // namespace
}  // namespace sluice::test
