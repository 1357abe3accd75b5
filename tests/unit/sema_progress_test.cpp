// Loops in loops: every step is judged by itself, and the time this takes grows with the text, not with 2^depth.
#include <gtest/gtest.h>

#include "sema_fixture.h"

namespace sluice::test {
namespace {

// One loop in the other, each step reading a byte before and, if `idle`, the innermost doing nothing that counts.
std::string tower(unsigned depth, bool idle) {
  std::string spec = kBytes + (idle ? "  var v: u8 = 0\n" : ""), indent = "  ";
  for (unsigned d = 0; d < depth; ++d) {
    spec += indent + "repeat\n";
    indent += "  ";
    spec += indent + "x" + std::to_string(d) + ": u8\n" + indent + "if x" + std::to_string(d) + " == 3: stop\n";
  }
  if (idle) spec += indent + "repeat until v == 9\n" + indent + "  v := 9\n";
  return spec;
}

TEST(SemaProgress, DeepTowersOfLoopsAreJudgedOnce) {
  EXPECT_EQ(check(tower(30, false)).ids(), std::vector<std::string>{});
  EXPECT_EQ(check(tower(29, true)).ids(), std::vector<std::string>{"SL0511"});
}

TEST(SemaProgress, WhatALoopReadMovesTheLoopAround) {
  const auto needs = [](const std::string& inner) {
    const Checked c = check(kBytes + "  var v: u8 = 0\n  n: u8\n  repeat until v == 9\n    v := 9\n" + inner);
    EXPECT_TRUE(c.format.has_value()) << c.text();
    return c.format && c.format->rules[0].body.back()->needs_progress;
  };
  EXPECT_FALSE(needs("    repeat\n      x: u8\n      if x == 0: stop\n"));
  EXPECT_FALSE(needs("    repeat 3 times\n      emit n\n"));
  EXPECT_TRUE(needs("    repeat n times\n      emit n\n"));
  EXPECT_TRUE(needs("    repeat until end of input\n      emit n\n"));
  EXPECT_TRUE(needs("    repeat\n      if v == 9: stop\n      emit n\n"));
}

}  // namespace
}  // namespace sluice::test
