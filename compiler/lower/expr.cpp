#include "compiler/lower/expr.h"

#include <algorithm>

namespace sluice::lower {

ir::ExprPtr node(ir::Op o, ir::Type t, ir::Range r, Span span) {
  auto e = std::make_unique<ir::Expr>();
  e->op = o;
  e->type = t;
  e->range = r;
  e->span = span;
  return e;
}

ir::ExprPtr constant(std::uint64_t value, Span span) {
  ir::ExprPtr e = node(ir::Op::Const, ir::kU64, {static_cast<ir::i128>(value), static_cast<ir::i128>(value)}, span);
  e->imm = value;
  return e;
}

ir::ExprPtr truth(ir::Op o, Span span, ir::ExprPtr a, ir::ExprPtr b) {
  ir::ExprPtr e = node(o, ir::kBool, {0, 1}, span);
  if (a) e->kids.push_back(std::move(a));
  if (b) e->kids.push_back(std::move(b));
  return e;
}

ir::ExprPtr fits(const model::Expr& e, model::Type t) {
  ir::ExprPtr check = truth(ir::Op::Fits, e.span, plain(e));
  check->cast_type = t;
  return check;
}

ir::ExprPtr lies_in(const model::Expr& e, model::Range r) {
  // A bound past the operand's own sign is never crossed: only bounds that its type can hold are compared.
  const auto compare = [&](ir::Op o, model::i128 bound) {
    ir::ExprPtr c = node(ir::Op::Const, e.type.is_signed ? ir::kI64 : ir::kU64, {bound, bound}, e.span);
    c->imm = static_cast<std::uint64_t>(bound);
    return truth(o, e.span, plain(e), std::move(c));
  };
  ir::ExprPtr low = e.range.lo < r.lo ? compare(ir::Op::Ge, r.lo) : nullptr;
  ir::ExprPtr high = e.range.hi > r.hi ? compare(ir::Op::Le, r.hi) : nullptr;
  if (!low || !high) return low ? std::move(low) : std::move(high);
  return truth(ir::Op::LogAnd, e.span, std::move(low), std::move(high));
}

ir::ExprPtr plain(const model::Expr& e) {
  ir::ExprPtr out = node(e.op, e.type, e.range, e.span);
  out->imm = e.imm;
  out->ref = e.ref;
  out->algo = e.algo;
  out->stream = e.stream;
  out->flag = e.flag;
  for (const auto& kid : e.kids) out->kids.push_back(plain(*kid));
  return out;
}

ir::ExprPtr unsigned_word(const model::Expr& e) {
  if (e.range.lo >= 0) return fitted_word(e);
  ir::ExprPtr word = node(ir::Op::Cast, ir::kU64, ir::range_of(ir::kU64), e.span);
  word->kids.push_back(plain(e));
  return word;
}

ir::ExprPtr fitted_word(const model::Expr& e) {
  if (!e.type.is_signed) return plain(e);
  ir::ExprPtr word = node(ir::Op::Cast, ir::kU64, {std::max<ir::i128>(e.range.lo, 0), e.range.hi}, e.span);
  word->kids.push_back(plain(e));
  return word;
}

}  // namespace sluice::lower
