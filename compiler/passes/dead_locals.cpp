#include "compiler/passes/dead_locals.h"

#include <vector>

#include "compiler/analysis/walk.h"

namespace sluice::passes {
namespace {

using ir::Stmt;

template <typename Visit>
void each_local(Stmt& stmt, const Visit& visit) {
  const auto node = [&](const auto& self, ir::Expr& expr) -> void {
    if (expr.op == ir::Op::Local) visit(expr);
    for (ir::ExprPtr& kid : expr.kids) self(self, *kid);
  };
  analysis::for_each_expr_ptr(stmt, [&](ir::ExprPtr& expr) { node(node, *expr); });
}

bool drop_assignments(ir::Block& block, const std::vector<bool>& is_read) {
  std::size_t dropped = std::erase_if(block, [&](const std::unique_ptr<Stmt>& stmt) {
    return stmt->kind == Stmt::Kind::SetLocal && !is_read[stmt->slot];
  });
  bool changed = dropped != 0;
  for (auto& stmt : block) {
    if (stmt->slot != Stmt::kNoSlot && !is_read[stmt->slot]) {
      stmt->slot = Stmt::kNoSlot;
      changed = true;
    }
    changed |= drop_assignments(stmt->body, is_read);
    changed |= drop_assignments(stmt->orelse, is_read);
  }
  return changed;
}

bool dead_locals(ir::Rule& rule) {
  std::vector<bool> is_read(rule.slots.size(), false);
  analysis::for_each_stmt_mutable(
      rule.body, [&](Stmt& stmt) { each_local(stmt, [&](ir::Expr& local) { is_read[local.ref] = true; }); });
  const bool changed = drop_assignments(rule.body, is_read);

  // Nothing names an unread slot any more, so it can go.
  std::vector<std::uint32_t> moved(rule.slots.size(), Stmt::kNoSlot);
  std::vector<ir::Slot> kept;
  for (std::uint32_t slot = 0; slot < rule.slots.size(); ++slot) {
    if (!is_read[slot] && slot >= rule.params) continue;
    moved[slot] = static_cast<std::uint32_t>(kept.size());
    kept.push_back(std::move(rule.slots[slot]));
  }
  const bool closed_up = kept.size() != rule.slots.size();
  rule.slots = std::move(kept);
  if (!closed_up) return changed;
  analysis::for_each_stmt_mutable(rule.body, [&](Stmt& stmt) {
    if (stmt.slot != Stmt::kNoSlot) stmt.slot = moved[stmt.slot];
    each_local(stmt, [&](ir::Expr& local) { local.ref = moved[local.ref]; });
  });
  return true;
}

}  // namespace

bool dead_locals(ir::Module& module) {
  bool changed = false;
  for (ir::Rule& rule : module.rules) changed |= dead_locals(rule);
  return changed;
}

}  // namespace sluice::passes
