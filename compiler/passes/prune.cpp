#include "compiler/passes/prune.h"

#include <utility>

namespace sluice::passes {
namespace {

using ir::Block;
using ir::Stmt;
using K = Stmt::Kind;

bool is_const(const ir::ExprPtr& expr, std::uint64_t value) {
  return expr && expr->op == ir::Op::Const && expr->imm == value;
}

// Nothing after the statement runs.
bool never_falls_through(const Stmt& stmt) {
  switch (stmt.kind) {
    case K::Stop:
    case K::Return:
    case K::Reject:
    case K::Accept:
      return true;
    case K::Check:
      return is_const(stmt.a, 0);
    case K::If:
      return !stmt.body.empty() && !stmt.orelse.empty() && never_falls_through(*stmt.body.back()) &&
             never_falls_through(*stmt.orelse.back());
    default:
      return false;
  }
}

bool does_nothing(const Stmt& stmt) {
  switch (stmt.kind) {
    case K::Check:
      return is_const(stmt.a, 1);
    case K::If:
      return stmt.body.empty() && stmt.orelse.empty();
    case K::Loop:
      return stmt.loop == ir::LoopKind::Times && (is_const(stmt.a, 0) || stmt.body.empty());
    case K::SetLocal:
      return stmt.a->op == ir::Op::Local && stmt.a->ref == stmt.slot;
    default:
      return false;
  }
}

void negate(ir::ExprPtr& condition) {
  auto opposite = std::make_unique<ir::Expr>();
  opposite->op = ir::Op::LogNot;
  opposite->type = ir::kBool;
  opposite->range = {1 - condition->range.hi, 1 - condition->range.lo};
  opposite->span = condition->span;
  opposite->kids.push_back(std::move(condition));
  condition = std::move(opposite);
}

bool prune(Block& block) {
  bool changed = false;
  Block kept;
  kept.reserve(block.size());
  const auto keep = [&](std::unique_ptr<Stmt> stmt) {
    if (!kept.empty() && never_falls_through(*kept.back()))
      changed = true;
    else
      kept.push_back(std::move(stmt));
  };
  for (auto& stmt : block) {
    changed |= prune(stmt->body);
    changed |= prune(stmt->orelse);
    if (stmt->kind == K::If && stmt->a->op == ir::Op::Const) {
      for (auto& inner : stmt->a->imm != 0 ? stmt->body : stmt->orelse) keep(std::move(inner));
      changed = true;
      continue;
    }
    if (does_nothing(*stmt)) {
      changed = true;
      continue;
    }
    if (stmt->kind == K::If && stmt->body.empty()) {
      negate(stmt->a);
      std::swap(stmt->body, stmt->orelse);
      changed = true;
    }
    keep(std::move(stmt));
  }
  block = std::move(kept);
  return changed;
}

}  // namespace

bool prune(ir::Module& module) {
  bool changed = false;
  for (ir::Rule& rule : module.rules) changed |= prune(rule.body);
  return changed;
}

}  // namespace sluice::passes
