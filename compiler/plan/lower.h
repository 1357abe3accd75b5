#pragma once
// From the IR to a plan: the one place that decides the form of a token loop, for the CPU, for a warp and for one lane.
//
//   a loop of the IR  ->  suited.h: may it have a form at all?  ->  lower_token.h: its token's statements
//                     ->  lower_loop.cpp: margins, form, what stands in the way of a better one
#include "compiler/plan/plan.h"

namespace sluice::plan {

// Every loop of the module that is not part of another's token. `tables`: look-up tables that exist already.
[[nodiscard]] Plan lower(const ir::Module& module, Target target, std::vector<Table> tables = {});

// The loops of a kernel: of its warps, and where lanes do parts by themselves (strategy split), of those.
struct TokenPlans {
  Plan warp;
  std::optional<Plan> lane;  // its tables begin with the warp's
  [[nodiscard]] const std::vector<Table>& tables(bool parts) const { return parts ? lane->tables : warp.tables; }
};
[[nodiscard]] TokenPlans token_plans(const ir::Module& module, bool parts);

// The statement that a loop's path names: the index of a statement in its block, then 0 for its body or 1 for its
// `else`, and so on.
[[nodiscard]] const ir::Stmt& statement_at(const ir::Rule& rule, const std::vector<std::uint32_t>& path);

}  // namespace sluice::plan
