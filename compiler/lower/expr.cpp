#include "compiler/lower/expr.h"

#include <algorithm>

namespace sluice::lower {
namespace {

ir::Op op(model::Op o) {
  using M = model::Op;
  using I = ir::Op;
  switch (o) {
    case M::Const:
      return I::Const;
    case M::Local:
      return I::Local;
    case M::Global:
      return I::Global;
    case M::Arg:
      return I::Arg;
    case M::Elem:
      return I::Elem;
    case M::TableElem:
      return I::TableElem;
    case M::Add:
      return I::Add;
    case M::Sub:
      return I::Sub;
    case M::Mul:
      return I::Mul;
    case M::Div:
      return I::Div;
    case M::Rem:
      return I::Rem;
    case M::BitAnd:
      return I::BitAnd;
    case M::BitOr:
      return I::BitOr;
    case M::BitXor:
      return I::BitXor;
    case M::Shl:
      return I::Shl;
    case M::Shr:
      return I::Shr;
    case M::Eq:
      return I::Eq;
    case M::Ne:
      return I::Ne;
    case M::Lt:
      return I::Lt;
    case M::Le:
      return I::Le;
    case M::Gt:
      return I::Gt;
    case M::Ge:
      return I::Ge;
    case M::LogAnd:
      return I::LogAnd;
    case M::LogOr:
      return I::LogOr;
    case M::LogNot:
      return I::LogNot;
    case M::BitNot:
      return I::BitNot;
    case M::Neg:
      return I::Neg;
    case M::Select:
      return I::Select;
    case M::Min:
      return I::Min;
    case M::Max:
      return I::Max;
    case M::Cast:
      return I::Cast;
    case M::SignExtend:
      return I::SignExtend;
    case M::ZigZag:
      return I::ZigZag;
    case M::Remaining:
      return I::Remaining;
    case M::AtEnd:
      return I::AtEnd;
    case M::Produced:
      return I::Produced;
    case M::Peek:
      return I::Peek;
    case M::PeekBits:
      return I::PeekBits;
    case M::ProducedSince:
      return I::ProducedSince;
    case M::ConsumedSince:
      return I::ConsumedSince;
    case M::Checksum:
      return I::Checksum;
    case M::DictionarySize:
      return I::DictionarySize;
    case M::BufferCount:
      return I::BufferCount;
    case M::BufferElem:
      return I::BufferElem;
  }
  return I::Const;
}

ir::Algo algo(model::Algo a) {
  switch (a) {
    case model::Algo::Adler32:
      return ir::Algo::Adler32;
    case model::Algo::Crc32:
      return ir::Algo::Crc32;
    case model::Algo::Crc32c:
      return ir::Algo::Crc32c;
    case model::Algo::Crc32Bzip2:
      return ir::Algo::Crc32Bzip2;
    case model::Algo::XxHash32:
      return ir::Algo::XxHash32;
  }
  return ir::Algo::Adler32;
}

ir::Stream stream(model::Stream s) {
  return s == model::Stream::Input    ? ir::Stream::Input
         : s == model::Stream::Output ? ir::Stream::Output
                                      : ir::Stream::Dictionary;
}

}  // namespace


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
  ir::ExprPtr out = node(op(e.op), e.type, e.range, e.span);
  out->imm = e.imm;
  out->ref = e.ref;
  out->algo = algo(e.algo);
  out->stream = stream(e.stream);
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
