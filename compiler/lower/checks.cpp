// Run-time checks in front of what could fail.
//
//   a[i] / n      check (lt i count); check (ne n 0)
//
// Both operands of `and`, `or` and `select` are evaluated, so their checks stand in front of the statement too.
#include "compiler/ir/names.h"
#include "compiler/lower/expr.h"
#include "compiler/lower/rule.h"

namespace sluice::lower {

using model::Op;

ir::SiteId RuleLowering::site(ir::Reason reason, Span span, const std::string& clause) {
  ir::Site s;
  s.rule = rule_;
  s.clause = ++clauses_;
  s.reason = reason;
  s.name = clause.empty() ? std::string(ir::name(reason)) : clause;
  s.span = span;
  module_.sites.push_back(std::move(s));
  return static_cast<ir::SiteId>(module_.sites.size() - 1);
}

void RuleLowering::check(ir::Block& out, ir::ExprPtr condition, ir::Reason reason, Span span,
                         const std::string& clause) {
  auto s = std::make_unique<ir::Stmt>();
  s->kind = ir::Stmt::Kind::Check;
  s->span = span;
  s->name = clause;
  s->a = std::move(condition);
  s->sites[0] = site(reason, span, clause);
  out.push_back(std::move(s));
}

void RuleLowering::checks(const model::Expr* e, ir::Block& out) {
  if (e == nullptr) return;
  for (const auto& kid : e->kids) checks(kid.get(), out);
  if (e->checked) check_node(*e, out);
}

void RuleLowering::check_node(const model::Expr& e, ir::Block& out) {
  const auto kid = [&](std::size_t i) { return plain(*e.kids[i]); };
  const auto exact = [&](ir::Op ok, ir::ExprPtr a, ir::ExprPtr b) {
    // AddOk and its like read their operands as the result's type says; the words are the same.
    const ir::Type word = e.type.is_signed ? ir::kI64 : ir::kU64;
    for (ir::ExprPtr* x : {&a, &b}) {
      if ((*x)->type.is_signed == word.is_signed) continue;
      ir::ExprPtr cast = node(ir::Op::Cast, word, (*x)->range, (*x)->span);
      cast->kids.push_back(std::move(*x));
      *x = std::move(cast);
    }
    ir::ExprPtr c = truth(ok, e.span, std::move(a), std::move(b));
    c->cast_type = word;
    return c;
  };
  switch (e.op) {
    case Op::Elem:
    case Op::TableElem: {
      const std::uint64_t count = e.op == Op::Elem ? format_.arrays[e.ref].count : format_.tables[e.ref].values.size();
      check(out, truth(ir::Op::Lt, e.span, kid(0), constant(count, e.span)), ir::Reason::OutOfRange, e.kids[0]->span);
      return;
    }
    case Op::Add:
      check(out, exact(ir::Op::AddOk, kid(0), kid(1)), ir::Reason::OutOfRange, e.span);
      return;
    case Op::Sub:
      check(out, exact(ir::Op::SubOk, kid(0), kid(1)), ir::Reason::OutOfRange, e.span);
      return;
    case Op::Mul:
      check(out, exact(ir::Op::MulOk, kid(0), kid(1)), ir::Reason::OutOfRange, e.span);
      return;
    case Op::Neg:
      check(out, exact(ir::Op::SubOk, constant(0, e.span), kid(0)), ir::Reason::OutOfRange, e.span);
      return;
    case Op::Div:
    case Op::Rem: {
      const model::Range b = e.kids[1]->range;
      if (b.lo <= 0 && b.hi >= 0)
        check(out, truth(ir::Op::Ne, e.span, kid(1), constant(0, e.span)), ir::Reason::DivideByZero, e.kids[1]->span);
      if (!e.kids[0]->type.is_signed || b.lo > -1 || b.hi < -1) return;
      const auto extreme = [&](std::size_t i, std::int64_t value) {
        ir::ExprPtr c = constant(static_cast<std::uint64_t>(value), e.span);
        c->type = ir::kI64;
        c->range = {value, value};
        return truth(ir::Op::Ne, e.span, kid(i), std::move(c));
      };
      check(out, truth(ir::Op::LogOr, e.span, extreme(0, INT64_MIN), extreme(1, -1)), ir::Reason::OutOfRange, e.span);
      return;
    }
    case Op::Shl:
    case Op::Shr:
      check(out, truth(ir::Op::Lt, e.span, kid(1), constant(64, e.span)), ir::Reason::OutOfRange, e.kids[1]->span);
      return;
    case Op::SignExtend: {
      ir::ExprPtr one_up = truth(ir::Op::Ge, e.span, kid(1), constant(1, e.span));
      ir::ExprPtr small = truth(ir::Op::Le, e.span, kid(1), constant(64, e.span));
      check(out, truth(ir::Op::LogAnd, e.span, std::move(one_up), std::move(small)), ir::Reason::OutOfRange,
            e.kids[1]->span);
      return;
    }
    case Op::Peek:
      check(out, truth(ir::Op::Aligned, e.span, nullptr), ir::Reason::Unaligned, e.span);
      return;
    default:
      return;
  }
}

void RuleLowering::fitting(const model::Expr& e, model::Type t, ir::Block& out) {
  checks(&e, out);
  if (!model::within(e.range, model::range_of(t))) check(out, fits(e, t), ir::Reason::OutOfRange, e.span);
}

void RuleLowering::fitting(const model::Expr& e, model::Type t, const std::optional<model::Range>& declared,
                           ir::Block& out) {
  if (!declared) return fitting(e, t, out);
  checks(&e, out);
  if (!model::within(e.range, *declared)) check(out, lies_in(e, *declared), ir::Reason::OutOfRange, e.span);
}

}  // namespace sluice::lower
