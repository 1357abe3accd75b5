// Codes of a byte on a CPU: which loops have a table of strings, and that a plan says it where it is so and nowhere else.
#include "compiler/plan/codes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "compiler/driver/library.h"
#include "tests/unit/planned.h"

namespace sluice::test {
namespace {

struct Made : Planned {
  using Planned::Planned;
  const plan::Codes* codes() const { return said(&plan::Loop::codes); }
};

std::string letters(const std::string& body, const std::string& output = "bytes") {
  return "format letters\n  input bytes\n  output " + output + "\n\n  repeat until end of input\n    code: u8\n" + body;
}

TEST(PlanStrings, OfFsst) {
  for (const char* name : {"fsst", "fsst_strings", "gsst_blocks", "gsst_codes", "gsst_splits"}) {
    const Made made(name);
    ASSERT_NE(made.codes(), nullptr) << name;
    EXPECT_TRUE(made.codes()->escapes) << name;
  }
  // Codes of 12 bits are no bytes.
  for (const char* name : {"fsst12", "snappy_raw", "orc_rle_v1"}) EXPECT_EQ(Made(name).codes(), nullptr) << name;
}

TEST(PlanStrings, FollowTheTokens) {
  const Made plain("letters", letters("    emit code\n"));
  ASSERT_NE(plain.codes(), nullptr);
  EXPECT_FALSE(plain.codes()->escapes);
  EXPECT_EQ(Made("letters", letters("    count: u8\n    run code, count count\n")).codes(), nullptr);
  EXPECT_EQ(Made("letters", letters("    emit code\n", "u16[]")).codes(), nullptr);
  std::string many;
  for (unsigned i = 0; i < 60; ++i) many += "    when code == " + std::to_string(i) + "\n      emit code ^ 1\n";
  EXPECT_EQ(Made("letters", letters(many + "    else\n      emit code\n")).codes(), nullptr);  // a long text
}

TEST(PlanStrings, AreRefusedWhereThePlanLies) {
  Made made("fsst");
  const ir::Module& module = *made.compiled.module;
  EXPECT_TRUE(plan::verify(module, made.plan).empty());
  const auto loop = std::ranges::find_if(made.plan.loops, [](const plan::Loop& l) { return l.codes.has_value(); });
  ASSERT_NE(loop, made.plan.loops.end());
  loop->codes->escapes = false;
  EXPECT_FALSE(plan::verify(module, made.plan).empty());
  loop->codes.reset();
  EXPECT_FALSE(plan::verify(module, made.plan).empty());
}

}  // namespace
}  // namespace sluice::test
