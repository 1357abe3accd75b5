#include "compiler/analysis/copies.h"

#include <algorithm>

#include "compiler/analysis/amount.h"
#include "compiler/analysis/walk.h"

namespace sluice::analysis {

Copies copies_of(const ir::Module& module) {
  Copies all;
  all.reach = 0;
  all.longest = 0;
  const std::vector<bool> reached = reachable_rules(module);
  for (std::size_t rule = 0; rule < module.rules.size(); ++rule) {
    if (!reached[rule]) continue;
    for_each_stmt(module.rules[rule].body, [&](const ir::Stmt& stmt) {
      if (stmt.kind == ir::Stmt::Kind::NewWindow && stmt.flag) all.dictionary = true;
      if (stmt.kind != ir::Stmt::Kind::Copy) return;
      all.any = true;
      ++all.sites;
      Limit reach = limit_of(stmt.a->range.hi);
      if (module.window != 0 && (!reach || *reach > module.window)) reach = module.window;
      const Limit length = limit_of(stmt.b->range.hi);
      // Distance 0 is refused, so the nearest is 1.
      const bool overlaps = !length || static_cast<ir::i128>(*length) > std::max<ir::i128>(stmt.a->range.lo, 1);
      all.reach = larger(all.reach, reach);
      all.longest = larger(all.longest, length);
      all.may_overlap |= overlaps;
      std::string text =
          "`copy`: " + (reach ? "at most " + count_of(*reach, "element") + " back" : std::string("any distance back"));
      text += length ? ", at most " + std::to_string(*length) + " long" : std::string(", of any length");
      text += overlaps ? "; may read what it writes" : "; never reads what it writes";
      all.why.push_back({std::move(text), stmt.span});
    });
  }
  // A dictionary can stand before the output from the start.
  all.dictionary = all.any && module.has_dictionary;
  return all;
}

}  // namespace sluice::analysis
