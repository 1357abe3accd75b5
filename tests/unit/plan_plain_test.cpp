// Tokens that a CPU takes without asking of what kind they are: which formats have some, and what tells them.
#include "compiler/plan/plain.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/unit/planned.h"

namespace sluice::test {
namespace {

using plan::FirstByteBits;
using plan::Plain;
using plan::Target;

struct Made : Planned {
  using Planned::Planned;
  const Plain* plain() const { return said(&plan::Loop::plain); }
};

// Tokens of a head, literals and a copy.
struct Text {
  std::string literals = "head >> 4", field = "far: u16le", far = "far", length = "(head & 15) + 4", output = "bytes";
  std::string order = "literals field", between = "";
  std::string spec() const {
    std::string steps;
    const std::string text = "    literals u8[" + literals + "]\n", read = "    " + field + "\n";
    steps = order == "literals field" ? text + between + read : read + between + text;
    return fmt::format("format plain\n  input bytes\n  output {}\n\n  repeat until end of input\n    head: u8\n{}    copy distance {}, length {}\n",
                       output, steps, far, length);
  }
};
bool none(const Text& text) { return Made("plain", text.spec()).plain() == nullptr; }

TEST(PlanPlain, Lz4sTokensOfFewLiteralsAndAShortCopy) {
  const Made made("lz4_block");
  ASSERT_NE(made.plain(), nullptr);
  const Plain& plain = *made.plain();
  // Seven literals, 16 bytes of a copy: 8 of the high nibbles and 13 of the low ones, by one comparison.
  EXPECT_EQ(plain.mask, 0x8fu);
  EXPECT_EQ(plain.below, 13u);
  EXPECT_EQ(plain.literals, (FirstByteBits{4, 0xff, 0}));
  EXPECT_EQ(plain.length, (FirstByteBits{0, 0x8f, 4}));
  EXPECT_EQ(plain.size, 3u);
  EXPECT_EQ(plain.from, 1u);
  EXPECT_EQ(plain.at, 1u);
  EXPECT_EQ(plain.bits, 16u);
  EXPECT_EQ(plain.added, 0u);
  EXPECT_TRUE(plain.behind);
  EXPECT_FALSE(plain.big);
  EXPECT_EQ(Made("lz4_block", {}, Target::Warp).plain(), nullptr);
}

TEST(PlanPlain, WhereTheFieldStandsAndWhatIsAddedToIt) {
  Text text;
  text.field = "far: u8";
  text.far = "far + 1";
  text.order = "field literals";
  const Made before("plain", text.spec());
  ASSERT_NE(before.plain(), nullptr);
  EXPECT_EQ(before.plain()->at, 1u);
  EXPECT_EQ(before.plain()->from, 2u);
  EXPECT_EQ(before.plain()->size, 2u);
  EXPECT_EQ(before.plain()->bits, 8u);
  EXPECT_EQ(before.plain()->added, 1u);
  EXPECT_FALSE(before.plain()->behind);
  text = {};
  text.field = "far: u16be";
  text.between = "    more: u8\n";
  const Made big("plain", text.spec());
  ASSERT_NE(big.plain(), nullptr);
  EXPECT_TRUE(big.plain()->big);
  EXPECT_EQ(big.plain()->at, 2u);
  EXPECT_EQ(big.plain()->size, 4u);
}

TEST(PlanPlain, NumbersAreBitsOfTheFirstByte) {
  Text text;
  text.literals = "(head & 7) + 0";
  text.length = "(head >> 3 & 15) + 1";
  const Made low("plain", text.spec());
  ASSERT_NE(low.plain(), nullptr);
  for (std::uint64_t head = 0; head < 256; ++head) {
    const Plain& plain = *low.plain();
    if ((head & plain.mask) >= plain.below) continue;
    EXPECT_EQ((head >> plain.literals.shift & plain.literals.mask) + plain.literals.added, head & 7) << head;
    EXPECT_EQ((head >> plain.length.shift & plain.length.mask) + plain.length.added, (head >> 3 & 15) + 1) << head;
  }
  // None of some are 0 literals, and a kind of its own for others.
  text = {};
  text.literals = "0";
  const Made copies("plain", text.spec());
  ASSERT_NE(copies.plain(), nullptr);
  EXPECT_EQ(copies.plain()->literals, (FirstByteBits{0, 0, 0}));
}

TEST(PlanPlain, WhatNoPrimitiveTakesHasNone) {
  Text text;
  EXPECT_FALSE(none(text));
  text.literals = "(head >> 1) + 8";  // too many
  EXPECT_TRUE(none(text));
  text = {.length = "(head & 15) + 17"};  // too long
  EXPECT_TRUE(none(text));
  text = {.length = "far + 1"};  // no byte tells how long
  EXPECT_TRUE(none(text));
  text = {.length = "(head & 15) * 5 + 4"};  // no bits of it
  EXPECT_TRUE(none(text));
  text = {.far = "far * 2"};  // no sum
  EXPECT_TRUE(none(text));
  text = {.far = "far + 1"};
  EXPECT_FALSE(none(text));
  text = {.far = "far + 1000000"};  // an address may wrap
  EXPECT_TRUE(none(text));
  text = {.field = "far: u32le"};
  EXPECT_TRUE(none(text));
  text = {.output = "bytes, window 4096"};  // a distance may be refused
  EXPECT_TRUE(none(text));
  text = {.far = "7"};  // a distance without a field
  EXPECT_TRUE(none(text));
  text = {.between = "    require head != 300 else reject never\n    literals u8[1]\n"};  // literals twice
  EXPECT_TRUE(none(text));
  EXPECT_EQ(Made("snappy_raw").plain(), nullptr);  // told by a table
  EXPECT_EQ(Made("deflate").plain(), nullptr);
}

TEST(PlanPlain, AnotherIsRefused) {
  Made made("lz4_block");
  const ir::Module& module = *made.compiled.module;
  EXPECT_TRUE(plan::verify(module, made.plan).empty());
  const auto loop = std::ranges::find_if(made.plan.loops, [](const plan::Loop& l) { return l.plain.has_value(); });
  ASSERT_NE(loop, made.plan.loops.end());
  const plan::Loop good = *loop;
  loop->plain->below += 1;
  EXPECT_FALSE(plan::verify(module, made.plan).empty());
  *loop = good;
  loop->plain.reset();
  EXPECT_FALSE(plan::verify(module, made.plan).empty());
  *loop = good;
  loop->in_margin = plan::plain_in_margin(*loop->plain) - 1;
  EXPECT_FALSE(plan::verify(module, made.plan).empty());
  *loop = good;
  std::get<plan::Field>(loop->body.front().what).ahead = false;
  EXPECT_FALSE(plan::verify(module, made.plan).empty());
}

}  // namespace
}  // namespace sluice::test
