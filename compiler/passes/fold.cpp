#include "compiler/passes/fold.h"

#include <utility>

#include "compiler/analysis/eval.h"
#include "compiler/analysis/walk.h"
#include "dsl/model/comparison.h"

namespace sluice::passes {
namespace {

using ir::Expr;
using ir::ExprPtr;
using ir::Op;

bool is_const(const Expr& expr, std::uint64_t value) { return expr.op == Op::Const && expr.imm == value; }

bool commutes(Op op) {
  return op == Op::Add || op == Op::Mul || op == Op::BitAnd || op == Op::BitOr || op == Op::BitXor;
}

// Ops for which (x op c1) op c2 is x op (c1 op c2).
bool associates(Op op) { return commutes(op) || op == Op::LogAnd || op == Op::LogOr; }

// x op c is x.
bool is_identity(Op op, const Expr& x, const Expr& c) {
  if (c.op != Op::Const) return false;
  switch (op) {
    case Op::Add:
    case Op::Sub:
    case Op::BitOr:
    case Op::BitXor:
    case Op::Shl:
    case Op::Shr:
    case Op::LogOr:
      return c.imm == 0;
    case Op::Mul:
    case Op::Div:
    case Op::LogAnd:
      return c.imm == 1;
    case Op::BitAnd: {
      // A mask of low ones that the value never exceeds.
      const bool low_ones = (c.imm & (c.imm + 1)) == 0;
      return low_ones && x.range.lo >= 0 && x.range.hi <= static_cast<ir::i128>(c.imm);
    }
    default:
      return false;
  }
}

// May `kid` stand where `whole` stood? Ordering, division and shifts look at the signedness, tests want a u1.
bool interchangeable(const Expr& whole, const Expr& kid) {
  return whole.type.is_signed == kid.type.is_signed && (whole.type != ir::kBool || kid.type == ir::kBool);
}

bool replace_by_kid(ExprPtr& expr, std::size_t which) {
  if (!interchangeable(*expr, *expr->kids[which])) return false;
  ExprPtr kid = std::move(expr->kids[which]);
  expr = std::move(kid);
  return true;
}

bool fold_constant(const ir::Module& module, ExprPtr& expr) {
  if (expr->op == Op::Const) return false;
  const auto value = analysis::evaluate(module, *expr, [](const Expr&) { return std::nullopt; });
  if (!value || analysis::has_output_checksum(*expr)) return false;
  auto constant = std::make_unique<Expr>();
  constant->type = expr->type;
  const ir::i128 exact = analysis::value_of(*value, constant->type);
  constant->range = {exact, exact};
  constant->imm = *value;
  constant->span = expr->span;
  expr = std::move(constant);
  return true;
}

bool fold_binary(ExprPtr& expr) {
  Expr& e = *expr;
  if (commutes(e.op) && e.kids[0]->op == Op::Const && e.kids[1]->op != Op::Const) {
    // The first operand's signedness means nothing to these.
    std::swap(e.kids[0], e.kids[1]);
    return true;
  }
  if (is_identity(e.op, *e.kids[0], *e.kids[1])) return replace_by_kid(expr, 0);
  if ((e.op == Op::LogAnd && is_const(*e.kids[0], 1)) || (e.op == Op::LogOr && is_const(*e.kids[0], 0)))
    return replace_by_kid(expr, 1);
  Expr& inner = *e.kids[0];
  if (associates(e.op) && inner.op == e.op && e.kids[1]->op == Op::Const && inner.kids[1]->op == Op::Const) {
    std::uint64_t& c = e.kids[1]->imm;
    const std::uint64_t c1 = inner.kids[1]->imm;
    switch (e.op) {
      case Op::Add:
        c += c1;
        break;
      case Op::Mul:
        c *= c1;
        break;
      case Op::BitXor:
        c ^= c1;
        break;
      case Op::BitOr:
      case Op::LogOr:
        c |= c1;
        break;
      default:
        c &= c1;
        break;
    }
    e.kids[1]->type = e.kids[1]->type.is_signed ? ir::kI64 : ir::kU64;
    const ir::i128 exact = analysis::value_of(c, e.kids[1]->type);
    e.kids[1]->range = {exact, exact};
    ExprPtr x = std::move(inner.kids[0]);
    e.kids[0] = std::move(x);
    return true;
  }
  return false;
}

bool fold_here(const ir::Module& module, ExprPtr& expr) {
  if (fold_constant(module, expr)) return true;
  Expr& e = *expr;
  switch (e.op) {
    case Op::LogNot: {
      Expr& kid = *e.kids[0];
      if (kid.op == Op::LogNot) {
        ExprPtr inner = std::move(kid.kids[0]);
        expr = std::move(inner);
        return true;
      }
      if (!model::is_comparison(kid.op)) return false;
      kid.op = model::negated(kid.op);
      kid.range = model::negated(kid.range);
      return replace_by_kid(expr, 0);
    }
    case Op::Select:
      if (e.kids[0]->op == Op::Const) return replace_by_kid(expr, e.kids[0]->imm != 0 ? 1 : 2);
      return analysis::same(*e.kids[1], *e.kids[2]) && replace_by_kid(expr, 1);
    case Op::Cast: {
      const ir::Range fits = ir::range_of(e.type), has = e.kids[0]->range;
      return has.lo >= fits.lo && has.hi <= fits.hi && replace_by_kid(expr, 0);
    }
    default:
      return e.kids.size() == 2 && fold_binary(expr);
  }
}

}  // namespace

bool fold(const ir::Module& module, ExprPtr& expr) {
  bool changed = false;
  for (ExprPtr& kid : expr->kids) changed |= fold(module, kid);
  while (fold_here(module, expr)) changed = true;
  return changed;
}

bool fold(ir::Module& module) {
  bool changed = false;
  for (ir::Rule& rule : module.rules)
    analysis::for_each_stmt_mutable(rule.body, [&](ir::Stmt& stmt) {
      analysis::for_each_expr_ptr(stmt, [&](ExprPtr& expr) { changed |= fold(module, expr); });
    });
  return changed;
}

}  // namespace sluice::passes
