// Fast loops against the interpreter, on noise: loops over bit streams that hold loops, and steps that do nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

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

// Noise of many sizes. `ones`: how many bits in eight are set, on average. `least`: outputs that some of it must make.
void expect_agreement(const std::string& spec, unsigned ones = 4, std::uint64_t least = 100) {
  SCOPED_TRACE(spec);
  Options options;
  options.target = Target::Interp;
  const auto interp = Decoder::from_text(spec, "spec.sluice", options);
  ASSERT_TRUE(interp) << interp.error().text;
  options.target = Target::Cpu;
  const auto cpu = Decoder::from_text(spec, "spec.sluice", options);
  if (!cpu) GTEST_SKIP() << cpu.error().text;
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
  return "format f\n  input " + input + "\n  output " + output + "\n" + body;
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
    if (!cpu) GTEST_SKIP() << cpu.error().text;
    const Outcome outcome = decode(*cpu, Bytes(400), 1000);
    EXPECT_NE(cpu->describe(outcome.status.error, 0).find("used no input and made no output"), std::string::npos)
        << cpu->describe(outcome.status.error, 0);
  }
}

}  // namespace
}  // namespace sluice
