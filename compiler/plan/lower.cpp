#include "compiler/plan/state_walk.h"
#include "compiler/plan/lower.h"

#include <algorithm>
#include <set>

#include "compiler/analysis/built_codes.h"
#include "compiler/analysis/walk.h"
#include "compiler/ir/elements.h"
#include "compiler/plan/checked.h"
#include "compiler/plan/codes.h"
#include "compiler/plan/fills.h"
#include "compiler/plan/lower_token.h"
#include "compiler/plan/packed.h"
#include "compiler/plan/records.h"
#include "compiler/plan/streams.h"
#include "compiler/plan/width.h"

namespace sluice::plan {
namespace {

using analysis::SplitLoop;
using ir::Stmt;

using Path = std::vector<std::uint32_t>;

// Slots that the step around the part reads and nothing in it sets: the loop's function gets them.
std::vector<std::uint32_t> outer_reads(const SplitLoop& split) {
  std::set<std::uint32_t> reads = split.core_reads;
  analysis::for_each_stmt(split.loop->body, [&](const Stmt& s) {
    analysis::for_each_expr(s, [&](const ir::Expr& e) {
      analysis::for_each_node(e, [&](const ir::Expr& node) {
        if (node.op == ir::Op::Local) reads.insert(node.ref);
      });
    });
  });
  for (const auto* set : {&split.step_sets, &split.core_sets, &split.carried})
    for (const std::uint32_t slot : *set) reads.erase(slot);
  return {reads.begin(), reads.end()};
}

std::vector<std::uint32_t> list(const std::set<std::uint32_t>& slots) { return {slots.begin(), slots.end()}; }

// The path from a loop's to the region around its core. Every region but the last holds one region itself.
Path path_to_core(const SplitLoop& split, Path path) {
  const ir::Block* block = &split.loop->body;
  for (const Stmt* region : split.regions) {
    const auto at = std::ranges::find_if(*block, [&](const auto& s) { return s.get() == region; });
    path.push_back(0);
    path.push_back(static_cast<std::uint32_t>(at - block->begin()));
    block = &region->body;
  }
  return path;
}

Loop part_loop(std::uint32_t rule, const SplitLoop& split, const Path& path) {
  Loop loop;
  loop.rule = rule;
  loop.kind = ir::LoopKind::Times;
  if (split.loop->slot != Stmt::kNoSlot) loop.index = split.loop->slot;
  loop.form = LoopForm::Parts;
  loop.counts = true;
  loop.captures = outer_reads(split);
  loop.carried = list(split.carried);
  Part part;
  part.core = path_to_core(split, path);
  part.counted = split.counted;
  part.reads = std::ranges::any_of(split.regions, [](const Stmt* s) { return s->kind == Stmt::Kind::Within; });
  part.summed = split.counted && split.summed;
  part.distance_bits = split.counted ? split.copies.distance : 0;
  part.placeless = split.counted && split.placeless;
  part.step = list(split.step_sets);
  part.reads_slots = list(split.core_reads);
  part.own = list(split.core_sets);
  loop.part = std::move(part);
  return loop;
}

// Walks the module's loops, outer before inner.
class Lowering {
 public:
  Lowering(const ir::Module& module, Target target, const Asked& asked, std::span<const SplitLoop> splits,
           std::vector<Table> tables = {})
      : ground_{.module = module, .target = target, .asked_table_bits = asked.table_bits, .passes = asked.passes, .outputs = asked.outputs},
        splits_(splits),
        plan_{target, asked.checksums, asked.outputs, std::move(tables), {}, {}, {}, {}} {}

  // `path`: of the block.
  void block(std::uint32_t rule, const ir::Block& b, Path& path) {
    for (std::uint32_t i = 0; i < b.size(); ++i) {
      path.push_back(i);
      statement(rule, *b[i], path);
      path.pop_back();
    }
  }
  void rule(std::uint32_t r) {
    Path path;
    block(r, ground_.module.rules[r].body, path);
  }
  Plan take() {
    keep_one_kind(plan_.loops);
    plan_.extras = settle_state_walks(ground_.module, plan_.loops);
    return std::move(plan_);
  }
  Plan& plan() { return plan_; }

 private:
  void statement(std::uint32_t rule, const Stmt& s, Path& path) {
    if (s.kind == Stmt::Kind::Loop) {
      const auto split = std::ranges::find(splits_, &s, &SplitLoop::loop);
      const bool parts = split != splits_.end();
      Loop made = parts ? part_loop(rule, *split, path) : lowered(rule, s);
      made.path = path;
      if (ground_.target == Target::Warp && made.form > LoopForm::Parts && made.form != LoopForm::Checked) {
        set_records(ground_.module, made, *std::ranges::find(budgets_, &s, &analysis::TokenBudget::loop));
        made.codes = codes_of(ground_.module, made);
        set_fills(ground_.module, made, *std::ranges::find(budgets_, &s, &analysis::TokenBudget::loop));
      }
      const bool enter = made.form == LoopForm::Checked || made.nested;
      if (made.form != LoopForm::Checked) made.number = numbers_++;
      set_widths(ground_.module, ground_.target, made);
      plan_.loops.push_back(std::move(made));
      if (!enter) return;
    }
    path.push_back(0);
    block(rule, s.body, path);
    path.back() = 1;
    block(rule, s.orelse, path);
    path.pop_back();
  }

  // Its outputs may go where elements are of another type.
  Loop lowered(std::uint32_t rule, const Stmt& s) {
    const ir::Type element = elements_.of(s);
    if (element == ground_.element) return lower_loop(ground_, plan_, rule, s);
    Ground ground = ground_;
    ground.element = element;
    return lower_loop(ground, plan_, rule, s);
  }

  const Ground ground_;
  const ir::Elements elements_ = ir::Elements(ground_.module);
  const std::span<const SplitLoop> splits_;
  const std::vector<analysis::TokenBudget> budgets_ =
      ground_.target == Target::Warp ? analysis::token_budgets(ground_.module) : std::vector<analysis::TokenBudget>();
  Plan plan_;
  std::uint32_t numbers_ = 0;
};

// Adds the rules that the block calls, and those that they call, but for what stands in a core.
void collect_rules(const ir::Module& m, const ir::Block& block, const std::set<const ir::Block*>& cores,
                   std::set<std::uint32_t>& rules) {
  if (cores.contains(&block)) return;
  for (const auto& s : block) {
    if (s->kind == Stmt::Kind::Call && rules.insert(s->ref).second) collect_rules(m, m.rules[s->ref].body, cores, rules);
    collect_rules(m, s->body, cores, rules);
    collect_rules(m, s->orelse, cores, rules);
  }
}

void mark_empty(const ir::Module& module, std::vector<Table>& tables) {
  const analysis::BuiltCodes built = analysis::built_codes(module);
  for (Table& t : tables) t.starts_empty = !built.codes[t.code].always_built;
}

// Of codes that the table holds whole.
void choose_entries(const ir::Module& module, const Asked& asked, std::vector<Table>& tables) {
  for (Table& t : tables) {
    const ir::Code& code = module.codes[t.code];
    if (code.max_bits > table_bits(Target::Warp, code, asked.table_bits)) continue;
    t.entry = entries_as(module, t, EntryForm::Tiny) ? EntryForm::Tiny : entries_as(module, t, EntryForm::Narrow) ? EntryForm::Narrow : EntryForm::Wide;
  }
}

}  // namespace

// An entry that stands for one of several codes is found through a pointer, which takes them as they are.
bool entries_as(const ir::Module& module, const Table& table, EntryForm form) {
  constexpr unsigned kTinyBits = 7;
  constexpr std::uint32_t kTinyPayload = 31, kNarrowPayload = 255;
  const ir::Code& code = module.codes[table.code];
  if (form == EntryForm::Wide) return true;
  const bool tiny = form == EntryForm::Tiny;
  if (code.copies != 1 || (tiny && code.max_bits > kTinyBits)) return false;
  return std::ranges::all_of(table.info, [&](std::uint32_t info) {
    const bool plain = tiny ? (info & ((1u << kPayloadShift) - 1)) == 0 : (info & kExtraBits) == 0;
    return plain && info >> kPayloadShift <= (tiny ? kTinyPayload : kNarrowPayload);
  });
}

Plan lower(const ir::Module& module, Target target, const Asked& asked) {
  Lowering lowering(module, target, asked, {});
  for (std::uint32_t r = 0; r < module.rules.size(); ++r) lowering.rule(r);
  Plan plan = lowering.take();
  mark_empty(module, plan.tables);
  if (target == Target::Warp) choose_entries(module, asked, plan.tables);
  if (asked.outputs == Outputs::Memory) set_packed(plan);  // units are of memory
  set_streams(module, plan);
  plan.checked = checked_rules(module, plan);
  return plan;
}

Plan lower_checked(const ir::Module& module, Target target) {
  Plan plan;
  plan.target = target;
  plan.checked = checked_rules(module, plan);
  return plan;
}

PartPlans lower_parts(const ir::Module& module, std::span<const SplitLoop> splits, const Asked& asked) {
  std::set<const ir::Block*> cores;
  for (const SplitLoop& split : splits) cores.insert(split.core);
  std::set<std::uint32_t> around{0}, inside;
  collect_rules(module, module.rules[0].body, cores, around);

  Lowering warp(module, Target::Warp, asked, splits);
  for (const std::uint32_t r : around) warp.rule(r);
  PartPlans plans{warp.take(), {}};

  Lowering lane(module, Target::Lane, asked, {}, plans.warp.tables);
  for (const Loop& loop : plans.warp.loops) {
    if (!loop.part) continue;
    const ir::Block& core = statement_at(module.rules[loop.rule], loop.part->core).body;
    collect_rules(module, core, {}, inside);
    Path path = loop.part->core;
    path.push_back(0);
    lane.block(loop.rule, core, path);
  }
  for (const std::uint32_t r : inside) lane.rule(r);
  lane.plan().rules = list(inside);
  plans.lane = lane.take();
  mark_empty(module, plans.lane.tables);
  plans.warp.tables = plans.lane.tables;
  plans.lane.checked = checked_parts(module, plans.lane, plans.warp);
  plans.warp.checked = checked_rules(module, plans.warp);
  return plans;
}

TokenPlans token_plans(const ir::Module& module, std::span<const SplitLoop> splits, const Asked& asked) {
  TokenPlans plans{lower(module, Target::Warp, asked), std::nullopt};
  if (!splits.empty()) plans.parts = lower_parts(module, splits, asked);
  return plans;
}

const ir::Stmt& statement_at(const ir::Rule& rule, const std::vector<std::uint32_t>& path) {
  return *find_statement(rule, path);
}

const Stmt* find_statement(const ir::Rule& rule, const Path& path) {
  const ir::Block* block = &rule.body;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] >= block->size()) return nullptr;
    const Stmt& s = *(*block)[path[i]];
    if (i + 1 == path.size()) return &s;
    if (path[++i] > 1) return nullptr;
    block = path[i] == 0 ? &s.body : &s.orelse;
  }
  return nullptr;
}

}  // namespace sluice::plan
