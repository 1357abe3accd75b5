#include "compiler/passes/decide.h"

#include <algorithm>
#include <optional>

#include "compiler/analysis/walk.h"
#include "dsl/model/comparison.h"

namespace sluice::passes {
namespace {

using ir::Expr;
using ir::i128;
using ir::Op;
using ir::Range;

// The operand's range as the comparison reads it: with the first operand's signedness. nullopt when the operand's own
// signedness differs and its values do not mean the same in both.
std::optional<Range> read_as(const Expr& expr, bool is_signed) {
  if (expr.type.is_signed != is_signed && !value::within(expr.range, ir::range_of({63, false}))) return std::nullopt;
  return expr.range;
}

std::optional<bool> overflow_free(const Expr& e) {
  // Ranges hold 65 bits at most, so sums are exact; a product of two unsigned words may need one bit more than i128
  // has, and is left alone then.
  const ir::Type word{64, e.kids[0]->type.is_signed};
  const std::optional<Range> a = read_as(*e.kids[0], word.is_signed), b = read_as(*e.kids[1], word.is_signed);
  if (!a || !b) return std::nullopt;
  Range all;
  if (e.op == Op::AddOk) {
    all = {a->lo + b->lo, a->hi + b->hi};
  } else if (e.op == Op::SubOk) {
    all = {a->lo - b->hi, a->hi - b->lo};
  } else {
    const Range small = ir::range_of({63, false});
    const Range least = {-small.hi - 1, small.hi};
    if (!value::within(*a, least) || !value::within(*b, least)) return std::nullopt;
    const auto [lo, hi] = std::minmax({a->lo * b->lo, a->lo * b->hi, a->hi * b->lo, a->hi * b->hi});
    all = {lo, hi};
  }
  if (value::within(all, ir::range_of(word))) return true;
  if (value::disjoint(all, ir::range_of(word))) return false;
  return std::nullopt;
}

std::optional<bool> decided(const Expr& e) {
  switch (e.op) {
    case Op::Eq:
    case Op::Ne:
    case Op::Lt:
    case Op::Le:
    case Op::Gt:
    case Op::Ge: {
      const bool is_signed = e.kids[0]->type.is_signed;
      const auto a = read_as(*e.kids[0], is_signed), b = read_as(*e.kids[1], is_signed);
      if (!a || !b) return std::nullopt;
      const Range truth = model::truth_of(e.op, *a, *b);
      return truth.lo == truth.hi ? std::optional(truth.lo != 0) : std::nullopt;
    }
    case Op::Fits: {
      const Range target = ir::range_of(e.cast_type);
      if (value::within(e.kids[0]->range, target)) return true;
      if (value::disjoint(e.kids[0]->range, target)) return false;
      return std::nullopt;
    }
    case Op::AddOk:
    case Op::SubOk:
    case Op::MulOk:
      return overflow_free(e);
    default:
      return std::nullopt;
  }
}

bool decide(Expr& expr) {
  bool changed = false;
  for (const ir::ExprPtr& kid : expr.kids) changed |= decide(*kid);
  const std::optional<bool> truth = decided(expr);
  if (!truth || analysis::has_output_checksum(expr)) return changed;
  expr.op = Op::Const;
  expr.imm = *truth ? 1 : 0;
  expr.range = {*truth ? 1 : 0, *truth ? 1 : 0};
  expr.type = ir::kBool;
  expr.cast_type = ir::kU64;
  expr.kids.clear();
  return true;
}

}  // namespace

bool decide(ir::Module& module) {
  bool changed = false;
  for (ir::Rule& rule : module.rules)
    analysis::for_each_stmt_mutable(rule.body, [&](ir::Stmt& stmt) {
      analysis::for_each_expr_ptr(stmt, [&](ir::ExprPtr& expr) { changed |= decide(*expr); });
    });
  return changed;
}

}  // namespace sluice::passes
