#include "compiler/strategy/resolve.h"

#include <fmt/format.h>

#include <array>

#include "compiler/analysis/walk.h"
#include "compiler/plan/walk.h"

namespace sluice::strategy {

using schedule::Resolve;

Legality collecting_legal(const Subject& subject) {
  const analysis::Copies& copies = subject.facts.copies;
  if (!copies.any) return {false, {{"it has no `copy`: there is nothing to collect", {}}}};
  for (const plan::Loop& loop : subject.tokens.warp.loops)
    if (plan::holds<plan::Copy>(loop.body)) return {true, copies.why};
  Legality no{false, {{"no token loop with a `copy` has a fast form, which is what collects", {}}}};
  for (const plan::Loop& loop : subject.tokens.warp.loops) {
    const ir::Stmt& stmt = plan::statement_at(subject.module.rules[loop.rule], loop.path);
    bool any = false;
    analysis::for_each_stmt(stmt.body, [&](const ir::Stmt& s) { any |= s.kind == ir::Stmt::Kind::Copy; });
    if (!any || loop.form != plan::LoopForm::Checked) continue;
    const plan::Obstacle& why = loop.obstacles.back();
    no.why.push_back({why.reason, why.span.length != 0 ? why.span : stmt.span});
  }
  return no;
}

Legality resolve_legal(const Subject& subject, Resolve resolve) {
  if (resolve == Resolve::Together) return {};
  return resolve == Resolve::Steps ? steps_legal(subject) : collecting_legal(subject);
}

std::span<const ResolveRow> resolves() {
  static constexpr std::array<ResolveRow, 5> kRows{{
      {Resolve::Together, "each as it comes, by all lanes"},
      {Resolve::Sequential, "32 are collected, a lane each; one after the other"},
      {Resolve::Rounds, "32 are collected, a lane each; in each round those whose source is written"},
      {Resolve::Independent, "up to 32 are collected, a lane each, until one reads what they write; all at once"},
      {Resolve::Steps, "of parts: with all other output, a byte a lane, from entries that the parts leave"},
  }};
  return kRows;
}

std::string explain_resolve(const schedule::Schedule& schedule, const analysis::Facts& facts) {
  const analysis::Copies& copies = facts.copies;
  if (!copies.any) return {};
  const bool waiting = schedule.strategy == schedule::Strategy::Split;
  std::string line = fmt::format("copies: {}", waiting && schedule.resolve == Resolve::Together
                                                   ? "32 at a time, in rounds, their bytes dealt out to the lanes"
                                                   : resolves()[static_cast<std::size_t>(schedule.resolve)].what);
  if (copies.reach) line += fmt::format("; from at most {} elements back", *copies.reach);
  return line;
}

}  // namespace sluice::strategy
