// Token loops against the interpreter: how control goes through them. Loops and rules inside tokens, steps that fail or do
// nothing, goals, chains of branches.
#include "compiler/driver/compile.h"
#include "compiler/emit/cpu.h"
#include "tests/unit/emit_loops_fixture.h"

namespace sluice::loops_test {
namespace {

TEST(FastLoops, LoopsInsideTokensOfEveryWidth) {
  for (const char* input : {"bits msb", "bits lsb"}) {
    for (const char* output : {"bytes", "i64[]"}) {
      expect_agreement(format(input, output, R"(
  repeat until end of input
    width: u6
    n: u10
    repeat n & 63 times
      v: uint(width + 1)
      emit v as u8
    align
)"));
    }
  }
}

TEST(FastLoops, TokensThatEndAtAnyBit) {
  expect_agreement(format("bits msb", "u32[]", R"(
  repeat until end of input
    kind: u3
    when kind < 4
      a: u7
      b: i5
      c: u17
      emit (c + a) ^ (b as u32)
    when kind < 6
      n: u5
      for i < n
        v: uint(8)
        emit v * 3 + i
    else
      more: u4
      run more, count more + 1
)"));
}

// What stands behind the loop in the same arm is left out of the text, but not the loop's end.
TEST(FastLoops, LoopsWithConditionsThatOnlyTheCheckedPathKnows) {
  expect_agreement(format("bytes", "bytes", R"(
  repeat until end of input
    n: u8
    when n < 100
      emit n
    else
      repeat until remaining % 8 == 0
        _: u8
      emit 1
)"));
}

// The next symbol is looked up beside the copy that ends a token: only there.
TEST(FastLoops, RulesThatEndWithACopyBeforeTheTokenDoes) {
  for (const char* input : {"bits msb", "bits lsb"}) {
    expect_agreement(format(input, "bytes", R"(
  table lengths: u4 = [2, 2, 2, 2]
  prefix_code c(4, 2)
  rule again(distance: u3)
    copy distance distance, length 3
  build c from lengths
  emit 7
  repeat
    s: c
    when s < 3
      emit s
    else
      again(1)
      x: u3
      emit x
)"));
  }
}

TEST(FastLoops, StepsThatMayFail) {
  expect_agreement(format("bits msb", "u16[]", R"(
  repeat until end of input
    n: u4
    width: u4
    repeat n times
      v: uint(width + 1)
      require v != 0x155 else reject not_that_one
      emit v
    align zero else reject padding
)"),
                   1, 40);
}

TEST(FastLoops, RulesThatReturnEarly) {
  expect_agreement(format("bits msb", "bytes", R"(
  rule item(n: u4) -> u8
    first: u4
    if first == 9
      return 99
    second: uint(n)
    return (second as u8) ^ first

  repeat until end of input
    n: u4
    x: item(n)
    emit x
    repeat n times
      y: uint(5)
      emit y
)"));
}

// Several short codes are decoded in a row: not past the outputs that end the loop.
TEST(FastLoops, GoalsInTheMiddleOfARow) {
  for (const char* input : {"bits msb", "bits lsb"}) {
    expect_agreement(format(input, "bytes", R"(
  table lengths: u4 = [1, 2, 3, 4, 4]
  prefix_code code(5, 4)
  build code from lengths
  repeat until end of input
    n: u5
    repeat until n outputs
      s: code
      emit s
)"));
  }
}

TEST(FastLoops, StepsThatDoNothingAreRefused) {
  Options options;
  options.target = Target::Cpu;
  const std::vector<std::string> specs = {
      format("bits msb", "bytes",
             "  argument w: u3 = 0\n  repeat until end of input\n    v: uint(w)\n    if v == 1\n      emit 7\n"),
      format("bits lsb", "bytes",
             "  argument w: u3 = 0\n  repeat until end of input\n    v: uint(w)\n    if v == 1\n      emit 7\n"),
      format("bytes", "bytes", "  argument w: u3 = 0\n  repeat until end of input\n    literals u8[w]\n"),
      format("bits msb", "bytes",
             "  argument w: u3 = 0\n  repeat until end of input\n    repeat w times\n      emit 7\n    align\n"),
  };
  for (const std::string& spec : specs) {
    SCOPED_TRACE(spec);
    const auto cpu = Decoder::from_text(spec, "spec.sluice", options);
    if (!cpu && !compiles()) GTEST_SKIP() << cpu.error().text;
    ASSERT_TRUE(cpu) << cpu.error().text;
    const Outcome outcome = decode(*cpu, Bytes(400), 1000);
    EXPECT_NE(cpu->describe(outcome.status.error, 0).find("used no input and made no output"), std::string::npos)
        << cpu->describe(outcome.status.error, 0);
  }
}

// One value of many: as many arms as that, without brackets as deep.
TEST(FastLoops, LongChainsAndDeepNesting) {
  std::string chain = "  repeat until end of input\n    a: u8\n    b: u2\n    v = a * 4 + b\n";
  for (unsigned i = 0; i < 1000; ++i)
    chain += "    when v == " + std::to_string(i) + "\n      emit " + std::to_string(i * 7919 % 251) + "\n";
  expect_agreement(format("bits msb", "bytes", chain + "    else\n      reject too_large\n"), 4, 20);

  std::string nested = "  repeat until end of input\n    a: u8\n", indent = "    ", other;
  for (unsigned i = 0; i < 62; ++i) {  // with the loop and the format 64 blocks, which is the most
    nested += indent + "when a > " + std::to_string(3 * i) + "\n";
    other = indent + "else\n" + indent + "  emit " + std::to_string(i) + "\n" + other;
    indent += "  ";
  }
  expect_agreement(format("bytes", "bytes", nested + indent + "emit 200\n" + other));
}

// A rule that may return early, in steps that need no test: what follows its call is a label of the step's own.
TEST(FastLoops, EarlyReturnsInUncheckedSteps) {
  const std::string spec =
      "format spec\n  input bits msb\n  output u32[]\n  trailing accept rest\n\n"
      "  rule pair -> u32\n    a: u4\n    if a == 0\n      return 1\n    b: u4\n    return a + b\n\n"
      "  n: u16\n  repeat n times\n    v: pair()\n    emit v\n";
  driver::Request request;
  request.text = spec;
  const driver::Compiled compiled = driver::compile_spec(request);
  ASSERT_TRUE(compiled.ok()) << compiled.failure_text;
  const std::string text = emit::emit_cpu(*compiled.module);
  EXPECT_NE(text.find("goto c0_done;"), std::string::npos);
  EXPECT_NE(text.find(" c0_done:;"), std::string::npos);
  expect_agreement(spec);
}

}  // namespace
}  // namespace sluice::loops_test
