// Loops of a bit stream whose tokens are whole bytes (compiler/plan/suited.h, records.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "compiler/driver/compile.h"
#include "compiler/plan/lower.h"
#include "compiler/plan/text.h"
#include "compiler/plan/verify.h"

namespace sluice::test {
namespace {

using plan::LoopForm;
using plan::Reader;
using plan::Target;

constexpr std::string_view kSequences =
    "    n: u8\n    literals u8[n >> 4]\n    far: u16le\n    copy distance far, length (n & 15) + 4\n";

constexpr std::string_view kBoth =
    "    n: u8\n    literals u8[n >> 4]\n    far: u16le\n    copy distance far, length (n & 15) + 4\n"
    "  repeat until end of input\n    s: code\n    when s < 2: emit s\n    else\n      copy distance s, length 4\n";

driver::Compiled compiled(std::string_view head, std::string_view steps) {
  driver::Request request;
  request.name = "whole.sluice";
  request.text = "format whole\n  input bits lsb\n  output bytes, window 65535\n" + std::string(head) +
                 "  repeat until end of input\n" + std::string(steps);
  driver::Compiled made = driver::compile_spec(request);
  EXPECT_TRUE(made.ok()) << *request.text;
  return made;
}

Reader reader_of(std::string_view steps, Target target = Target::Warp) {
  const driver::Compiled made = compiled("  trailing accept rest\n", steps);
  const plan::Plan plan = plan::lower(*made.module, target);
  EXPECT_EQ(plan::verify(*made.module, plan), std::vector<std::string>());
  return plan.loops.front().form == LoopForm::Checked ? Reader::Lane : plan.loops.front().reader;
}

TEST(PlanWholeBytes, TokensOfBytesAreReadAsOverBytes) {
  EXPECT_EQ(reader_of(kSequences), Reader::Bytes);
  EXPECT_EQ(reader_of(kSequences, Target::Cpu), Reader::Bytes);
  EXPECT_EQ(reader_of("    n: u32be\n    emit n & 255\n"), Reader::Bytes);
  EXPECT_EQ(reader_of("    n: varint(u16)\n    emit n & 255\n"), Reader::Bytes);
  EXPECT_EQ(reader_of("    n: u8\n    x: uint_le(8 * (n & 3))\n    emit x & 255\n"), Reader::Bytes);
}

TEST(PlanWholeBytes, OthersAreReadAsBits) {
  EXPECT_EQ(reader_of("    n: u4\n    far: u12\n    copy distance far, length n + 4\n"), Reader::Position);
  EXPECT_EQ(reader_of("    n: u8\n    literals u8[n >> 4]\n    far: u16\n    copy distance far, length n\n"), Reader::Position);
  // Single bytes do as well at places of bits.
  EXPECT_EQ(reader_of("    n: u8\n    emit n\n"), Reader::Position);
}

TEST(PlanWholeBytes, TheirRecordsStandAlone) {
  const driver::Compiled made = compiled("  trailing accept rest\n  table lengths: u4 = [1, 2, 2]\n  prefix_code code(3, 2)\n  build code from lengths\n", kBoth);
  plan::Plan plan = plan::lower(*made.module, Target::Warp);
  ASSERT_EQ(plan.loops.size(), 2u);
  EXPECT_TRUE(plan.loops[0].has_records());
  EXPECT_FALSE(plan.loops[0].records->bits);
  EXPECT_EQ(plan.loops[0].records->min_token, 3u);
  ASSERT_TRUE(plan.loops[1].records.has_value());
  EXPECT_EQ(plan.loops[1].records->against, "a kernel's tiles are of bytes or of bits, and another loop's tokens are bytes");
  EXPECT_EQ(plan::verify(*made.module, plan), std::vector<std::string>());
  // A plan that says so where nothing stands beside it.
  plan.loops[0].records->against = "nothing";
  EXPECT_NE(plan::verify(*made.module, plan), std::vector<std::string>());
}

}  // namespace
}  // namespace sluice::test
