// Tokens as codes: what is one, what is none, and why (compiler/plan/codes.h); and a plan that says otherwise is broken.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "compiler/driver/compile.h"
#include "compiler/plan/lower.h"
#include "compiler/plan/verify.h"

namespace sluice::test {
namespace {

driver::Compiled compiled(std::string_view steps, std::string_view head, std::string_view loop, std::string_view output) {
  driver::Request request;
  request.name = "codes.sluice";
  request.text = "format codes\n  input bytes\n  output " + std::string(output) + "\n  trailing accept rest\n" + std::string(head) +
                 "\n  repeat " + std::string(loop) + "\n" + std::string(steps);
  driver::Compiled made = driver::compile_spec(request);
  EXPECT_TRUE(made.ok()) << *request.text;
  return made;
}

plan::Codes codes_of(std::string_view steps, std::string_view head = "", std::string_view loop = "until end of input",
                     std::string_view output = "bytes") {
  const driver::Compiled made = compiled(steps, head, loop, output);
  plan::Codes none;
  none.against = "no loop has a form";
  if (!made.ok()) return none;
  const plan::Plan plan = plan::lower(*made.module, plan::Target::Warp);
  for (const plan::Loop& loop_of : plan.loops)
    if (loop_of.codes) return *loop_of.codes;
  return none;
}

constexpr std::string_view kWords = "  symbols words[256]\n  n: u8\n  for i < n\n    words[i] := next 3 bytes\n";

TEST(PlanCodes, AByteThatStandsForASymbol) {
  const plan::Codes codes = codes_of("    c: u8\n    require c < n else reject none\n    symbol words[c]\n", kWords);
  EXPECT_EQ(codes.against, "");
  EXPECT_FALSE(codes.escapes);
}

TEST(PlanCodes, AnEscapeOfAnyValueAndAnyForm) {
  for (const char* literal : {"literals u8[1]", "x: u8\n      emit x", "x: u8\n      _y = c\n      emit x"}) {
    const plan::Codes codes = codes_of("    c: u8\n    when c & 7 == 3\n      " + std::string(literal) + "\n    else\n      symbol words[c]\n", kWords);
    EXPECT_EQ(codes.against, "") << literal;
    EXPECT_TRUE(codes.escapes) << literal;
  }
}

TEST(PlanCodes, ValuesUpToEightOfThem) {
  std::string eight = "    c: u8\n";
  for (int i = 0; i < 8; ++i) eight += "    emit c ^ " + std::to_string(i) + "\n";
  EXPECT_EQ(codes_of(eight).against, "");
  EXPECT_EQ(codes_of(eight + "    emit c\n").against, "it makes more than 8 bytes");
  EXPECT_EQ(codes_of("    c: u8\n    emit c\n    symbol words[c]\n", kWords).against, "it makes more than 8 bytes");
}

TEST(PlanCodes, TheLoopMayEndByAToken) {
  EXPECT_EQ(codes_of("    c: u8\n    when c == 0\n      stop\n    else\n      emit c\n", "", "").against, "");
}

TEST(PlanCodes, WhatIsNone) {
  EXPECT_EQ(codes_of("    c: u8\n    when c == 255\n      x: u8\n      emit x + 1\n    else\n      emit c\n").against,
            "it asks for more than its first byte");
  EXPECT_EQ(codes_of("    c: u8\n    when c == 255\n      x: u8\n      require x != 9 else reject nine\n      emit x\n    else\n      emit c\n").against,
            "it asks for more than its first byte");
  EXPECT_EQ(codes_of("    c: u8\n    when c == 255\n      x: u8\n      emit x\n      emit x\n    else\n      emit c\n").against,
            "a token reads a second byte, and makes something else");
  EXPECT_EQ(codes_of("    c: u8\n    when c == 255\n      x: u8\n      emit c\n      _y = x\n    else\n      emit c\n").against,
            "a token reads a second byte, and makes something else");
  EXPECT_EQ(codes_of("    c: u8\n    when c == 255\n      _x: u8\n    else\n      emit c\n").against, "a second byte of a token is not its output");
  EXPECT_EQ(codes_of("    c: u8\n    when c == 255\n      emit c\n      x: u8\n      emit x\n    else\n      emit c\n").against,
            "a token reads more than a byte, and one behind it that is its output");
  EXPECT_EQ(codes_of("    c: u16le\n    emit c & 255\n").against, "a token reads more than a byte, and one behind it that is its output");
  EXPECT_EQ(codes_of("    c: u8\n    literals u8[2]\n    if c == 0\n      emit c\n").against, "its literals are not one byte behind its first one");
  EXPECT_EQ(codes_of("    c: u8\n    _x: u8\n    emit 7\n    if c == 0\n      emit c\n").against,
            "a token reads a second byte, and makes something else");
  EXPECT_EQ(codes_of("    c: u8\n    literals u8[1]\n    if c == 300\n      emit c\n").against, "no byte stands for a string by itself");
  EXPECT_EQ(codes_of("    c: u8\n    last := last +% c\n    emit last\n", "  var last: u8 = 0\n").against, "a token leaves something to the next one");
  EXPECT_EQ(codes_of("    c: u8\n    emit (c + produced) & 255\n").against, "it asks for more than its first byte");
  EXPECT_EQ(codes_of("    c: u8\n    emit c\n", "", "99 times").against, "it ends by a count, not with a token or the region");
  EXPECT_EQ(codes_of("    c: u8\n    emit c\n", "", "until end of input", "u16[]").against, "its elements are not bytes");
}

TEST(PlanCodes, APlanThatSaysOtherwiseIsBroken) {
  const driver::Compiled made = compiled("    c: u8\n    when c == 9\n      literals u8[1]\n    else\n      emit c\n", "", "until end of input", "bytes");
  ASSERT_TRUE(made.ok());
  plan::Plan plan = plan::lower(*made.module, plan::Target::Warp);
  ASSERT_TRUE(plan.loops.at(0).has_codes());
  EXPECT_TRUE(plan::verify(*made.module, plan).empty());
  plan.loops[0].codes->escapes = false;
  EXPECT_FALSE(plan::verify(*made.module, plan).empty());
  plan.loops[0].codes->escapes = true;
  plan.loops[0].codes->against = "nothing";
  EXPECT_FALSE(plan::verify(*made.module, plan).empty());
}

}  // namespace
}  // namespace sluice::test
