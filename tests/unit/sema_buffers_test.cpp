// What the checker knows about buffers and symbols: ranges, progress, alignment, the format's end, modules.
#include <gtest/gtest.h>

#include <algorithm>

#include "sema_fixture.h"

namespace sluice::test {
namespace {

using Ids = std::vector<std::string>;

const model::Stmt& last(const Checked& c) { return *c.format->rules[0].body.back(); }

TEST(SemaBuffers, CountIsAtMostTheLimit) {
  const Checked c = check(kBytes + "  buffer b[100]\n  array a: u8[101]\n  emit a[count of b]\n");
  ASSERT_TRUE(c.format.has_value()) << c.text();
  EXPECT_FALSE(last(c).a->checked);
  EXPECT_EQ(last(c).a->kids[0]->range, (model::Range{0, 100}));
  const Checked d = check(kBytes + "  buffer b[100]\n  array a: u8[100]\n  emit a[count of b]\n");
  ASSERT_TRUE(d.format.has_value()) << d.text();
  EXPECT_TRUE(last(d).a->checked);
}

TEST(SemaBuffers, ElementsHaveTheOutputsType) {
  const Checked c =
      check("format f\n  input bytes\n  output i16[]\n  trailing reject rest\n  buffer b[100]\n  emit b[3]\n");
  ASSERT_TRUE(c.format.has_value()) << c.text();
  EXPECT_EQ(last(c).a->type, (model::Type{16, true}));
  EXPECT_EQ(last(c).a->range, (model::Range{-32768, 32767}));
}

TEST(SemaBuffers, IntoOpensNoScope) {
  EXPECT_EQ(check(kBytes + "  buffer b[9]\n  into b\n    n: u8\n    emit n\n  emit n\n").ids(), Ids{});
}

TEST(SemaBuffers, StepsThatOnlyFillABufferNeedACheck) {
  const auto needs = [](const std::string& body) {
    const Checked c = check(kBytes + "  buffer b[9]\n  var done: u8 = 0\n  repeat until done == 1\n" + body);
    EXPECT_TRUE(c.format.has_value()) << c.text();
    return c.format && last(c).needs_progress;
  };
  EXPECT_TRUE(needs("    into b\n      emit 1\n    done := 1\n"));
  EXPECT_TRUE(needs("    into b\n      producing 3\n        run 1, count 3\n    done := 1\n"));
  EXPECT_TRUE(needs("    emit all b\n    done := 1\n"));
  EXPECT_FALSE(needs("    into b\n      x: u8\n      emit x\n    done := 1\n"));
  EXPECT_FALSE(needs("    into b\n      emit 1\n    emit 2\n    done := 1\n"));
}

TEST(SemaBuffers, LoopsInABufferMoveByItsOutput) {
  const Checked c =
      check(kBytes + "  buffer b[9]\n  rule r\n    emit 1\n  into b\n    repeat until 4 outputs\n      r()\n");
  ASSERT_TRUE(c.format.has_value()) << c.text();
  EXPECT_FALSE(last(c).body.back()->needs_progress);
}

// Elements that were output were there: where they end is at most the limit.
TEST(SemaBuffers, ASliceBoundsWhereItEnds) {
  const auto checks_with = [](const std::string& step) {
    const Checked c = check(kBytes + "  buffer b[100]\n  var done: 0..100 = 0\n  into b\n    literals u8[50]\n  repeat until end of input\n    n: u8\n" + step);
    EXPECT_TRUE(c.format.has_value()) << c.text();
    return c.format ? std::ranges::count(lower::lower(*c.format).sites, "out_of_range", &ir::Site::name) : std::ptrdiff_t{-1};
  };
  EXPECT_EQ(checks_with("    literals b[done, n]\n    done := done + n\n"), 1);
  EXPECT_EQ(checks_with("    done := done + n\n    literals b[done, n]\n"), 2);
  EXPECT_EQ(checks_with("    literals b[done, n]\n    done := done + n + 1\n"), 2);
}

TEST(SemaBuffers, SymbolsMoveALoop) {
  const std::string head = kBytes + "  symbols s[9]\n  var done: u8 = 0\n  repeat until done == 1\n    done := 1\n";
  for (const std::string step : {"    s[0] := next 1 bytes\n", "    symbol s[0]\n"}) {
    const Checked c = check(head + step);
    ASSERT_TRUE(c.format.has_value()) << c.text();
    EXPECT_FALSE(last(c).needs_progress) << step;
  }
}

TEST(SemaBuffers, SymbolsAreReadAtBytes) {
  const std::string head = kBits + "  symbols s[9]\n  code: u4\n";
  const Checked between = check(head + "  s[code & 7] := next 1 bytes\n");
  EXPECT_FALSE(between.format.has_value());
  EXPECT_NE(between.text().find("never at a byte boundary: it starts at bit 4 of a byte"), std::string::npos) << between.text();
  for (const std::string before : {"  align\n", "  _: u4\n", "  within 12 bits\n    _: u12\n"}) {
    const Checked at_byte = check(head + before + "  s[code & 7] := next 1 bytes\n");
    ASSERT_TRUE(at_byte.format.has_value()) << at_byte.text();
    EXPECT_FALSE(last(at_byte).needs_alignment) << before;
  }
  const Checked after = check(head + "  align\n  s[code & 7] := next 1 bytes\n  n: u16le\n  emit n & 255\n");
  ASSERT_TRUE(after.format.has_value()) << after.text();
  EXPECT_FALSE(after.format->rules[0].body[3]->needs_alignment);
  const Checked varying = check(head + "  within code bits\n    _: uint(code)\n  s[code & 7] := next 1 bytes\n");
  ASSERT_TRUE(varying.format.has_value()) << varying.text();
  EXPECT_TRUE(last(varying).needs_alignment);
}

TEST(SemaBuffers, AnIntoAtTheEndMayEndTheFormat) {
  const std::string head = "format f\n  input bytes\n  output bytes\n  buffer b[9]\n";
  EXPECT_EQ(check(head + "  into b\n    repeat until end of input\n      literals u8[1]\n").ids(), Ids{});
  EXPECT_EQ(check(head + "  into b\n    literals u8[1]\n").ids(), Ids{"SL0523"});
}

TEST(SemaBuffers, UnusedOnesAreReported) {
  EXPECT_EQ(check(kBytes + "  buffer b[9]\n  symbols s[9]\n  buffer _c[9]\n").ids(), (Ids{"SL0304", "SL0304"}));
}

TEST(SemaBuffers, AModuleKeepsItsOwn) {
  const std::string module =
      "format m\n  input bytes\n  output bytes\n  buffer b[4]\n  trailing reject rest\n  into b\n    literals u8[2]\n  "
      "emit all b\n";
  const std::string user = "use m\n" + kBytes + "  buffer b[9]\n  m()\n  into b\n    emit 1\n  emit all b\n";
  const Checked c = check(user, {}, {{"m", module}});
  ASSERT_TRUE(c.format.has_value()) << c.text();
  ASSERT_EQ(c.format->buffers.size(), 2u);
  EXPECT_EQ(c.format->buffers[0].name, "m.b");
  EXPECT_EQ(c.format->buffers[0].limit, 4u);
  EXPECT_EQ(decode(lower::lower(*c.format), {7, 8}).out, (std::vector<std::uint8_t>{7, 8, 1}));
  // A module that redirects its output can't run where the output is redirected already.
  EXPECT_EQ(check("use m\n" + kBytes + "  buffer b[9]\n  into b\n    m()\n", {}, {{"m", module}}).ids(), Ids{"SL0528"});
}

}  // namespace
}  // namespace sluice::test
