#include "compiler/analysis/eval.h"

#include <algorithm>

#include "compiler/analysis/walk.h"

namespace sluice::analysis {
namespace {

using ir::Expr;
using ir::i128;
using ir::Op;
using Word = std::optional<std::uint64_t>;

bool fits(i128 value, ir::Type type) {
  const ir::Range range = ir::range_of(type);
  return range.lo <= value && value <= range.hi;
}

std::uint64_t as_word(bool truth) { return truth ? 1 : 0; }

// `type`: 64 bits of the first operand's signedness.
Word arithmetic_fits(Op op, std::uint64_t a, std::uint64_t b, ir::Type type) {
  const i128 x = value_of(a, type), y = value_of(b, type);
  if (op == Op::AddOk) return as_word(fits(x + y, type));
  if (op == Op::SubOk) return as_word(fits(x - y, type));
  // The product of two unsigned words may need 128 bits, one more than i128 has.
  if (!type.is_signed) return as_word(a == 0 || b <= ~std::uint64_t{0} / a);
  return as_word(fits(x * y, type));
}

Word divide(Op op, std::uint64_t a, std::uint64_t b, bool is_signed) {
  if (b == 0) return std::nullopt;
  if (!is_signed) return op == Op::Div ? a / b : a % b;
  const auto x = static_cast<std::int64_t>(a), y = static_cast<std::int64_t>(b);
  if (y == -1) return op == Op::Div ? 0 - a : 0;  // the least value wraps to itself
  return static_cast<std::uint64_t>(op == Op::Div ? x / y : x % y);
}

Word binary(const Expr& expr, std::uint64_t a, std::uint64_t b) {
  const bool is_signed = expr.kids[0]->type.is_signed;
  const ir::Type order{64, is_signed};
  const bool less = value_of(a, order) < value_of(b, order);
  switch (expr.op) {
    case Op::Add:
      return a + b;
    case Op::Sub:
      return a - b;
    case Op::Mul:
      return a * b;
    case Op::Div:
    case Op::Rem:
      return divide(expr.op, a, b, is_signed);
    case Op::BitAnd:
    case Op::LogAnd:
      return a & b;
    case Op::BitOr:
    case Op::LogOr:
      return a | b;
    case Op::BitXor:
      return a ^ b;
    case Op::Shl:
      if (b >= 64) return std::nullopt;
      return a << b;
    case Op::Shr:
      if (b >= 64) return std::nullopt;
      return is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(a) >> b) : a >> b;
    case Op::Eq:
      return as_word(a == b);
    case Op::Ne:
      return as_word(a != b);
    case Op::Lt:
      return as_word(less);
    case Op::Ge:
      return as_word(!less);
    case Op::Le:
      return as_word(less || a == b);
    case Op::Gt:
      return as_word(!less && a != b);
    case Op::Min:
      return less ? a : b;
    case Op::Max:
      return less ? b : a;
    case Op::SignExtend:
      if (b < 1 || b > 64) return std::nullopt;
      return extend(a, {static_cast<std::uint8_t>(b), true});
    case Op::AddOk:
    case Op::SubOk:
    case Op::MulOk:
      return arithmetic_fits(expr.op, a, b, ir::Type{64, is_signed});
    default:
      return std::nullopt;
  }
}

// The result that one operand alone decides.
Word absorbed(Op op, const Word& a, const Word& b) {
  const auto either_is = [&](std::uint64_t value) { return a == value || b == value; };
  if ((op == Op::LogAnd || op == Op::BitAnd || op == Op::Mul) && either_is(0)) return 0;
  if (op == Op::LogOr && either_is(1)) return 1;
  return std::nullopt;
}

}  // namespace

std::uint64_t extend(std::uint64_t word, ir::Type type) {
  const unsigned drop = 64u - type.bits;
  if (type.is_signed) return static_cast<std::uint64_t>(static_cast<std::int64_t>(word << drop) >> drop);
  return (word << drop) >> drop;
}

Word evaluate(const ir::Module& module, const Expr& expr, const Leaves& leaves) {
  switch (expr.op) {
    case Op::Const:
      return expr.imm;
    case Op::TableElem: {
      const Word index = evaluate(module, *expr.kids[0], leaves);
      const auto& values = module.tables[expr.ref].values;
      if (!index || *index >= values.size()) return std::nullopt;
      return values[*index];
    }
    case Op::Local:
    case Op::Global:
    case Op::Arg:
    case Op::Elem:
    case Op::Remaining:
    case Op::AtEnd:
    case Op::Aligned:
    case Op::Produced:
    case Op::Peek:
    case Op::PeekBits:
    case Op::ProducedSince:
    case Op::ConsumedSince:
    case Op::Checksum:
    case Op::BufferCount:
    case Op::OutputCount:
    case Op::BufferElem:
      return leaves(expr);
    case Op::DictionarySize:
      return module.has_dictionary ? leaves(expr) : Word{0};
    case Op::Select: {
      const Word condition = evaluate(module, *expr.kids[0], leaves);
      if (!condition) return std::nullopt;
      return evaluate(module, *expr.kids[*condition != 0 ? 1 : 2], leaves);
    }
    default:
      break;
  }
  const Word a = evaluate(module, *expr.kids[0], leaves);
  if (expr.kids.size() == 2) {
    const Word b = evaluate(module, *expr.kids[1], leaves);
    if (!a || !b) return absorbed(expr.op, a, b);
    return binary(expr, *a, *b);
  }
  if (!a) return std::nullopt;
  switch (expr.op) {
    case Op::LogNot:
      return as_word(*a == 0);
    case Op::BitNot:
      return ~*a;
    case Op::Neg:
      return 0 - *a;
    case Op::Cast:
      return extend(*a, expr.type);
    case Op::ZigZag:
      return (*a >> 1) ^ (0 - (*a & 1));
    case Op::Fits:
      return as_word(fits(value_of(*a, expr.kids[0]->type), expr.cast_type));
    default:
      return std::nullopt;
  }
}

}  // namespace sluice::analysis
