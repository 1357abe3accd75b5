#pragma once
// From the IR to a plan: the one place that decides the form of a token loop, for the CPU, for a warp and for one lane.
//
//   a loop of the IR  ->  suited.h: may it have a form at all?  ->  lower_token.h: its token's statements
//                     ->  lower_loop.cpp: margins, form, what stands in the way of a better one
//   loops over parts  ->  what the warp does around them, and what a lane does
#include <span>

#include "compiler/analysis/split_loops.h"
#include "compiler/plan/plan.h"
#include "compiler/schedule/schedule.h"

namespace sluice::plan {

// Every loop of the module that is not part of another's token.
[[nodiscard]] Plan lower(const ir::Module& module, Target target, const Asked& asked = {});
// The checked path alone.
[[nodiscard]] Plan lower_checked(const ir::Module& module, Target target);

// Have the table's entries room in that form, where no code is longer than its index? Narrow: symbols of one code that are bytes
// without extra bits. Tiny: likewise, of a code of few bits and few symbols, all of one kind.
[[nodiscard]] bool entries_as(const ir::Module& module, const Table& table, EntryForm form);

// Strategy split: a warp that leaves the cores of `splits` to its lanes, and what those do. When a lane finds something
// wrong, all lanes do its part by the checked path: so the warp's plan holds no loop that only cores reach.
struct PartPlans {
  Plan warp, lane;  // of the same tables: the warp builds those that its lanes look at
};
[[nodiscard]] PartPlans lower_parts(const ir::Module& module, std::span<const analysis::SplitLoop> splits,
                                    const Asked& asked = {});

// The loops of a kernel. `parts`: where its lanes do parts by themselves.
struct TokenPlans {
  Plan warp;
  std::optional<PartPlans> parts;
  [[nodiscard]] const Plan& of_warp(bool split) const { return split ? parts->warp : warp; }
};
// `splits`: the loops whose steps a lane each may do, of the module's facts.
[[nodiscard]] TokenPlans token_plans(const ir::Module& module, std::span<const analysis::SplitLoop> splits,
                                     const Asked& asked = {});
// What a schedule asks of them.
[[nodiscard]] inline Asked asked_of(const schedule::Schedule& s, Outputs outputs = Outputs::Memory) {
  const bool steps = s.strategy == schedule::Strategy::Split && s.resolve == schedule::Resolve::Steps;
  return {Checksums{s.checksum}, schedule::asked_table_bits(s), steps ? PartPasses::Once : PartPasses::Twice, outputs};
}

// The statement that a loop's path names: the index of a statement in its block, then 0 for its body or 1 for its
// `else`, and so on.
[[nodiscard]] const ir::Stmt& statement_at(const ir::Rule& rule, const std::vector<std::uint32_t>& path);
// Likewise of a path that nobody has seen; null: it leads to no statement.
[[nodiscard]] const ir::Stmt* find_statement(const ir::Rule& rule, const std::vector<std::uint32_t>& path);

}  // namespace sluice::plan
