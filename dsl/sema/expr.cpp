// Expressions: dispatch, constants, signs, comparisons and conditions. Arithmetic is in arithmetic.cpp, names and
// built-in words in primary.cpp.
#include <fmt/format.h>

#include "dsl/model/comparison.h"
#include "dsl/sema/body.h"
#include "dsl/sema/types.h"

namespace sluice::sema {

using model::Op;

namespace {

std::optional<Op> binary_op(const std::string& text) {
  static constexpr struct {
    const char* text;
    Op op;
  } kOps[] = {{"+", Op::Add},    {"-", Op::Sub},  {"*", Op::Mul},  {"+%", Op::Add},   {"-%", Op::Sub},
              {"*%", Op::Mul},   {"/", Op::Div},  {"%", Op::Rem},  {"&", Op::BitAnd}, {"|", Op::BitOr},
              {"^", Op::BitXor}, {"<<", Op::Shl}, {">>", Op::Shr}, {"==", Op::Eq},    {"!=", Op::Ne},
              {"<", Op::Lt},     {"<=", Op::Le},  {">", Op::Gt},   {">=", Op::Ge},    {"and", Op::LogAnd},
              {"or", Op::LogOr}};
  for (const auto& o : kOps)
    if (text == o.text) return o.op;
  return std::nullopt;
}

}  // namespace

model::ExprPtr Body::literal(i128 value, Type type, Span span) {
  auto e = std::make_unique<Expr>();
  e->op = Op::Const;
  e->type = type;
  e->range = {value, value};
  e->imm = static_cast<std::uint64_t>(value);
  e->span = span;
  return e;
}

// A node, or a constant when all its operands are and its range is one point.
model::ExprPtr Body::make(Op op, Type type, Range range, Span span, std::vector<ExprPtr> kids) {
  bool constant = !kids.empty() && range.lo == range.hi;
  for (const ExprPtr& kid : kids) constant = constant && kid->op == Op::Const;
  if (constant) return literal(range.lo, type, span);
  auto e = std::make_unique<Expr>();
  e->op = op;
  e->type = type;
  e->range = intersect(range, model::range_of(type)).value_or(model::range_of(type));
  e->span = span;
  e->kids = std::move(kids);
  return e;
}

// The same value in a 64-bit type of that sign; the caller knows that it fits (or wants the bits).
model::ExprPtr Body::as_signed(ExprPtr e, bool is_signed) {
  const Type type = is_signed ? model::kI64 : model::kU64;
  if (e->op == Op::Const) {  // the same bits, which are another number when it does not fit
    e->type = type;
    const i128 value = model::const_value(*e);
    e->range = {value, value};
    return e;
  }
  if (e->type.is_signed == is_signed) return e;
  const Range kept = model::within(e->range, model::range_of(type)) ? e->range : model::range_of(type);
  const Span span = e->span;
  std::vector<ExprPtr> kids;
  kids.push_back(std::move(e));
  return make(Op::Cast, type, kept, span, std::move(kids));
}

// Gives both operands one sign that holds all their values.
bool Body::unify(ExprPtr& a, ExprPtr& b, Span span) {
  const auto type = type_for(hull(a->range, b->range));
  if (!type) {
    const Expr& negative = a->range.lo < 0 ? *a : *b;
    context_.sink.error(Code::MixedSigns, span, "one operand may be negative, the other may be 2^63 or more")
        .note(negative.span, "this one may be negative")
        .help("no 64-bit type holds both: convert one with `as u64` or `as i64`");
    return false;
  }
  a = as_signed(std::move(a), type->is_signed);
  b = as_signed(std::move(b), type->is_signed);
  return true;
}

model::ExprPtr Body::expr(const ast::Expr* e) {
  using Kind = ast::Expr::Kind;
  if (e == nullptr) return nullptr;
  ExprPtr result;
  switch (e->kind) {
    case Kind::Error:
      return nullptr;
    case Kind::Number:
      return literal(static_cast<i128>(e->value), model::kU64, e->span);
    case Kind::Bool:
      return literal(e->value != 0 ? 1 : 0, model::kBool, e->span);
    case Kind::Unary:
      result = unary(*e);
      break;
    case Kind::Binary:
      result = binary(*e);
      break;
    case Kind::In: {
      ExprPtr value = expr(e->kids[0].get()), low = expr(e->kids[1].get()), high = expr(e->kids[2].get());
      if (!value || !low || !high) return nullptr;
      ExprPtr again = model::clone(*value);
      if (low->op == Op::Const && high->op == Op::Const && low->range.lo > high->range.hi) {
        context_.sink
            .error(Code::EmptyInterval, cover(e->kids[1]->span, e->kids[2]->span), "no value lies between these bounds")
            .help("the lower bound stands first: `x in 1..5`");
        return nullptr;
      }
      ExprPtr above = compare(Op::Ge, std::move(value), std::move(low), e->span);
      ExprPtr below = compare(Op::Le, std::move(again), std::move(high), e->span);
      if (!above || !below) return nullptr;
      result = logic(Op::LogAnd, std::move(above), std::move(below), e->span);
      break;
    }
    case Kind::As: {
      ExprPtr value = expr(e->kids[0].get());
      const auto type = scalar_type(context_, instance_, e->type_name);
      if (!value || !type) return nullptr;
      result = cast(std::move(value), *type, e->span);
      break;
    }
    case Kind::Ref:
      result = name(*e);
      break;
    case Kind::Index:
      result = index(*e);
      break;
    case Kind::Call:
      result = function(*e);
      break;
    case Kind::EndOfInput:
      result = make(Op::AtEnd, model::kBool, {0, 1}, e->span);
      break;
    // A position has 40 bits in an error word, so no chunk is longer than 2^37 bytes.
    case Kind::Remaining:
      result = make(Op::Remaining, model::kU64, {0, i128{1} << (e->bits ? 40 : 37)}, e->span);
      result->flag = e->bits;
      break;
    case Kind::Produced:
      result = since(Op::Produced, *e);
      break;
    case Kind::ConsumedSince:
      result = since(Op::ConsumedSince, *e);
      break;
    case Kind::Peek:
      result = peek(*e);
      break;
    case Kind::CountOf:
      result = count_of(*e);
      break;
    case Kind::StateSymbol:
    case Kind::StateBits:
      result = state_part(*e);
      break;
    case Kind::Checksum:
      result = checksum(*e);
      break;
    case Kind::DictionarySize:
      result = dictionary_size(e->span);
      break;
    case Kind::IsSigned:
    case Kind::BitsOf: {
      const auto type = scalar_type(context_, instance_, e->type_name);
      if (!type) return nullptr;
      if (e->kind == Kind::IsSigned) return literal(type->is_signed ? 1 : 0, model::kBool, e->span);
      return literal(type->bits, model::kU64, e->span);
    }
  }
  if (result && result->op != Op::Const) result->range = facts_.range_of(*result);
  return result;
}

model::ExprPtr Body::condition(const ast::Expr* e) {
  ExprPtr c = expr(e);
  if (!c || !require_bool(*c)) return nullptr;
  return c;
}

bool Body::require_bool(const Expr& e) {
  if (e.type == model::kBool) return true;
  context_.sink.error(Code::NotACondition, e.span, "this is a number, not a condition")
      .help(fmt::format("compare it: `{} != 0`", context_.text(e.span)));
  return false;
}

model::ExprPtr Body::unary(const ast::Expr& e) {
  ExprPtr a = expr(e.kids[0].get());
  if (!a) return nullptr;
  std::vector<ExprPtr> kids;
  if (e.op == "-") return negate(std::move(a), e.span);
  if (e.op == "~") {
    const Range r = bit_not(a->range);
    const Type type = a->range.lo < 0 ? model::kI64 : model::kU64;
    kids.push_back(as_signed(std::move(a), type.is_signed));
    return make(Op::BitNot, type, r, e.span, std::move(kids));
  }
  if (!require_bool(*a)) return nullptr;
  const Range r = model::negated(a->range);
  kids.push_back(std::move(a));
  return make(Op::LogNot, model::kBool, r, e.span, std::move(kids));
}

model::ExprPtr Body::binary(const ast::Expr& e) {
  ExprPtr a = expr(e.kids[0].get()), b = expr(e.kids[1].get());
  if (!a || !b) return nullptr;
  const auto op = binary_op(e.op);
  if (!op) return nullptr;
  switch (*op) {
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
      return arithmetic(*op, e.op.size() == 2, std::move(a), std::move(b), e.span);
    case Op::Div:
    case Op::Rem:
      return divide(*op, std::move(a), std::move(b), e.span);
    case Op::Shl:
    case Op::Shr:
      return shift(*op, std::move(a), std::move(b), e.span);
    case Op::BitAnd:
    case Op::BitOr:
    case Op::BitXor:
      return bits(*op, std::move(a), std::move(b), e.span);
    case Op::LogAnd:
    case Op::LogOr:
      return logic(*op, std::move(a), std::move(b), e.span);
    default:
      judge_string(e);
      return compare(*op, std::move(a), std::move(b), e.span);
  }
}

model::ExprPtr Body::compare(Op op, ExprPtr a, ExprPtr b, Span span) {
  if (!unify(a, b, span)) return nullptr;
  const Range truth = model::truth_of(op, a->range, b->range);
  std::vector<ExprPtr> kids;
  kids.push_back(std::move(a));
  kids.push_back(std::move(b));
  return make(op, model::kBool, truth, span, std::move(kids));
}

model::ExprPtr Body::logic(Op op, ExprPtr a, ExprPtr b, Span span) {
  if (!require_bool(*a) || !require_bool(*b)) return nullptr;
  const Range truth = op == Op::LogAnd ? minimum(a->range, b->range) : maximum(a->range, b->range);
  std::vector<ExprPtr> kids;
  kids.push_back(std::move(a));
  kids.push_back(std::move(b));
  return make(op, model::kBool, truth, span, std::move(kids));
}

model::ExprPtr Body::cast(ExprPtr a, Type type, Span span) {
  if (a->op == Op::Const) {
    const std::uint64_t kept = type.bits == 64 ? a->imm : a->imm & ((std::uint64_t{1} << type.bits) - 1);
    const bool negative = type.is_signed && ((kept >> (type.bits - 1)) & 1) != 0;
    const i128 value =
        negative ? static_cast<i128>(kept) - (static_cast<i128>(1) << type.bits) : static_cast<i128>(kept);
    return literal(value, type, span);
  }
  const Range all = model::range_of(type);
  const Range range = model::within(a->range, all) ? a->range : all;
  std::vector<ExprPtr> kids;
  kids.push_back(std::move(a));
  return make(Op::Cast, type, range, span, std::move(kids));
}

std::optional<i128> Body::constant(const ast::Expr* e, std::string_view what) {
  const auto found = known(e, what);
  if (!found) return std::nullopt;
  return found->value;
}

std::optional<Body::Known> Body::known(const ast::Expr* e, std::string_view what) {
  if (e == nullptr) return std::nullopt;
  place_.constant = what;
  const ExprPtr value = expr(e);
  if (!value) return std::nullopt;
  if (value->op != Op::Const) {
    context_.sink.error(Code::NotConstant, e->span, fmt::format("{} must be known when the format is compiled", what))
        .help(what == kSetValue ? "use numbers and the parameters of this format" : "use numbers, `const` names and compile-time parameters");
    return std::nullopt;
  }
  return Known{model::const_value(*value), value->type};
}

}  // namespace sluice::sema
