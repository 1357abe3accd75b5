#pragma once
// A format and its plan, as tests of plans see them.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "compiler/driver/compile.h"
#include "compiler/plan/lower.h"
#include "compiler/plan/verify.h"
#include "dsl/diag/render.h"

namespace sluice::test {

// Of a codec of that name, or of a text; the plan is a good one.
struct Planned {
  driver::Compiled compiled;
  plan::Plan plan;

  explicit Planned(const std::string& name, const std::optional<std::string>& text = {}, plan::Target target = plan::Target::Cpu) {
    driver::Request request;
    request.name = name;
    request.text = text;
    compiled = driver::compile_spec(request);
    EXPECT_TRUE(compiled.ok()) << text.value_or(name) << render_all(compiled.sources, compiled.diags.diagnostics(), false);
    if (!compiled.ok()) return;
    plan = plan::lower(*compiled.module, target);
    EXPECT_EQ(plan::verify(*compiled.module, plan), std::vector<std::string>());
  }
  // What the first loop says that says any; null: none does.
  template <typename Said>
  const Said* said(std::optional<Said> plan::Loop::* of) const {
    for (const plan::Loop& loop : plan.loops)
      if (loop.*of) return &*(loop.*of);
    return nullptr;
  }
};

}  // namespace sluice::test
