#pragma once
// The records of a loop's tokens, as tests of them see it.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "compiler/driver/compile.h"
#include "compiler/plan/lower.h"

namespace sluice::test {

// Of the first loop that has any, of a format whose tokens are these steps.
inline plan::Records records_of(std::string_view steps, std::string_view head = "", std::string_view input = "bytes",
                                std::string_view output = "bytes, window 65535") {
  const std::string text = "format records\n  input " + std::string(input) + "\n  output " + std::string(output) + "\n" +
                           std::string(head) + "\n  repeat until end of input\n" + std::string(steps);
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
  plan::Records none;
  none.against = "no loop has a form";
  return none;
}

}  // namespace sluice::test
