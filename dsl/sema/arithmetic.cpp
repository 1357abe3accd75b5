// + - * / % << >> & | ^ and unary minus: types, exact ranges, and what must be checked at run time.
//
//   a: u8, b: u8      a + b      u64, 0..510 known to fit: no check
//   n: u64            n + 1      u64, checked: 2^64 does not fit
//   n: u8             n - 1      i64, -1..254
//   a <= b known      b - a      not checked
#include <fmt/format.h>

#include "dsl/sema/body.h"

namespace sluice::sema {

using model::Op;

namespace {

Range exact_range(Op op, Range a, Range b) {
  switch (op) {
    case Op::Add:
      return add(a, b);
    case Op::Sub:
      return sub(a, b);
    default:
      return mul(a, b);
  }
}

}  // namespace

// 0 - a: unsigned when nothing in the result is negative, which holds -(-2^63); checked when only part of it fits.
model::ExprPtr Body::negate(ExprPtr a, Span span) {
  const Range exact = sub({0, 0}, a->range);
  const std::optional<Type> type = type_for(exact);
  if (!type && !model::within(a->range, kI64Range)) {
    context_.sink.error(Code::MixedSigns, span, "the negative of a value of 2^63 or more does not fit 64 bits")
        .help("convert the value first: `-(x as i64)`");
    return nullptr;
  }
  // Values on both sides of 0, among them -2^63: that one has no negative in 64 bits with a sign.
  const Range range = type ? exact : *intersect(exact, kI64Range);
  std::vector<ExprPtr> kids;
  kids.push_back(std::move(a));
  ExprPtr e = make(Op::Neg, type.value_or(model::kI64), range, span, std::move(kids));
  e->checked = !type;
  return e;
}

model::ExprPtr Body::arithmetic(Op op, bool wraps, ExprPtr a, ExprPtr b, Span span) {
  const Range exact = exact_range(op, a->range, b->range);
  const bool natural = model::within(a->range, kU64Range) && model::within(b->range, kU64Range);
  const bool integer = model::within(a->range, kI64Range) && model::within(b->range, kI64Range);
  std::optional<Type> type = type_for(exact);
  bool checked = false;
  Range range = exact;
  if (!type) {
    if (!natural && !integer && !wraps) {
      unify(a, b, span);  // reports
      return nullptr;
    }
    type = wraps     ? (a->range.lo < 0 || b->range.lo < 0 ? model::kI64 : model::kU64)
           : natural ? model::kU64
                     : model::kI64;
    checked = !wraps;
    const auto fitting = intersect(exact, model::range_of(*type));
    const bool constant = a->op == Op::Const && b->op == Op::Const;
    if (checked && (!fitting || constant)) {
      context_.sink.error(Code::ConstantOverflow, span, "the result never fits 64 bits")
          .help(fmt::format("`{0}%` wraps instead", op == Op::Add   ? '+'
                                                    : op == Op::Sub ? '-'
                                                                    : '*'));
      return nullptr;
    }
    range = wraps ? model::range_of(*type) : *fitting;
    if (wraps && constant) {
      const auto bits = static_cast<std::uint64_t>(exact.lo);  // modulo 2^64
      return literal(type->is_signed ? i128{static_cast<std::int64_t>(bits)} : i128{bits}, *type, span);
    }
  }
  std::vector<ExprPtr> kids;
  kids.push_back(std::move(a));
  kids.push_back(std::move(b));
  ExprPtr e = make(op, *type, range, span, std::move(kids));
  if (e->op == Op::Const) return e;
  e->wraps = wraps;
  const Range known = intersect(exact, facts_.exact_range_of(*e).value_or(exact)).value_or(exact);
  e->checked = checked && !model::within(known, model::range_of(*type));
  return e;
}

model::ExprPtr Body::divide(Op op, ExprPtr a, ExprPtr b, Span span) {
  if (!unify(a, b, span)) return nullptr;
  if (b->range.lo == 0 && b->range.hi == 0) {
    context_.sink.error(Code::DivisionByZero, b->span, "the divisor is always 0");
    return nullptr;
  }
  const bool zero = !model::disjoint(b->range, {0, 0});
  // -2^63 / -1 is the one quotient that does not fit.
  const bool too_large = a->type.is_signed && a->range.lo == kI64Range.lo && !model::disjoint(b->range, {-1, -1});
  const Type type = a->type.is_signed ? model::kI64 : model::kU64;
  const Range range = op == Op::Div ? sema::divide(a->range, b->range) : remainder(a->range, b->range);
  if (too_large && a->op == Op::Const && b->op == Op::Const) {
    context_.sink.error(Code::ConstantOverflow, span, "the result never fits 64 bits");
    return nullptr;
  }
  std::vector<ExprPtr> kids;
  kids.push_back(std::move(a));
  kids.push_back(std::move(b));
  ExprPtr e = make(op, type, range, span, std::move(kids));
  if (e->op != Op::Const) e->checked = zero || too_large;
  return e;
}

model::ExprPtr Body::shift(Op op, ExprPtr a, ExprPtr b, Span span) {
  const Range amount{0, 63};
  if (model::disjoint(b->range, amount)) {
    context_.sink.error(Code::ShiftTooFar, b->span, "a 64-bit value can be shifted by 0 to 63 bits only");
    return nullptr;
  }
  const bool checked = !model::within(b->range, amount);
  const bool is_signed = a->range.lo < 0;
  const Type type = is_signed ? model::kI64 : model::kU64;
  Range range = op == Op::Shl ? shift_left(a->range, b->range) : shift_right(a->range, b->range);
  if (!model::within(range, model::range_of(type))) {  // bits shifted out are lost
    if (a->op == Op::Const && b->op == Op::Const) {
      const std::uint64_t bits = a->imm << b->imm;
      return literal(is_signed ? i128{static_cast<std::int64_t>(bits)} : i128{bits}, type, span);
    }
    range = model::range_of(type);
  }
  std::vector<ExprPtr> kids;
  kids.push_back(as_signed(std::move(a), is_signed));
  kids.push_back(as_signed(std::move(b), false));
  ExprPtr e = make(op, type, range, span, std::move(kids));
  e->checked = checked;
  return e;
}

model::ExprPtr Body::bits(Op op, ExprPtr a, ExprPtr b, Span span) {
  const bool a_negative = a->range.lo < 0, b_negative = b->range.lo < 0;
  const bool is_signed = op == Op::BitAnd ? a_negative && b_negative : a_negative || b_negative;
  if (is_signed && !unify(a, b, span)) return nullptr;
  const Range range = op == Op::BitAnd  ? bit_and(a->range, b->range)
                      : op == Op::BitOr ? bit_or(a->range, b->range)
                                        : bit_xor(a->range, b->range);
  const Type type = is_signed ? model::kI64 : model::kU64;
  std::vector<ExprPtr> kids;
  kids.push_back(as_signed(std::move(a), is_signed));
  kids.push_back(as_signed(std::move(b), is_signed));
  return make(op, type, range, span, std::move(kids));
}

}  // namespace sluice::sema
