#include "compiler/schedule/resolve.h"

#include <fmt/format.h>

#include <array>

#include "compiler/analysis/walk.h"
#include "compiler/emit/unit.h"

namespace sluice::schedule {

Legality collecting_legal(const ir::Module& module, const analysis::Facts& facts) {
  if (!facts.copies.any) return {false, {{"it has no `copy`: there is nothing to collect", {}}}};
  std::vector<emit::LoopReport> loops;
  const emit::FastLoops fast = emit::find_fast_loops({module, true}, &loops);
  for (const auto& [loop, form] : fast.loops)
    if (form.copies) return {true, facts.copies.why};
  Legality no{false, {{"no token loop with a `copy` has a fast form, which is what collects", {}}}};
  for (const emit::LoopReport& report : loops) {
    bool copies = false;
    analysis::for_each_stmt(report.loop->body,
                            [&](const ir::Stmt& stmt) { copies |= stmt.kind == ir::Stmt::Kind::Copy; });
    if (copies) no.why.push_back({report.reason, report.at.length != 0 ? report.at : report.loop->span});
  }
  return no;
}

std::span<const ResolveRow> resolves() {
  static constexpr std::array<ResolveRow, 4> kRows{{
      {Resolve::Together, "each as it comes, by all lanes"},
      {Resolve::Sequential, "32 are collected, a lane each; one after the other"},
      {Resolve::Rounds, "32 are collected, a lane each; in each round those whose source is written"},
      {Resolve::Independent, "up to 32 are collected, a lane each, until one reads what they write; all at once"},
  }};
  return kRows;
}

std::string explain_resolve(const Schedule& schedule, const analysis::Facts& facts) {
  const analysis::Copies& copies = facts.copies;
  if (!copies.any) return {};
  const bool waiting = schedule.strategy == Strategy::Split;
  std::string line = fmt::format("copies: {}", waiting && schedule.resolve == Resolve::Together
                                                   ? "32 at a time, in rounds, their bytes dealt out to the lanes"
                                                   : resolves()[static_cast<std::size_t>(schedule.resolve)].what);
  if (copies.reach) line += fmt::format("; from at most {} elements back", *copies.reach);
  return line;
}

}  // namespace sluice::schedule
