// Modules and parameters: instances, state of their own, substituted values.
#include <gtest/gtest.h>

#include <algorithm>

#include "sema_fixture.h"

namespace sluice::test {
namespace {

const std::map<std::string, std::string> kCounter = {
    {"counter",
     "format counter(start: u8 = 5)\n  input bytes\n  output bytes\n  trailing reject rest\n  var n: u8 = 0\n"
     "  rule next\n    n := n + 1\n    emit n + start\n  rule never\n    emit 9\n  rule nine\n    n := 9\n  next()\n  next()\n"},
    {"wrap", "use counter\nformat wrap\n  input bytes\n  output bytes\n  trailing reject rest\n  counter.next()\n"}};

TEST(SemaModules, EachUseHasItsOwnState) {
  const Checked c =
      check("use counter\nuse wrap\n" + kBytes + "  counter()\n  wrap()\n  counter.next()\n", {}, kCounter);
  ASSERT_TRUE(c.format.has_value()) << c.text();
  EXPECT_EQ(c.format->globals.size(), 2u);
  std::vector<std::string> names;
  for (const auto& r : c.format->rules) names.push_back(r.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"main", "counter.main", "counter.next", "wrap.main", "wrap.counter.next"}));
  const Decoded d = decode(lower::lower(*c.format), {});
  EXPECT_EQ(d.out, (std::vector<std::uint8_t>{6, 7, 6, 8}));
  EXPECT_EQ(d.error, 0u);
}

// What a `use` line sets is that module's own: `start` is 5 where none does, and what the user was given where it hands that on.
TEST(SemaModules, AUserSetsParameters) {
  std::map<std::string, std::string> modules = kCounter;
  modules["on"] = "use counter(start = first * 2)\nformat on(first: u8 = 10)\n  input bytes\n  output bytes\n  trailing reject rest\n  counter.next()\n";
  const std::string calls = "  counter.next()\n  wrap()\n  on()\n";
  const Checked c = check("use counter(start = 40)\nuse wrap\nuse on\n" + kBytes + calls, {}, modules);
  ASSERT_TRUE(c.format.has_value()) << c.text();
  EXPECT_EQ(decode(lower::lower(*c.format), {}).out, (std::vector<std::uint8_t>{41, 6, 21}));
  const Checked on = check("use counter\nuse wrap\nuse on(first = 60)\n" + kBytes + calls, {}, modules);
  ASSERT_TRUE(on.format.has_value()) << on.text();
  EXPECT_EQ(decode(lower::lower(*on.format), {}).out, (std::vector<std::uint8_t>{6, 6, 121}));
}

// `use wrap.counter` is the counter that wrap uses, beside one of the format's own it would be another.
TEST(SemaModules, OneThatIsSharedIsOneAndTheSame) {
  const Checked c = check("use wrap\nuse wrap.counter\n" + kBytes + "  wrap()\n  counter.next()\n  emit counter.n\n", {}, kCounter);
  ASSERT_TRUE(c.format.has_value()) << c.text();
  EXPECT_EQ(c.format->globals.size(), 1u);
  EXPECT_EQ(c.format->globals[0].name, "wrap.counter.n");
  EXPECT_EQ(decode(lower::lower(*c.format), {}).out, (std::vector<std::uint8_t>{6, 7, 2}));
}

TEST(SemaModules, VariablesAreReadAndAssignedFromOutside) {
  const Checked c = check("use counter\n" + kBytes + "  counter.n := 7\n  counter.next()\n  read counter.n: u8\n  emit counter.n + counter.start\n", {}, kCounter);
  ASSERT_TRUE(c.format.has_value()) << c.text();
  EXPECT_EQ(decode(lower::lower(*c.format), {20}).out, (std::vector<std::uint8_t>{13, 25}));
}

// What was known of a variable is not known behind an assignment or a call, whatever it is called by.
TEST(SemaModules, FactsAboutThemAreForgotten) {
  const std::string spec = "use counter\nformat f\n  input bytes\n  output bytes\n  trailing accept rest\n  table t: u8 = [1, 2, 3]\n  x: u8\n  counter.n := x\n  if counter.n < 3\n    CHANGE\n    emit t[counter.n]\n";
  const auto checks_with = [&](const std::string& change) {
    std::string text = spec;
    text.replace(text.find("CHANGE"), 6, change);
    const Checked c = check(text, {}, kCounter);
    EXPECT_TRUE(c.format.has_value()) << c.text();
    if (!c.format) return std::ptrdiff_t{-1};
    return std::ranges::count(lower::lower(*c.format).sites, "out_of_range", &ir::Site::name);
  };
  EXPECT_EQ(checks_with("pass"), 0);
  EXPECT_EQ(checks_with("counter.n := 1"), 0);
  EXPECT_EQ(checks_with("read counter.n: u8"), 1);
  EXPECT_EQ(checks_with("counter.nine()"), 1);
  EXPECT_EQ(checks_with("counter.n := (x + 7) & 15"), 1);
  EXPECT_EQ(checks_with("for _i < 2\n      emit t[counter.n]\n      counter.n := x"), 2);
}

const std::map<std::string, std::string> kStore = {
    {"store",
     "format store\n  input bits lsb\n  output bytes\n  trailing reject rest\n  const k = 3\n  table t: u8 = [1, 1]\n  table u: u8 = [1, 1]\n"
     "  ranges r = base [0] extra [1]\n  array a: u8[4]\n  array b: u16[9]\n  var v: u8 = 0\n  var w: u8 = 0\n  prefix_code c(2, 1)\n"
     "  prefix_code d(2, 1)\n  state_code s(2, 5)\n  state_code z(2, 5)\n  buffer x[4]\n  buffer y[4]\n  symbols g[4]\n  symbols h[4]\n  mark m\n"
     "  a[0] := b[1] & 1 + v + w\n"}};

// A module's declarations that nobody names are no part of the format; the others are numbered anew.
TEST(SemaModules, WhatNobodyNamesIsLeftOut) {
  const Checked none = check("use store\n" + kBits + "  emit store.k\n", {}, kStore);
  ASSERT_TRUE(none.format.has_value()) << none.text();
  const model::Format& f = *none.format;
  EXPECT_EQ(f.tables.size() + f.ranges.size() + f.arrays.size() + f.globals.size() + f.codes.size() + f.states.size() + f.buffers.size() + f.symbols.size() + f.marks.size(), 0u);

  const Checked c = check("use store\n" + kBits +
                              "  store.w := 2\n  build store.d from store.u\n  into store.y\n    emit 4\n  first: store.z\n  store.b[store.w] := 5\n  align\n"
                              "  store.h[1] := next 1 bytes\n  mark here\n  s: store.d\n  emit s, store.b[2] & 255, symbol of store.z at first\n  emit all store.y\n"
                              "  symbol store.h[1]\n  align\n  emit consumed since here\n",
                          {}, kStore);
  ASSERT_TRUE(c.format.has_value()) << c.text();
  const model::Format& g = *c.format;
  ASSERT_EQ(g.arrays.size(), 2u);  // store.b, and the entries of store.z
  EXPECT_EQ(g.arrays[0].name, "store.b");
  ASSERT_EQ(g.states.size(), 1u);
  EXPECT_EQ(g.arrays[g.states[0].entries].name, "store.z");
  EXPECT_EQ(g.globals[g.states[0].log].name, "store.z.log");
  ASSERT_EQ(g.globals.size(), 2u);
  EXPECT_EQ(g.codes.size() * 1000 + g.tables.size() * 100 + g.buffers.size() * 10 + g.symbols.size(), 1111u);
  EXPECT_EQ(g.marks, (std::vector<std::string>{"here"}));
  const ir::Module m = lower::lower(g);
  EXPECT_EQ(ir::verify(m), std::vector<std::string>{});
  EXPECT_EQ(decode(m, {'q', 1}).out, (std::vector<std::uint8_t>{1, 5, 0, 4, 'q', 1}));
}

TEST(SemaModules, TrailingClauseIsTheTopFormats) {
  const Checked c = check(
      "use counter\nformat f\n  input bytes\n  output bytes\n  trailing accept tail\n  counter()\n  x: u8\n  emit x\n",
      {}, kCounter);
  ASSERT_TRUE(c.format.has_value()) << c.text();
  const Decoded d = decode(lower::lower(*c.format), {1, 2, 3});
  EXPECT_EQ(d.error, 0u);
  EXPECT_EQ(d.out, (std::vector<std::uint8_t>{6, 7, 1}));
}

TEST(SemaParams, TypesAndNumbersAreSubstituted) {
  const std::string spec =
      "format f(T: integer = i64, k: u8 = 2, on: bool = true)\n  input bytes\n  output T[]\n"
      "  repeat until end of input\n    x: varint(T)\n    when on: emit x +% k\n    else: emit select(T is signed, 1, "
      "0) + bits of T\n";
  const Checked plain = check(spec);
  ASSERT_TRUE(plain.format.has_value()) << plain.text();
  EXPECT_EQ(plain.format->output, model::kI64);
  const Checked set = check(spec, {{"T", "u8"}, {"on", "false"}});
  ASSERT_TRUE(set.format.has_value()) << set.text();
  EXPECT_EQ(decode(lower::lower(*set.format), {1}).out, (std::vector<std::uint8_t>{8}));
  const Checked hex = check(spec, {{"T", "u16"}, {"k", "0xff"}});
  ASSERT_TRUE(hex.format.has_value()) << hex.text();
  EXPECT_EQ(decode(lower::lower(*hex.format), {1}).out, (std::vector<std::uint8_t>{0, 1}));
}

TEST(SemaParams, WrongValuesAreRefused) {
  const std::string spec = "format f(n: u4 = 1)\n  input bytes\n  output bytes\n  trailing reject rest\n  emit n\n";
  EXPECT_EQ(check(spec, {{"n", "16"}}).ids(), (std::vector<std::string>{"SL0610"}));
  EXPECT_EQ(check(spec, {{"n", "1x"}}).ids(), (std::vector<std::string>{"SL0610"}));
  EXPECT_EQ(check(spec, {{"n", ""}}).ids(), (std::vector<std::string>{"SL0610"}));
  EXPECT_EQ(check(spec, {{"m", "1"}}).ids(), (std::vector<std::string>{"SL0609"}));
  EXPECT_TRUE(check(spec, {{"n", "15"}}).format.has_value());
}

}  // namespace
}  // namespace sluice::test
