// Run-time checks in front of what could fail.
//
//   a[i] / n      check (lt i count); check (ne n 0)
//
// Both operands of `and`, `or` and `select` are evaluated, so their checks stand in front of the statement too.
#include <fmt/format.h>

#include "compiler/ir/names.h"
#include "compiler/lower/expr.h"
#include "compiler/lower/rule.h"

namespace sluice::lower {

using model::Op;

namespace {

// A bound of a declared range: it fits 64 bits of one sign or the other.
std::string number(model::i128 v) {
  return v < 0 ? std::to_string(static_cast<std::int64_t>(v)) : std::to_string(static_cast<std::uint64_t>(v));
}

}  // namespace

std::string misfit(model::Type t, std::string_view into) {
  if (t == model::kU64) return fmt::format("is negative as {}", into);
  const model::Range r = model::range_of(t);
  return fmt::format("does not fit {}: {}{} is {} to {}", into, t.is_signed ? 'i' : 'u', t.bits,
                     static_cast<std::int64_t>(r.lo), static_cast<std::uint64_t>(r.hi));
}

std::string no_index(std::string_view of, std::uint64_t count) {
  return fmt::format("is not an index of `{}`, which has {} element{}", of, count, count == 1 ? "" : "s");
}

ir::SiteId RuleLowering::site(ir::Reason reason, Span span, const std::string& clause, std::string wrong) {
  ir::Site s;
  s.rule = rule_;
  s.clause = ++clauses_;
  s.reason = reason;
  s.name = clause.empty() ? std::string(ir::name(reason)) : clause;
  s.span = span;
  s.wrong = std::move(wrong);
  module_.sites.push_back(std::move(s));
  return static_cast<ir::SiteId>(module_.sites.size() - 1);
}

void RuleLowering::check(ir::Block& out, ir::ExprPtr condition, ir::Reason reason, Span span, const std::string& clause,
                         std::string wrong) {
  auto s = std::make_unique<ir::Stmt>();
  s->kind = ir::Stmt::Kind::Check;
  s->span = span;
  s->name = clause;
  s->a = std::move(condition);
  s->sites[0] = site(reason, span, clause, std::move(wrong));
  out.push_back(std::move(s));
}

void RuleLowering::in_range(ir::Block& out, ir::ExprPtr condition, Span span, std::string wrong) {
  check(out, std::move(condition), ir::Reason::OutOfRange, span, {}, std::move(wrong));
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
  const std::string overflows = e.type.is_signed ? "does not fit 64 bits with a sign" : "does not fit 64 bits";
  switch (e.op) {
    case Op::Elem:
    case Op::TableElem: {
      const bool array = e.op == Op::Elem;
      const std::uint64_t count = array ? format_.arrays[e.ref].count : format_.tables[e.ref].values.size();
      in_range(out, truth(ir::Op::Lt, e.span, kid(0), constant(count, e.span)), e.kids[0]->span,
               no_index(array ? format_.arrays[e.ref].name : format_.tables[e.ref].name, count));
      return;
    }
    case Op::Add:
      in_range(out, exact(ir::Op::AddOk, kid(0), kid(1)), e.span, overflows);
      return;
    case Op::Sub:
      in_range(out, exact(ir::Op::SubOk, kid(0), kid(1)), e.span, overflows);
      return;
    case Op::Mul:
      in_range(out, exact(ir::Op::MulOk, kid(0), kid(1)), e.span, overflows);
      return;
    case Op::Neg:
      in_range(out, exact(ir::Op::SubOk, constant(0, e.span), kid(0)), e.span, overflows);
      return;
    case Op::Div:
    case Op::Rem: {
      const model::Range b = e.kids[1]->range;
      if (b.lo <= 0 && b.hi >= 0)
        check(out, truth(ir::Op::Ne, e.span, kid(1), constant(0, e.span)), ir::Reason::DivideByZero, e.kids[1]->span,
              {}, "is 0 as a divisor");
      if (!e.kids[0]->type.is_signed || b.lo > -1 || b.hi < -1) return;
      const auto extreme = [&](std::size_t i, std::int64_t value) {
        ir::ExprPtr c = constant(static_cast<std::uint64_t>(value), e.span);
        c->type = ir::kI64;
        c->range = {value, value};
        return truth(ir::Op::Ne, e.span, kid(i), std::move(c));
      };
      in_range(out, truth(ir::Op::LogOr, e.span, extreme(0, INT64_MIN), extreme(1, -1)), e.span, overflows);
      return;
    }
    case Op::Shl:
    case Op::Shr:
      in_range(out, truth(ir::Op::Lt, e.span, kid(1), constant(64, e.span)), e.kids[1]->span,
               "is not a shift of 0 to 63 bits");
      return;
    case Op::SignExtend: {
      ir::ExprPtr one_up = truth(ir::Op::Ge, e.span, kid(1), constant(1, e.span));
      ir::ExprPtr small = truth(ir::Op::Le, e.span, kid(1), constant(64, e.span));
      in_range(out, truth(ir::Op::LogAnd, e.span, std::move(one_up), std::move(small)), e.kids[1]->span,
               "is not a width of 1 to 64 bits");
      return;
    }
    case Op::Peek:
      check(out, truth(ir::Op::Aligned, e.span, nullptr), ir::Reason::Unaligned, e.span, {}, kUnaligned);
      return;
    default:
      return;
  }
}

void RuleLowering::fitting(const model::Expr& e, model::Type t, ir::Block& out, std::string_view into) {
  checks(&e, out);
  if (!model::within(e.range, model::range_of(t))) in_range(out, fits(e, t), e.span, misfit(t, into));
}

void RuleLowering::fitting(const model::Expr& e, model::Type t, const std::optional<model::Range>& declared,
                           ir::Block& out, std::string_view into) {
  if (!declared) return fitting(e, t, out, into);
  checks(&e, out);
  if (model::within(e.range, *declared)) return;
  const std::string low = number(declared->lo), high = number(declared->hi);
  in_range(out, lies_in(e, *declared), e.span, fmt::format("does not fit {}: it is {} to {}", into, low, high));
}

}  // namespace sluice::lower
