#include "compiler/emit/expr.h"

#include <fmt/core.h>

#include <limits>

#include "compiler/plan/width.h"

namespace sluice::emit {
namespace {

using ir::Expr;
using ir::i128;
using ir::Op;

bool fits_i64(i128 v) {
  return v >= std::numeric_limits<std::int64_t>::min() && v <= std::numeric_limits<std::int64_t>::max();
}

// May the signed operation be written plainly, or could it overflow?
bool plain_signed(const Expr& e) {
  const ir::Range a = e.kids[0]->range, b = e.kids[1]->range;
  switch (e.op) {
    case Op::Add:
      return fits_i64(a.lo + b.lo) && fits_i64(a.hi + b.hi);
    case Op::Sub:
      return fits_i64(a.lo - b.hi) && fits_i64(a.hi - b.lo);
    case Op::Mul: {
      const auto big = [](ir::Range r) { return std::max(r.lo < 0 ? -r.lo : r.lo, r.hi < 0 ? -r.hi : r.hi); };
      const i128 x = big(a), y = big(b);
      return x < (i128{1} << 62) && y < (i128{1} << 62) && fits_i64(x * y);
    }
    default:
      return false;
  }
}

}  // namespace

std::string constant(std::uint64_t value, bool is_signed, bool wide) {
  if (is_signed) {
    const auto v = static_cast<std::int64_t>(value);
    if (v == std::numeric_limits<std::int64_t>::min()) return "(-0x7fffffffffffffffll - 1)";
    const std::string digits = fmt::format("{}{}", v, wide || v > 0x7fffffff || v < -0x7fffffff ? "ll" : "");
    return v < 0 ? "(" + digits + ")" : digits;
  }
  const char* suffix = wide || value > 0x7fffffff ? "ull" : "";
  return value < 4096 ? fmt::format("{}{}", value, suffix) : fmt::format("0x{:x}{}", value, suffix);
}

// A constant that a word holds has the suffix of one.
std::string ExprPrinter::literal(std::uint64_t value, bool is_signed, bool wide) const {
  if (!view_.words() || is_signed || value > 0xffffffff) return constant(value, is_signed, wide);
  const char* suffix = wide || value > 0x7fffffff ? "u" : "";
  return value < 4096 ? fmt::format("{}{}", value, suffix) : fmt::format("0x{:x}{}", value, suffix);
}

const char* ExprPrinter::element_type(const Expr& e) const {
  return view_.words() && plan::fits_word(e) ? "u32" : held(e.type);
}

// Of an operator that may have to be given 64 bits.
std::optional<std::string> ExprPrinter::first_operand(const Expr& e, bool is_signed, bool wide) const {
  const Expr& kid = *e.kids[0];
  if (is_signed || !view_.wide(e)) return operand(kid, is_signed, wide);
  if (kid.op == Op::Const) return constant(kid.imm, false, true);
  auto t = operand(kid, false);
  if (!t || kid.type.is_signed) return t;
  return "(u64)" + *t;
}

std::optional<std::string> ExprPrinter::print(const Expr& e) const {
  auto t = text(e);
  if (!t) return std::nullopt;
  return e.op == Op::Const ? literal(e.imm, e.type.is_signed, true) : t->text;
}

std::optional<std::string> ExprPrinter::print_u64(const Expr& e) const {
  return e.type.is_signed ? operand(e, false, true) : print(e);
}

std::optional<std::string> ExprPrinter::operand(const Expr& e, bool is_signed, bool wide) const {
  auto t = operand_text(e, is_signed, wide);
  if (!t) return std::nullopt;
  return std::move(t->text);
}

std::optional<ExprText> ExprPrinter::operand_text(const Expr& e, bool is_signed, bool wide) const {
  if (e.op == Op::Const) return ExprText{literal(e.imm, is_signed, wide), true};
  auto t = text(e);
  if (!t) return std::nullopt;
  if (e.type.is_signed != is_signed) return ExprText{fmt::format("({})({})", is_signed ? "i64" : "u64", t->text), true};
  if (!t->atom) return ExprText{"(" + t->text + ")", true};
  return t;
}

std::optional<ExprText> ExprPrinter::binary(const Expr& e, const char* op) const {
  // Two constants would be computed as int.
  const bool wide = e.kids[0]->op == Op::Const && e.kids[1]->op == Op::Const;
  const bool sign = e.kids[0]->type.is_signed;
  auto a = operand(*e.kids[0], sign, wide), b = operand(*e.kids[1], sign, wide);
  if (!a || !b) return std::nullopt;
  return ExprText{fmt::format("{} {} {}", *a, op, *b), false};
}

std::optional<ExprText> ExprPrinter::text(const Expr& e) const {
  const bool sign = e.type.is_signed;
  const auto kid = [&](std::size_t i) -> const Expr& { return *e.kids[i]; };
  // A call of f(kids...), each kid held with the given signedness.
  const auto call = [&](std::string f, bool kid_sign) -> std::optional<ExprText> {
    f += "(";
    for (std::size_t i = 0; i < e.kids.size(); ++i) {
      auto k = operand(kid(i), kid_sign, true);
      if (!k) return std::nullopt;
      if (i) f += ", ";
      f += *k;
    }
    return ExprText{f + ")", true};
  };
  const auto wrap_signed = [&](const char* op) -> std::optional<ExprText> {
    if (!sign || plain_signed(e)) {
      auto a = first_operand(e, sign, kid(1).op == Op::Const), b = operand(kid(1), sign);
      if (!a || !b) return std::nullopt;
      return ExprText{fmt::format("{} {} {}", *a, op, *b), false};
    }
    auto a = first_operand(e, false, true), b = operand(kid(1), false, true);
    if (!a || !b) return std::nullopt;
    return ExprText{fmt::format("(i64)({} {} {})", *a, op, *b), true};
  };
  switch (e.op) {
    case Op::Const:
      return ExprText{literal(e.imm, sign, true), true};
    case Op::Local:
      return ExprText{view_.local(e.ref), true};
    case Op::Global:
      return ExprText{view_.global(e.ref), true};
    case Op::Arg: {
      // The caller may hand over any 64 bits; what counts is the argument's type.
      const ir::Type t = context_.module.args[e.ref].type;
      if (t.is_signed) return ExprText{context_.format("prim::sign_extend(s.args[{}], {})", e.ref, t.bits), true};
      if (t.bits == 64) return ExprText{fmt::format("s.args[{}]", e.ref), true};
      return ExprText{fmt::format("s.args[{}] & 0x{:x}", e.ref, (std::uint64_t{1} << t.bits) - 1), false};
    }
    case Op::Elem:
    case Op::TableElem: {
      auto i = operand(kid(0), false, true);
      if (!i) return std::nullopt;
      const std::string base =
          e.op == Op::Elem ? view_.scratch() + ("->" + context_.array(e.ref)) : context_.table(e.ref);
      return ExprText{fmt::format("({}){}[{}]", element_type(e), base, *i), true};
    }
    case Op::Add:
      return wrap_signed("+");
    case Op::Sub:
      return wrap_signed("-");
    case Op::Mul:
      return wrap_signed("*");
    case Op::Div:
    case Op::Rem:
      if (kid(0).type.is_signed && kid(1).range.lo <= -1 && kid(1).range.hi >= -1)
        return call(e.op == Op::Div ? context_.format("prim::div_i") : context_.format("prim::rem_i"), true);
      return binary(e, e.op == Op::Div ? "/" : "%");
    case Op::BitAnd:
    case Op::BitOr:
    case Op::BitXor: {
      auto a = first_operand(e, sign, kid(1).op == Op::Const), b = operand(kid(1), sign);
      if (!a || !b) return std::nullopt;
      return ExprText{fmt::format("{} {} {}", *a, e.op == Op::BitAnd ? "&" : e.op == Op::BitOr ? "|" : "^", *b), false};
    }
    case Op::Shl: {
      auto a = first_operand(e, false, true), b = operand(kid(1), false);
      if (!a || !b) return std::nullopt;
      return sign ? ExprText{fmt::format("(i64)({} << {})", *a, *b), true}
                  : ExprText{fmt::format("{} << {}", *a, *b), false};
    }
    case Op::Shr: {
      auto a = first_operand(e, kid(0).type.is_signed, true), b = operand(kid(1), false);
      if (!a || !b) return std::nullopt;
      return ExprText{fmt::format("{} >> {}", *a, *b), false};
    }
    case Op::Eq:
      return binary(e, "==");
    case Op::Ne:
      return binary(e, "!=");
    case Op::Lt:
      return binary(e, "<");
    case Op::Le:
      return binary(e, "<=");
    case Op::Gt:
      return binary(e, ">");
    case Op::Ge:
      return binary(e, ">=");
    case Op::LogAnd:
      return binary(e, "&&");
    case Op::LogOr:
      return binary(e, "||");
    case Op::LogNot: {
      auto a = operand(kid(0), false);
      if (!a) return std::nullopt;
      return ExprText{"!" + *a, true};
    }
    case Op::BitNot: {
      auto a = first_operand(e, sign, true);
      if (!a) return std::nullopt;
      return ExprText{"~" + *a, true};
    }
    case Op::Neg: {
      auto a = operand_text(kid(0), sign, true);
      if (!a) return std::nullopt;
      if (sign && kid(0).range.lo > std::numeric_limits<std::int64_t>::min())
        return ExprText{a->minus ? "-(" + a->text + ")" : "-" + a->text, true, true};  // `--x` counts down
      auto u = first_operand(e, false, true);
      if (!u) return std::nullopt;
      return ExprText{fmt::format("({})(0 - {})", held(e.type), *u), true};
    }
    case Op::Select:
    case Op::Min:
    case Op::Max: {
      const std::size_t first = e.op == Op::Select ? 1 : 0;
      const bool order = e.op == Op::Select ? sign : kid(0).type.is_signed;
      auto a = operand(kid(first), order, true), b = operand(kid(first + 1), order, true);
      if (!a || !b) return std::nullopt;
      if (e.op != Op::Select)
        return ExprText{fmt::format("{0} {2} {1} ? {0} : {1}", *a, *b, e.op == Op::Min ? "<" : ">"), false};
      auto c = operand(kid(0), false);
      if (!c) return std::nullopt;
      return ExprText{fmt::format("{} ? {} : {}", *c, *a, *b), false};
    }
    case Op::Cast: {
      if (e.type.bits == 64) {
        return operand_text(kid(0), sign, true);
      }
      auto a = operand(kid(0), false, true);
      if (!a) return std::nullopt;
      if (e.type.bits == 8 || e.type.bits == 16 || e.type.bits == 32)
        return ExprText{fmt::format("({})({}){}", view_.words() && !sign ? "u32" : held(e.type), stored(e.type), *a), true};
      if (sign) return ExprText{context_.format("prim::sign_extend({}, {})", *a, e.type.bits), true};
      return ExprText{fmt::format("{} & 0x{:x}", *a, (std::uint64_t{1} << e.type.bits) - 1), false};
    }
    case Op::SignExtend:
      return call(context_.format("prim::sign_extend"), false);
    case Op::ZigZag:
      return call(context_.format("prim::zigzag"), false);
    case Op::AddOk:
      return call(kid(0).type.is_signed ? context_.format("prim::add_ok_i") : context_.format("prim::add_ok_u"), kid(0).type.is_signed);
    case Op::SubOk:
      return call(kid(0).type.is_signed ? context_.format("prim::sub_ok_i") : context_.format("prim::sub_ok_u"), kid(0).type.is_signed);
    case Op::MulOk:
      return call(kid(0).type.is_signed ? context_.format("prim::mul_ok_i") : context_.format("prim::mul_ok_u"), kid(0).type.is_signed);
    case Op::Fits: {
      const ir::Range want = ir::range_of(e.cast_type), have = kid(0).range;
      const bool own = kid(0).type.is_signed;
      auto a = operand(kid(0), own);
      if (!a) return std::nullopt;
      std::string r;
      if (have.lo < want.lo) r = fmt::format("{} >= {}", *a, literal(static_cast<std::uint64_t>(want.lo), own, true));
      if (have.hi > want.hi)
        r += fmt::format("{}{} <= {}", r.empty() ? "" : " && ", *a,
                         literal(static_cast<std::uint64_t>(want.hi), own, true));
      return r.empty() ? ExprText{"1", true} : ExprText{r, false};
    }
    default:
      return view_.stream(e);
  }
}

}  // namespace sluice::emit
