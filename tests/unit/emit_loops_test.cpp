// Fast loops against the interpreter, on noise: loops over bit streams that hold loops, and steps that do nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "compiler/driver/compile.h"
#include "compiler/emit/cpu.h"
#include "runtime/api/sluice.hpp"

namespace sluice {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint8_t kCanary = 0xb7;
constexpr std::size_t kCanaries = 64;

struct Outcome {
  Status status;
  Bytes bytes;
  bool intact = true;
};

// Memory of exactly the size needed, so that a sanitizer sees a read or write past it; canaries for those without one.
Outcome decode(const Decoder& decoder, const Bytes& in, std::size_t capacity) {
  const std::size_t size = capacity * decoder.output_element_bytes();
  Bytes memory(size + 2 * kCanaries, kCanary);
  const Bytes exact(in.begin(), in.end());
  Outcome outcome;
  outcome.status = decoder.decode({exact, std::span(memory).subspan(kCanaries, size)});
  const auto first = memory.begin() + kCanaries;
  outcome.bytes.assign(first,
                       first + static_cast<std::ptrdiff_t>(outcome.status.produced * decoder.output_element_bytes()));
  const auto untouched = [](auto from, auto to) {
    return std::all_of(from, to, [](std::uint8_t b) { return b == kCanary; });
  };
  outcome.intact =
      untouched(memory.begin(), first) && untouched(first + static_cast<std::ptrdiff_t>(size), memory.end());
  return outcome;
}

// Does anything compile on this machine?
bool compiles() {
  Options options;
  options.target = Target::Cpu;
  const auto decoder = Decoder::from_text(
      "format f\n  input bytes\n  output bytes\n  trailing accept rest\n  a: u8\n  emit a\n", "f.sluice", options);
  return static_cast<bool>(decoder);
}

// Noise of many sizes. `ones`: how many bits in eight are set, on average. `least`: outputs that some of it must make.
void expect_agreement(const std::string& spec, unsigned ones = 4, std::uint64_t least = 100) {
  SCOPED_TRACE(spec);
  Options options;
  options.target = Target::Interp;
  const auto interp = Decoder::from_text(spec, "spec.sluice", options);
  ASSERT_TRUE(interp) << interp.error().text;
  options.target = Target::Cpu;
  const auto cpu = Decoder::from_text(spec, "spec.sluice", options);
  if (!cpu && !compiles()) GTEST_SKIP() << cpu.error().text;
  ASSERT_TRUE(cpu) << cpu.error().text;
  std::mt19937 random(20240917);
  std::uint64_t most = 0;
  for (unsigned round = 0; round < 160; ++round) {
    Bytes in(round < 80 ? round : random() % 2000);
    for (std::uint8_t& byte : in)
      for (unsigned bit = 0; bit < 8; ++bit) byte |= static_cast<std::uint8_t>((random() % 8 < ones) << bit);
    constexpr std::size_t kAmple = 40000;
    const Outcome right = decode(*interp, in, kAmple);
    most = std::max(most, right.status.produced);
    const std::size_t made = right.status.produced;
    for (const std::size_t capacity : {kAmple, made, made + 1, made / 2, made - (made != 0)}) {
      const Outcome expected = capacity == kAmple ? right : decode(*interp, in, capacity);
      const Outcome got = decode(*cpu, in, capacity);
      ASSERT_EQ(cpu->describe(got.status.error, 0), interp->describe(expected.status.error, 0)) << "round " << round;
      ASSERT_EQ(got.status, expected.status) << "round " << round << ", room for " << capacity;
      ASSERT_TRUE(got.bytes == expected.bytes) << "round " << round << ", room for " << capacity;
      ASSERT_TRUE(got.intact) << "round " << round << ", room for " << capacity;
    }
  }
  EXPECT_GE(most, least) << "the noise decodes to hardly anything";
}

std::string format(const std::string& input, const std::string& output, const std::string& body) {
  const std::string rest = body.find("trailing ") == std::string::npos ? "  trailing accept rest\n" : "";
  return "format f\n  input " + input + "\n  output " + output + "\n" + rest + body;
}

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

// The checked path does literals that are symbols, but where there are none the token goes on.
TEST(FastLoops, LiteralsOfWhichThereAreNone) {
  for (const char* input : {"bits msb", "bits lsb"}) {
    expect_agreement(format(input, "bytes", R"(
  table lengths: u4 = [2, 2, 2, 2]
  prefix_code c(4, 2)
  build c from lengths
  repeat until end of input
    k: u3
    when k < 3
      emit k
    else
      literals c[k & 1]
      emit k + 100
)"));
  }
}

// Expressions keep their shape wherever they are put.
TEST(FastLoops, OutputsSoFarAndDistancesAreWholeExpressions) {
  for (const char* output : {"bytes", "u32[]", "i64[]"}) {
    expect_agreement(format("bytes", output, R"(
  repeat until end of input
    k: u8
    emit (produced as u8) / 3 + (k & 15)
    skip k & 7 bytes
)"));
  }
  expect_agreement(format("bytes", "i64[]", R"(
  repeat until end of input
    k: i8
    emit -(-k) - k * 5
)"));
  expect_agreement(format("bits lsb", "bytes", R"(
  array lengths: u4[9]
  prefix_code c(8, 3)
  for i < 9
    lengths[i] := 3
  k: u8
  build c from lengths[k & 1, 8]
  repeat until end of input
    s: c
    emit s
)"));
}

TEST(FastLoops, SignedFieldsOfNoBits) {
  for (const char* input : {"bits msb", "bits lsb"}) {
    expect_agreement(format(input, "i64[]", R"(
  repeat until end of input
    width: u3
    value: int(width * 9)
    emit value
)"));
  }
}

// Whether a step reads its field is told by a bit: whole bytes must not be taken by their number then.
TEST(FastLoops, FieldsThatSomeStepsLack) {
  expect_agreement(format("bits lsb", "bytes", R"(
  repeat until end of input
    mask: u8
    n: u8
    for i < n
      if mask >> (i & 7) & 1 == 1
        v: uint(8)
        emit v
    align
)"));
}

// A width that only the condition makes safe to compute must not move in front of the loop.
TEST(FastLoops, WidthsThatConditionsGuard) {
  expect_agreement(format("bits msb", "bytes", R"(
  table widths: u4 = [3, 8, 5, 1]
  repeat until end of input
    d: u4
    n: u6
    repeat n times
      if d != 0
        v: uint(16 / d)
        emit v as u8
      when d < 4
        w: uint(widths[d])
        emit w
      else
        emit d
    align
)"));
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

TEST(FastLoops, VarintsLiteralsAndFlatRuns) {
  for (const char* input : {"bits msb", "bits lsb"}) {
    expect_agreement(format(input, "i64[]", R"(
  repeat until end of input
    kind: u2
    n: u6
    when kind == 0
      base: varint(i64)
      step: varint(i32)
      run base, count n + 1, step step
    when kind == 1
      literals u3[n & 3]
      x: u2
      emit x as i64
    when kind == 2
      value: uint(8 * ((n & 7) + 1))
      run value as i64, count (n >> 3) + 3
    else
      flag: bool
      if flag
        v: varint(u32)
        emit v as i64
    align
)"),
                     3);
  }
}

// Patches: what one step stores another reads, so such tokens are done carefully.
TEST(FastLoops, ArraysThatTokensReadBack) {
  expect_agreement(format("bits msb", "u16[]", R"(
  array values: u16[64]
  array kept: u16[64]
  repeat until end of input
    patched: u1
    n: u7
    when patched == 0
      repeat n times
        v: uint(9)
        emit v
    else
      count = n & 63
      for i < count
        v: uint(12)
        values[i] := v
      align
      for i < count
        emit values[i] ^ values[63 - i]
    align
)"));
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

// Fields that are read and dropped, of every kind: there is no name to put them under.
TEST(FastLoops, FieldsWithoutAName) {
  for (const char* input : {"bits msb", "bits lsb"}) {
    expect_agreement(format(input, "bytes", R"(
  trailing accept rest
  table lengths: u4 = [8 x 144, 9 x 112, 7 x 24, 8 x 8]
  ranges far = base [1, 2, 3, 4, 5, 7] extra [0 x 4, 1, 1]
  prefix_code litlen(288, 15)
  build litlen from lengths
  repeat until end of input
    s: litlen
    when s < 256
      emit s
    when s == 256
      stop
    else
      require s <= 261 else reject bad
      _: far[s - 257]
      _: u3
)"),
                     4, 15);
    expect_agreement(format(input, "bytes", R"(
  repeat until end of input
    n: u4
    _: uint(n)
    if n < 3
      _: varint(u16)
    emit n
)"),
                     4, 60);
    expect_agreement(format(input, "bytes", R"(
  table lengths: u4 = [1, 2, 3, 3]
  ranges wide = base [1, 2, 4, 9] extra [0, 1, 2, 3]
  prefix_code kinds(4, 4)
  rule item(x: u8) -> u8
    y: u3
    return x ^ y
  build kinds from lengths
  repeat until end of input
    k: u2
    _: wide[k]
    _: kinds
    _: item(k)
    emit k
)"));
  }
  expect_agreement(format("bytes", "bytes", R"(
  repeat until end of input
    n: u8
    _: u16be
    if n < 99
      _: varint(i32)
    _: uint_be(8 * (n & 3))
    emit n
)"),
                   4, 60);
}

// A `var` of the format lives in the loop and goes back where a token is left.
TEST(FastLoops, StateOfTheFormat) {
  expect_agreement(format("bytes", "bytes", R"(
  var sum: u8 = 3
  var count: u32 = 0
  var key: u8 = 90
  repeat until end of input
    op: u8
    sum := (sum + op) & 255
    if op > 250
      count := count +% 1
      require count < 9 else reject too_many
    literals u8[op & 3]
    emit sum ^ key
  emit count as u8
)"));
  for (const char* input : {"bits msb", "bits lsb"}) {
    expect_agreement(format(input, "u16[]", R"(
  var last: i32 = -7
  var seen: u16 = 0
  n: u16
  repeat n times
    step: i5
    last := (last + step) as i16
    if step == 3
      seen := seen +% 1
    emit (last as u16) ^ seen
  repeat until end of input
    width: u3
    more: u5
    repeat more times
      v: uint(width + 1)
      last := (last ^ v) as i16
      emit last as u16
    align
  emit seen
)"));
  }
}

// A mark may stand inside a byte, which then is none of those that are summed.
TEST(FastLoops, ChecksumsOfWholeBytes) {
  for (const char* input : {"bits msb", "bits lsb"}) {
    expect_agreement(format(input, "u32[]", R"(
  repeat until end of input
    n: u6
    mark here
    _: uint(n)
    emit xxh32(input since here)
    m: u3
    mark there
    _: uint(m)
    emit crc32(input since there)
)"));
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
}  // namespace sluice
