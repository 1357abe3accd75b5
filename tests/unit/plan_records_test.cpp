// Tokens as records: what is one, what is none, and why (compiler/plan/records.h).
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "compiler/driver/compile.h"
#include "compiler/plan/lower.h"

namespace sluice::test {
namespace {

plan::Records records_of(std::string_view steps, std::string_view head = "") {
  const std::string text = "format records\n  input bytes\n  output bytes, window 65535\n" + std::string(head) +
                           "\n  repeat until end of input\n" + std::string(steps);
  driver::Request request;
  request.name = "records.sluice";
  request.text = text;
  const driver::Compiled compiled = driver::compile_spec(request);
  EXPECT_TRUE(compiled.ok()) << text;
  if (!compiled.ok()) return {};
  const plan::Plan plan = plan::lower(*compiled.module, plan::Target::Warp);
  EXPECT_FALSE(plan.loops.empty());
  for (const plan::Loop& loop : plan.loops)
    if (loop.records) return *loop.records;
  return {0, "no loop has a form", {}};
}

TEST(PlanRecords, LiteralsAndThenACopy) {
  const plan::Records r =
      records_of("    n: u8\n    literals u8[n >> 4]\n    far: u16le\n    copy distance far, length (n & 15) + 4\n");
  EXPECT_EQ(r.against, "");
  EXPECT_EQ(r.min_token, 3u);
}

TEST(PlanRecords, EitherOfThem) {
  const plan::Records r = records_of(
      "    n: u8\n    when n < 128\n      literals u8[n + 1]\n    else\n      far: u8\n      copy distance far + 1, "
      "length n - 124\n");
  EXPECT_EQ(r.against, "");
  EXPECT_EQ(r.min_token, 2u);
}

TEST(PlanRecords, WhatIsNone) {
  EXPECT_EQ(records_of("    n: u8\n    far: u8\n    copy distance far + 1, length 4\n    literals u8[n]\n").against,
            "it makes literals once and then one copy, at most");
  EXPECT_EQ(records_of("    n: u8\n    v: u8\n    run v, count n + 3\n").against,
            "it makes output that is neither literals nor a copy");
  EXPECT_EQ(records_of("    n: u8\n    literals u8[n + 1]\n").against, "it copies nothing");
  EXPECT_EQ(records_of("    n: u8\n    literals u8[n]\n    copy distance last, length 4\n    last := n + 1\n",
                       "  var last: u32 = 1\n")
                .against,
            "a token leaves a value to the next one");
  std::string fields;
  for (int i = 0; i < 40; ++i) fields += "    f" + std::to_string(i) + ": u64le\n";
  EXPECT_EQ(records_of(fields + "    copy distance (f0 & 7) + 1, length 4\n").against,
            "a token and its loads may take 328 bytes, and a lane sees 320");
}

}  // namespace
}  // namespace sluice::test
