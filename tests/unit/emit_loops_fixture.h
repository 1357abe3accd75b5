#pragma once
// Token loops against the interpreter, on noise, in memory of exactly the size needed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "runtime/api/sluice.hpp"

namespace sluice::loops_test {

using Bytes = std::vector<std::uint8_t>;

inline constexpr std::uint8_t kCanary = 0xb7;
inline constexpr std::size_t kCanaries = 64;

struct Outcome {
  Status status;
  Bytes bytes;
  bool intact = true;
};

// Memory of exactly the size needed, so that a sanitizer sees a read or write past it; canaries for those without one.
inline Outcome decode(const Decoder& decoder, const Bytes& in, std::size_t capacity) {
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
inline bool compiles() {
  Options options;
  options.target = Target::Cpu;
  const auto decoder = Decoder::from_text(
      "format f\n  input bytes\n  output bytes\n  trailing accept rest\n  a: u8\n  emit a\n", "f.sluice", options);
  return static_cast<bool>(decoder);
}

// A spec's interpreter and its machine code.
struct Both {
  Decoder interp, cpu;
};
// None: a spec is refused, which is a failure, or nothing compiles on this machine, and the test is skipped.
inline std::optional<Both> both(const std::string& spec) {
  std::optional<Both> made;
  const auto make = [&] {
    Options options;
    options.target = Target::Interp;
    auto interp = Decoder::from_text(spec, "spec.sluice", options);
    ASSERT_TRUE(interp) << interp.error().text;
    options.target = Target::Cpu;
    auto cpu = Decoder::from_text(spec, "spec.sluice", options);
    if (!cpu && !compiles()) GTEST_SKIP() << cpu.error().text;
    ASSERT_TRUE(cpu) << cpu.error().text;
    made.emplace(Both{*std::move(interp), *std::move(cpu)});
  };
  make();
  return made;
}

// Both find the same of that input, with room for all, and for less. How much that is, with a room that is ample.
inline std::uint64_t expect_same(const Both& both, const Bytes& in, std::size_t ample = 40000) {
  const auto& [interp, cpu] = both;
  const Outcome right = decode(interp, in, ample);
  const std::size_t made = right.status.produced;
  for (const std::size_t capacity : {ample, made, made + 1, made / 2, made - (made != 0)}) {
    const Outcome expected = capacity == ample ? right : decode(interp, in, capacity);
    const Outcome got = decode(cpu, in, capacity);
    EXPECT_EQ(cpu.describe(got.status.error, 0), interp.describe(expected.status.error, 0)) << "room for " << capacity;
    EXPECT_EQ(got.status, expected.status) << "room for " << capacity;
    EXPECT_TRUE(got.bytes == expected.bytes) << "room for " << capacity;
    EXPECT_TRUE(got.intact) << "room for " << capacity;
  }
  return made;
}

// Noise of many sizes. `ones`: how many bits in eight are set, on average. `least`: outputs that some of it must make.
inline void expect_agreement(const std::string& spec, unsigned ones = 4, std::uint64_t least = 100) {
  SCOPED_TRACE(spec);
  const std::optional<Both> decoders = both(spec);
  if (!decoders) return;
  std::mt19937 random(20240917);
  std::uint64_t most = 0;
  for (unsigned round = 0; round < 160; ++round) {
    Bytes in(round < 80 ? round : random() % 2000);
    for (std::uint8_t& byte : in)
      for (unsigned bit = 0; bit < 8; ++bit) byte |= static_cast<std::uint8_t>((random() % 8 < ones) << bit);
    SCOPED_TRACE("round " + std::to_string(round));
    most = std::max(most, expect_same(*decoders, in));
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GE(most, least) << "the noise decodes to hardly anything";
}

inline std::string format(const std::string& input, const std::string& output, const std::string& body) {
  const std::string rest = body.find("trailing ") == std::string::npos ? "  trailing accept rest\n" : "";
  return "format f\n  input " + input + "\n  output " + output + "\n" + rest + body;
}

}  // namespace sluice::loops_test
