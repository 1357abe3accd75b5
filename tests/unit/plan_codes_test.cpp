// Tokens as codes: what is one, what is none, and why (compiler/plan/codes.h); and a plan that says otherwise is broken.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

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
  EXPECT_EQ(codes_of("    c: u8\n    emit c\n    symbol words[c]\n", kWords).strings, 2u) << "no table holds them, and all have two";
}

TEST(PlanCodes, TheLoopMayEndByAToken) {
  EXPECT_EQ(codes_of("    c: u8\n    when c == 0\n      stop\n    else\n      emit c\n", "", "").against, "");
}

TEST(PlanCodes, TokensOfOneSize) {
  const plan::Codes pairs = codes_of("    c: u24le\n    require c & 0xff < n else reject none\n    symbol words[c & 0xff]\n    symbol words[c >> 16]\n", kWords);
  EXPECT_EQ(pairs.against, "");
  EXPECT_EQ(pairs.bytes, 3u);
  EXPECT_EQ(pairs.strings, 2u);
  const plan::Codes mixed = codes_of("    c: u16be\n    when c < 9\n      emit c\n      literals u8[1]\n    else\n      d: u8\n      emit d\n      emit d + c\n");
  EXPECT_EQ(mixed.against, "");
  EXPECT_EQ(mixed.bytes, 3u);
  EXPECT_EQ(mixed.strings, 2u);
  EXPECT_EQ(codes_of("    c: u8\n    symbol words[c]\n", kWords).bytes, 0u) << "a table tells it";
  for (const char* none : {"    c: u16le\n    when c < 9\n      emit c\n    else\n      d: u8\n      emit d\n",
                           "    c: u16le\n    emit c\n    when c < 9\n      emit c\n    else\n      _d = c\n",
                           "    c: u16le\n    literals u8[c]\n", "    c: u64le\n    emit c\n"})
    EXPECT_NE(codes_of(none).against, "") << none;
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
  plan.loops[0].codes->bytes = 2;
  EXPECT_FALSE(plan::verify(*made.module, plan).empty());
  plan.loops[0].codes->bytes = 0;
  plan.loops[0].codes->against = "nothing";
  EXPECT_FALSE(plan::verify(*made.module, plan).empty());
}

// ---- Symbols that lanes read

std::vector<plan::ReadSymbols> symbols_of(std::string_view steps, std::string_view known = "") {
  const driver::Compiled made = compiled("    c: u8\n    symbol words[c]\n", "  symbols words[256]\n\n" + std::string(known) + "  n: u8\n  size: u8\n" + std::string(steps),
                                         "until end of input", "bytes");
  std::vector<plan::ReadSymbols> all;
  if (!made.ok()) return all;
  plan::Plan plan = plan::lower(*made.module, plan::Target::Warp);
  for (plan::CheckedRule& rule : plan.checked)
    for (plan::CheckedStep& step : rule.steps)
      if (auto* symbols = std::get_if<plan::ReadSymbols>(&step.what)) {
        all.push_back(*symbols);
        EXPECT_TRUE(plan::verify(*made.module, plan).empty());
        ++symbols->most;
        EXPECT_FALSE(plan::verify(*made.module, plan).empty());
        --symbols->most;
      }
  return all;
}

TEST(PlanSymbolReads, OfOneSize) {
  for (const char* size : {"3", "(size & 7) + 1", "(n & 3) + 1"}) {
    const auto symbols = symbols_of("  for i < n\n    words[i] := next " + std::string(size) + " bytes\n");
    ASSERT_EQ(symbols.size(), 1u) << size;
    EXPECT_EQ(symbols[0], (plan::ReadSymbols{0, std::nullopt, 256, 0}));
  }
}

TEST(PlanSymbolReads, WithACounterAndABound) {
  const auto symbols = symbols_of("  known(n)\n", "  rule known(n: u8)\n    var k: u8 = 0\n    repeat n times\n      require k < 77 else reject many\n"
                                  "      words[k] := next 2 bytes\n      k := k + 1\n\n");
  ASSERT_EQ(symbols.size(), 1u);
  EXPECT_TRUE(symbols[0].counter);
  EXPECT_EQ(symbols[0].most, 77u);
  EXPECT_EQ(symbols[0].sizes, 0u);
}

TEST(PlanSymbolReads, BehindTheirSizes) {
  const auto any = symbols_of("  for i < n\n    s: u8\n    require s in 1..8 else reject size\n    words[i] := next s bytes\n");
  ASSERT_EQ(any.size(), 1u);
  EXPECT_EQ(any[0], (plan::ReadSymbols{0, std::nullopt, 256, 0x1fe}));
  const auto odd = symbols_of("  for i < n\n    s: u8\n    require s in 1..5 and s & 1 == 1 else reject size\n    words[i] := next s bytes\n");
  ASSERT_EQ(odd.size(), 1u);
  EXPECT_EQ(odd[0].sizes, 0x2au);
}

TEST(PlanSymbolReads, WhatTheLoopDoesItself) {
  for (const char* steps : {"  for i < n\n    words[i] := next i % 8 + 1 bytes\n", "  for i < n\n    words[255 - i] := next 2 bytes\n",
                            "  for i < n\n    s: u8\n    words[i] := next (s & 7) + 1 bytes\n",
                            "  for i < n\n    s: u8\n    require s in 1..8 and i < 9 else reject size\n    words[i] := next s bytes\n",
                            "  for i < n\n    require i != 4 else reject four\n    words[i] := next 2 bytes\n"})
    EXPECT_TRUE(symbols_of(steps).empty()) << steps;
}

}  // namespace
}  // namespace sluice::test
