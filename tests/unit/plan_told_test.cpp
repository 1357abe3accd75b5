// Tokens that a CPU takes by a table of their first bytes: which formats have one, and what is in it.
#include "compiler/plan/told.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/unit/planned.h"

namespace sluice::test {
namespace {

using plan::Target;
using plan::Told;

struct Made : Planned {
  using Planned::Planned;
  const Told* told() const { return said(&plan::Loop::told); }
};

// Tokens are `literals` up to 127, then copies from `far` back, of `length`.
std::string text(std::string_view field, std::string_view far, std::string_view length, std::string_view output = "bytes",
                 std::string_view literals = "(tag & 63) + 1") {
  return fmt::format(
      "format told\n  input bytes\n  output {}\n\n  repeat until end of input\n    tag: u8\n    when tag < 128\n      literals u8[{}]\n"
      "    else\n      {}\n      copy distance {}, length {}\n",
      output, literals, field, far, length);
}

TEST(PlanTold, SnappysTagsAreATable) {
  const Made made("snappy_raw");
  const Told* told = made.told();
  ASSERT_NE(told, nullptr);
  EXPECT_EQ(told->at, 1u);
  EXPECT_EQ(told->from, 1u);
  ASSERT_EQ(told->entries.size(), 256u);
  ASSERT_EQ(told->sizes.size(), 256u);
  for (std::uint32_t tag = 0; tag < 256; ++tag) {
    const std::uint32_t n = tag >> 2, kind = tag & 3;
    const std::uint32_t entry = kind == 0   ? n >= 60 ? 0 : 16u << 16 | 128 | (n + 1)
                                : kind == 1 ? (tag >> 5 << 8) << 16 | 8u << 8 | ((n & 7) + 4)
                                : kind == 2 ? 16u << 8 | (n + 1)
                                            : 32u << 8 | (n + 1);
    EXPECT_EQ(told->entries[tag], entry) << tag;
    EXPECT_EQ(told->sizes[tag], entry == 0 ? 0 : kind == 0 ? n + 2 : kind == 3 ? 5 : kind + 1) << tag;
  }
  EXPECT_EQ(Made("snappy_raw", {}, Target::Warp).told(), nullptr);
}

TEST(PlanTold, AFieldAndWhatTheFirstByteAddsAreADistance) {
  const Made made("told", text("far: u16le", "far + 1", "(tag & 31) + 4"));
  const Told* told = made.told();
  ASSERT_NE(told, nullptr);
  EXPECT_EQ(told->entries[5], 16u << 16 | 128 | 6);
  EXPECT_EQ(told->sizes[5], 7u);
  EXPECT_EQ(told->entries[131], 1u << 16 | 16u << 8 | 7);
  EXPECT_EQ(told->sizes[131], 3u);
}

TEST(PlanTold, WhatNoTableTakesHasNone) {
  const auto none = [](const std::string& spec) { return Made("told", spec).told() == nullptr; };
  EXPECT_FALSE(none(text("far: u8", "far + 1", "(tag & 31) + 4")));
  EXPECT_TRUE(none(text("far: u16be", "far + 1", "(tag & 31) + 4")));               // most significant byte first
  EXPECT_TRUE(none(text("far: u16le", "far * 2 + 1", "(tag & 31) + 4")));           // no sum
  EXPECT_TRUE(none(text("far: u16le", "far + 70000", "(tag & 31) + 4")));           // a sum too large
  EXPECT_TRUE(none(text("far: u16le", "far + 1", "(tag & 127) + 4")));              // too long, half of them
  EXPECT_TRUE(none(text("far: u16le", "far + 1", "far + 4")));                      // no byte tells how long
  EXPECT_TRUE(none(text("far: u16le", "far + 1", "(tag & 31) + 4", "bytes, window 4096")));  // a distance may be refused
  EXPECT_TRUE(none(text("far: u16le", "far + 1", "(tag & 31) + 4", "bytes", "tag")));        // too many, and 0 of them
  EXPECT_EQ(Made("lz4_block").told(), nullptr);                                     // literals and a copy
}

TEST(PlanTold, AnotherTableIsRefused) {
  Made made("snappy_raw");
  const ir::Module& module = *made.compiled.module;
  EXPECT_TRUE(plan::verify(module, made.plan).empty());
  const auto loop = std::ranges::find_if(made.plan.loops, [](const plan::Loop& l) { return l.told.has_value(); });
  ASSERT_NE(loop, made.plan.loops.end());
  loop->told->sizes[0] += 1;
  EXPECT_FALSE(plan::verify(module, made.plan).empty());
  loop->told.reset();
  EXPECT_FALSE(plan::verify(module, made.plan).empty());
}

}  // namespace
}  // namespace sluice::test
