// Which counted loops strategy split can do side by side, and what it says of the others.
#include <gtest/gtest.h>

#include "compiler/analysis/split_loops.h"
#include "sema_fixture.h"

namespace sluice::test {
namespace {

using K = ir::Stmt::Kind;

struct Found {
  ir::Module module;
  analysis::SplitLoops splits;
};

Found found_in(const std::string& spec) {
  const Checked c = check(spec);
  EXPECT_TRUE(c.format.has_value()) << c.text();
  Found f;
  if (c.format) f.module = lower::lower(*c.format);
  if (c.format) f.splits = analysis::find_split_loops(f.module);
  return f;
}

Found found(const std::string& body) {
  return found_in(
      "format f\n  input bytes\n  output bytes\n  trailing accept end\n  array size: u8[255]\n  buffer text[300]\n" + body);
}

std::string why_not(const std::string& body) {
  const Found f = found(body);
  EXPECT_TRUE(f.splits.loops.empty());
  return f.splits.why_not.empty() ? "" : f.splits.why_not.front().text;
}

const std::string kLoop = "  for n < 9\n";

TEST(SplitLoops, InputAndOutputOfEachStepAreKnown) {
  const Found f = found(kLoop + "    within size[n] bytes\n      producing size[n]\n        literals u8[remaining]\n");
  ASSERT_EQ(f.splits.loops.size(), 1u);
  const analysis::SplitLoop& split = f.splits.loops[0];
  ASSERT_EQ(split.regions.size(), 2u);
  EXPECT_EQ(split.regions[0]->kind, K::Within);
  EXPECT_EQ(split.regions[1]->kind, K::Producing);
  EXPECT_EQ(split.core, &split.regions[1]->body);
  EXPECT_TRUE(split.carried.empty());
}

TEST(SplitLoops, AStepMayTestAndReadAroundItsPart) {
  const Found f = found(kLoop +
                        "    here = min(size[n], remaining)\n    within here bytes\n      producing here\n"
                        "        literals u8[remaining]\n    filler: u8\n    require filler == 7 else reject bad\n");
  ASSERT_EQ(f.splits.loops.size(), 1u);
  EXPECT_EQ(f.splits.loops[0].step_sets.size(), 3u);  // n, here, filler
}

TEST(SplitLoops, NothingOfAStepStandsBetweenAPartAndItsEnd) {
  EXPECT_EQ(why_not(kLoop + "    within size[n] bytes\n      producing 1\n        literals u8[1]\n      more: u8\n"),
            "a step goes on behind its part");
}

TEST(SplitLoops, APartWithoutAStatedSizeIsNone) {
  EXPECT_EQ(why_not(kLoop + "    producing size[n]\n      literals u8[size[n]]\n"), "the input of a step has no size");
  EXPECT_EQ(why_not(kLoop + "    within size[n] bytes\n      literals u8[remaining]\n"),
            "the output of a step has no size");
}

TEST(SplitLoops, APartThatTakesNoInputNeedsNoSizeOfIt) {
  const Found f = found("  into text\n    literals u8[9]\n" + kLoop + "    producing 1\n      emit text[n]\n");
  EXPECT_EQ(f.splits.loops.size(), 1u);
}

// A variable of the rule, not of the format: those are state that all rules share.
const std::string kVariable = "  within 40 bytes\n    var last: u8 = 3\n    for n < 9\n";

TEST(SplitLoops, WhatAPartLeavesInAVariableIsCarried) {
  const Found f = found(kVariable +
                        "      within 1 bytes\n        producing 1\n          b: u8\n          emit b ^ last\n"
                        "          last := b\n");
  ASSERT_EQ(f.splits.loops.size(), 1u);
  EXPECT_EQ(f.splits.loops[0].carried.size(), 1u);
  EXPECT_EQ(f.splits.loops[0].core_sets.size(), 1u);  // b
}

TEST(SplitLoops, AStepThatLooksAtACarriedVariableWaits) {
  EXPECT_EQ(why_not(kVariable + "      within last bytes\n        producing last\n          literals u8[remaining]\n"
                                "          last := 1\n"),
            "a step changes what the next one reads");
}

TEST(SplitLoops, APartThatStoresOrCopiesIsNone) {
  const std::string regions = "    within size[n] bytes\n      producing size[n]\n";
  EXPECT_EQ(why_not(kLoop + regions + "        b: u8\n        size[n] := b\n"),
            "a part leaves something for the next one");
  EXPECT_EQ(why_not(kLoop + regions + "        literals u8[1]\n        copy distance 1, length 2\n"),
            "a part of stated size copies");
}

// ---- Parts that are counted: of bit streams, without `producing` ----

Found counted(const std::string& body) {
  return found_in(
      "format f\n  input bits lsb\n  output bytes, window 300\n  trailing accept end\n  array size: u8[9]\n  for n < 9\n"
      "    within size[n] bits\n" + body);
}

std::string why_not_counted(const std::string& body) {
  const Found f = counted(body);
  EXPECT_TRUE(f.splits.loops.empty());
  return f.splits.why_not.empty() ? "" : f.splits.why_not.front().text;
}

TEST(SplitLoops, APartOfBitsWithoutAStatedSizeIsCounted) {
  const Found f = counted("      literals u8[remaining]\n");
  ASSERT_EQ(f.splits.loops.size(), 1u);
  EXPECT_TRUE(f.splits.loops[0].counted);
  EXPECT_EQ(f.splits.loops[0].copies.distance, 0u);
}

TEST(SplitLoops, CopiesOfACountedPartWaitInOneWord) {
  const Found f = counted("      s: u8\n      emit s\n      copy distance 1 + s, length 3\n");
  ASSERT_EQ(f.splits.loops.size(), 1u);
  EXPECT_EQ(f.splits.loops[0].copies.distance, 9u);  // up to 256
  EXPECT_EQ(f.splits.loops[0].copies.length, 2u);
  EXPECT_EQ(f.splits.loops[0].copies.reach, 256u);
  EXPECT_EQ(why_not_counted("      s: u32\n      emit 1\n      copy distance 1, length s\n"),
            "a copy is too long or reaches too far to wait in 32 bits");
}

TEST(SplitLoops, ACountedPartHasVariablesOfItsOwn) {
  const Found f = counted("      var last: u8 = 0\n      repeat until end of input\n        b: u8\n        emit b ^ last\n"
                          "        last := b\n");
  EXPECT_EQ(f.splits.loops.size(), 1u);
}

// ---- Is a step its region, of a size that is told? ----

bool summed(const std::string& steps, const char* input = "bits lsb") {
  const Found f = found_in(std::string("format f\n  input ") + input + "\n  output bytes\n  trailing accept end\n  array size: u8[9]\n" + steps);
  EXPECT_EQ(f.splits.loops.size(), 1u) << steps;
  return !f.splits.loops.empty() && f.splits.loops[0].summed;
}

TEST(SplitLoops, PlacesOfPartsAreSumsWhereSizesAreTold) {
  const std::string body = "      literals u8[remaining]\n";
  EXPECT_TRUE(summed("  for n < 9\n    within size[n] bits\n" + body));
  EXPECT_TRUE(summed("  for n < 9\n    within 8 * min(size[n], n) bits\n" + body));
  EXPECT_TRUE(summed("  each: u8\n  for n < 9\n    within each bytes\n" + body));
  EXPECT_FALSE(summed("  for n < 9\n    own: u8\n    within own bytes\n" + body));
  EXPECT_FALSE(summed("  for n < 9\n    own = size[n]\n    within own bytes\n" + body));
  EXPECT_FALSE(summed("  for n < 9\n    within size[n] bits\n" + body + "    require n < 8 else reject bad\n"));
  EXPECT_FALSE(summed("  for n < 9\n    within min(size[n], remaining) bytes\n" + body));
}

// ---- Does a part look at where its output begins? ----

bool placeless(const std::string& body) {
  const Found f = counted(body);
  EXPECT_EQ(f.splits.loops.size(), 1u) << body;
  return !f.splits.loops.empty() && f.splits.loops[0].placeless;
}

TEST(SplitLoops, APartMayAskHowMuchItHasMade) {
  EXPECT_TRUE(placeless("      literals u8[remaining]\n"));
  EXPECT_TRUE(placeless("      start = produced\n      s: u8\n      emit s\n      require produced - start < 9 else reject bad\n"));
  EXPECT_TRUE(placeless("      start = produced\n      s: u8\n      emit s\n      require produced > start else reject bad\n"));
  EXPECT_TRUE(placeless("      start = produced\n      also = start\n      s: u8\n      emit produced -% also\n      emit s\n"));
  EXPECT_TRUE(placeless("      start = produced\n      s: u8\n      emit (s + (produced -% start)) & 255\n"));
}

TEST(SplitLoops, APartThatAsksWhereItIsHasAPlace) {
  for (const char* asks : {"produced & 1", "start & 1", "(produced + start) & 1", "(start -% s) & 1", "(9 -% start) & 1",
                           "(produced -% (produced -% start)) & 1", "min(produced, s) & 1"})
    EXPECT_FALSE(placeless(std::string("      start = produced\n      s: u8\n      emit s\n      emit ") + asks + "\n")) << asks;
  EXPECT_FALSE(placeless("      start = produced\n      s: u8\n      emit s\n      require produced > s else reject bad\n"));
  EXPECT_FALSE(placeless("      var start: u64 = 0\n      s: u8\n      emit s\n      if s == 9\n        start := produced\n"
                         "      emit (produced -% start) & 1\n"));
  EXPECT_FALSE(placeless("      s: u8\n      copy distance 1 + (produced & 1), length s\n"));
}

}  // namespace
}  // namespace sluice::test
