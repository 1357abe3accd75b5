// Modules and parameters: instances, state of their own, substituted values.
#include <gtest/gtest.h>

#include "sema_fixture.h"

namespace sluice::test {
namespace {

const std::map<std::string, std::string> kCounter = {
    {"counter",
     "format counter(start: u8 = 5)\n  input bytes\n  output bytes\n  trailing reject rest\n  var n: u8 = 0\n"
     "  rule next\n    n := n + 1\n    emit n + start\n  rule never\n    emit 9\n  next()\n  next()\n"},
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
