// Expressions: total functions of the state. A promise that lowering broke (an index past its array, a division by
// zero) yields 0 and marks the module broken.
#include <algorithm>

#include "compiler/interp/checksum.h"
#include "compiler/interp/machine.h"

namespace sluice::interp {
namespace {

using ir::i128;
using ir::Op;

std::int64_t as_signed(std::uint64_t word) { return static_cast<std::int64_t>(word); }

// The mathematical value of a word.
i128 exact(std::uint64_t word, ir::Type t) {
  return t.is_signed ? static_cast<i128>(as_signed(word)) : static_cast<i128>(word);
}

bool fits(i128 value, ir::Type t) {
  const ir::Range range = ir::range_of(t);
  return range.lo <= value && value <= range.hi;
}

// Does a op b, computed without loss, fit 64 bits? A product of two unsigned words needs up to 128 bits, one more than
// i128 has, so it is compared by division.
bool arithmetic_fits(Op op, std::uint64_t a, std::uint64_t b, bool is_signed) {
  const ir::Type t{64, is_signed};
  const i128 x = exact(a, t), y = exact(b, t);
  if (op == Op::AddOk) return fits(x + y, t);
  if (op == Op::SubOk) return fits(x - y, t);
  if (!is_signed) return a == 0 || b <= ~std::uint64_t{0} / a;
  return fits(x * y, t);  // |x|, |y| <= 2^63: at most 2^126
}

}  // namespace

std::uint64_t Machine::eval(const ir::Expr& e) {
  switch (e.op) {
    case Op::Const: return e.imm;
    case Op::Local: return local(e.ref);
    case Op::Global: return globals_[e.ref];
    case Op::Arg: {
      const ir::Argument& arg = module_.args[e.ref];
      return extend(e.ref < job_.args.size() ? job_.args[e.ref] : arg.initial, arg.type);
    }
    case Op::Elem:
    case Op::TableElem: return element(e);
    case Op::LogNot: return eval(e.kids[0]) == 0 ? 1 : 0;
    case Op::BitNot: return ~eval(e.kids[0]);
    case Op::Neg: return 0 - eval(e.kids[0]);
    case Op::Select: {
      const std::uint64_t condition = eval(e.kids[0]), yes = eval(e.kids[1]), no = eval(e.kids[2]);
      return condition != 0 ? yes : no;
    }
    case Op::Cast: return extend(eval(e.kids[0]), e.type);
    case Op::ZigZag: {
      const std::uint64_t x = eval(e.kids[0]);
      return (x >> 1) ^ (0 - (x & 1));
    }
    case Op::Fits: return fits(exact(eval(e.kids[0]), e.kids[0]->type), e.cast_type) ? 1 : 0;
    case Op::Remaining: return in_.left() / (e.flag ? 1 : 8);
    case Op::AtEnd: return in_.left() == 0 ? 1 : 0;
    case Op::Aligned: return in_.aligned() ? 1 : 0;
    case Op::Produced: return produced_;
    case Op::Peek: return peek(e);
    case Op::PeekBits: return peek_bits(e.imm);
    case Op::ProducedSince: return produced_ - marks_[e.ref].output;
    case Op::ConsumedSince: {
      const Mark& mark = marks_[e.ref];
      const bool behind = in_.backward() ? in_.position() > mark.bit : in_.position() < mark.bit;
      return behind || mark.backward != in_.backward() ? 0 : in_.taken_since(mark.bit) / (e.flag ? 1 : 8);
    }
    case Op::Checksum: return checksum_of(e);
    case Op::BufferCount: return buffers_[e.ref].size();
    case Op::OutputCount: return further_[e.ref];
    case Op::BufferElem: {
      const std::uint64_t index = eval(e.kids[0]);
      return index < buffers_[e.ref].size() ? buffers_[e.ref][index] : 0;
    }
    case Op::DictionarySize: return module_.has_dictionary ? job_.dictionary.size() : 0;
    default: return binary(e);
  }
}

std::uint64_t Machine::binary(const ir::Expr& e) {
  const std::uint64_t a = eval(e.kids[0]), b = eval(e.kids[1]);
  const bool is_signed = e.kids[0]->type.is_signed;
  const bool less = is_signed ? as_signed(a) < as_signed(b) : a < b;
  switch (e.op) {
    case Op::Add: return a + b;
    case Op::Sub: return a - b;
    case Op::Mul: return a * b;
    case Op::Div:
    case Op::Rem: {
      if (b == 0) {
        broken();
        return 0;
      }
      if (!is_signed) return e.op == Op::Div ? a / b : a % b;
      if (as_signed(b) == -1) return e.op == Op::Div ? 0 - a : 0;  // the least i64 wraps to itself
      return static_cast<std::uint64_t>(e.op == Op::Div ? as_signed(a) / as_signed(b) : as_signed(a) % as_signed(b));
    }
    case Op::BitAnd: return a & b;
    case Op::BitOr: return a | b;
    case Op::BitXor: return a ^ b;
    case Op::Shl:
    case Op::Shr:
      if (b >= 64) {
        broken();
        return 0;
      }
      if (e.op == Op::Shl) return a << b;
      return is_signed ? static_cast<std::uint64_t>(as_signed(a) >> b) : a >> b;
    case Op::Eq: return a == b ? 1 : 0;
    case Op::Ne: return a != b ? 1 : 0;
    case Op::Lt: return less ? 1 : 0;
    case Op::Ge: return less ? 0 : 1;
    case Op::Le: return less || a == b ? 1 : 0;
    case Op::Gt: return less || a == b ? 0 : 1;
    case Op::LogAnd: return a & b;
    case Op::LogOr: return a | b;
    case Op::Min: return less ? a : b;
    case Op::Max: return less ? b : a;
    case Op::SignExtend:
      if (b < 1 || b > 64) {
        broken();
        return 0;
      }
      return extend(a, {static_cast<std::uint8_t>(b), true});
    case Op::AddOk:
    case Op::SubOk:
    case Op::MulOk: return arithmetic_fits(e.op, a, b, is_signed) ? 1 : 0;
    default: broken(); return 0;
  }
}

std::uint64_t Machine::element(const ir::Expr& e) {
  const std::vector<std::uint64_t>& values = e.op == Op::Elem ? arrays_[e.ref] : module_.tables[e.ref].values;
  const std::uint64_t index = eval(e.kids[0]);
  if (index >= values.size()) {
    broken();
    return 0;
  }
  return values[index];
}

std::uint64_t Machine::peek(const ir::Expr& e) {
  if (!in_.aligned() && in_.left() > 0) {
    broken();
    return 0;
  }
  const std::uint64_t wanted = e.imm, here = std::min(wanted, in_.left() / 8);
  BitReader ahead = in_;
  const std::uint64_t value = ahead.bytes(static_cast<unsigned>(here), e.flag);
  return e.flag && here < wanted ? (here == 0 ? 0 : value << (8 * (wanted - here))) : value;
}

std::uint64_t Machine::peek_bits(std::uint64_t wanted) const {
  const std::uint64_t here = std::min(wanted, in_.left());
  BitReader ahead = in_;
  const std::uint64_t value = ahead.bits(static_cast<unsigned>(here));
  const bool first_bit_highest = module_.input == ir::Input::BitsMsb;
  return first_bit_highest && here != 0 ? value << (wanted - here) : value;
}

std::uint64_t Machine::checksum_of(const ir::Expr& e) {
  switch (e.stream) {
    case ir::Stream::Dictionary:
      return checksum(e.algo, module_.has_dictionary ? job_.dictionary : std::span<const std::uint8_t>{});
    case ir::Stream::Input: {  // the bytes that lie wholly between the mark and here
      if (marks_[e.ref].backward) return checksum(e.algo, {});
      const std::uint64_t from = (marks_[e.ref].bit + 7) / 8, to = std::max(from, in_.position() / 8);
      return checksum(e.algo, job_.in.subspan(from, to - from));
    }
    case ir::Stream::Output: {
      if (plan_ != nullptr) return 0;
      if (marks_[e.ref].output > produced_) {
        broken();
        return 0;
      }
      const std::uint64_t from = marks_[e.ref].output * output_bytes();
      if (filling_ == nullptr) return checksum(e.algo, out_.subspan(from, produced_ * output_bytes() - from));
      std::vector<std::uint8_t> bytes;
      for (std::uint64_t i = marks_[e.ref].output; i < produced_; ++i)
        for (std::uint64_t k = 0; k < output_bytes(); ++k) bytes.push_back(static_cast<std::uint8_t>((*filling_)[i] >> (8 * k)));
      return checksum(e.algo, bytes);
    }
  }
  return 0;
}

}  // namespace sluice::interp
