// Fields of a token: see lower_token.h.
#include <algorithm>
#include <numeric>
#include <utility>

#include "compiler/plan/lower_token.h"

namespace sluice::plan {
namespace {

using ir::Op;
using ir::ReadSpec;
using ir::Stmt;

constexpr unsigned kMaxWordBits = 32;  // longer fields are fetched by themselves
constexpr unsigned kOneLoad = 57;      // bits that one load shows from any bit on

// 8 * x, and sums of that.
bool multiple_of_8(const ir::Expr& e) {
  switch (e.op) {
    case Op::Const:
      return e.imm % 8 == 0;
    case Op::Mul:
      return multiple_of_8(*e.kids[0]) || multiple_of_8(*e.kids[1]);
    case Op::Shl:
      return e.kids[1]->op == Op::Const && e.kids[1]->imm >= 3;
    case Op::Add:
    case Op::Sub:
      return multiple_of_8(*e.kids[0]) && multiple_of_8(*e.kids[1]);
    default:
      return false;
  }
}

unsigned groups_of(ir::Type type) { return (type.bits + 6u) / 7u; }

}  // namespace

bool safe_without_steps(const ir::Expr& e) {
  if (e.op == Op::Div || e.op == Op::Rem) return e.kids[1]->op == Op::Const;
  return e.op == Op::Const || e.op == Op::TableElem || (e.op >= Op::Add && e.op <= Op::ZigZag);
}

bool TokenLowering::same_in_every_step(const ir::Expr& e) const {
  bool same = stack_.size() == inner_->calls;
  for_each_node(e, [&](const ir::Expr& x) {
    same &= x.op == Op::Local ? !inner_->written.contains(x.ref) : safe_without_steps(x);
  });
  return same;
}

// Parameters and names bound before the loop keep their value; tables are constant.
bool TokenLowering::same_in_every_token(const ir::Expr& e) const {
  bool same = stack_.size() == 1;
  for_each_node(e, [&](const ir::Expr& x) {
    const bool local =
        x.op == Op::Local && mode_.outer.contains(x.ref) && !module().rules[loop_.rule].slots[x.ref].is_mutable;
    same &= local || safe_without_steps(x);
  });
  return same;
}

void TokenLowering::refill() {
  add(Refill{}, {8});
  last_need_.reset();
  stream_.buffered = stream_.likely = refilled_bits(ground_.target);
  stream_.beyond = kShownBeyondRefill;
}

// Bits for the next field. Where they are there most often, though not whatever the data, a test is better than a refill, which
// stands in the way of the next look-up. One test does for fields that follow each other.
//
//   far: uint(0..31), extra bits of at most 16, mostly 3, then 16, then states of 9, 9 and 8 bits
//     ->  refill; need 16 in front of the second extra bits; need 26 in front of the states
void TokenLowering::need(unsigned bits) {
  if (stream_.buffered >= bits) return;
  if (ground_.target == Target::Lane) return refill();
  if (raise_need(bits)) return;
  const bool most_often = stream_.buffered != 0 || (ground_.target == Target::Cpu && stream_.likely >= bits);
  // A kernel's window shows a line of 1024 bits beyond each refill: after ten times 56 bits it is asked to move on.
  constexpr unsigned kNeedsPerLine = 10;
  static_assert((kNeedsPerLine + 2) * refilled_bits(Target::Warp) <= 1024);
  if (!most_often || (on_gpu(ground_.target) && ++needs_ > kNeedsPerLine)) return refill();
  add(Need{bits}, {8});
  stream_.buffered = bits;
  stream_.likely = std::max(stream_.likely, bits);
  stream_.beyond = kShownBeyond;
  if (ground_.target == Target::Cpu) last_need_ = {body_->size() - 1, stream_.likely};
}

// The test before may tell of these bits, too, where they are there most often: nothing but fields has been read since.
bool TokenLowering::raise_need(unsigned bits) {
  if (!last_need_) return false;
  Need& before = std::get<Need>((*body_)[last_need_->at].what);
  const unsigned all = before.bits + bits - stream_.buffered;
  if (all > last_need_->likely) return false;
  before.bits = all;
  stream_.buffered = bits;
  return true;
}

// A field has been read, of at most `most` bits, and most often of no more than `likely`.
void TokenLowering::consume(unsigned most, unsigned likely) {
  stream_.buffered -= most;
  stream_.likely -= std::min(stream_.likely, likely);
}

bool TokenLowering::read(const ReadSpec& r, Field field) {
  field.type = r.type;
  field.bits = r.type.bits;
  switch (r.kind) {
    case ReadSpec::Kind::Fixed:
      return fixed(r, std::move(field));
    case ReadSpec::Kind::Computed:
      return computed(r, std::move(field));
    case ReadSpec::Kind::Varint:
      return varint(r, std::move(field));
    case ReadSpec::Kind::Ranges:
      return ranges(r, std::move(field));
    case ReadSpec::Kind::Code:
      break;
  }
  return leave("it reads symbols one by one into an array");
}

bool TokenLowering::fixed(const ReadSpec& r, Field field) {
  if (bytes()) {
    const unsigned n = field.bits / 8;
    field.form = FieldForm::Load;
    field.big = r.order == ReadSpec::Order::Big;
    add(std::move(field), {n <= 1 ? 1u : n <= 2 ? 2u : n <= 4 ? 4u : 8u});
    return true;
  }
  const bool streamed = r.order == ReadSpec::Order::Stream;
  if (mode_.nested && inner_ == nullptr && streamed && field.bits <= kMaxWordBits) return in_word(std::move(field));
  if (mode_.reader == Reader::Position && streamed) return at_position(std::move(field), false);
  if (!streamed || field.bits > look_bits(ground_.target))
    return leave("it reads byte-ordered or long integers from a bit stream");
  const unsigned bits = field.bits;
  need(bits);
  field.form = FieldForm::Look;
  add(std::move(field));
  consume(bits, bits);
  return true;
}

// Whole bytes at a byte boundary stand in the stream as its bits do, when the lowest comes first in both or the highest.
bool TokenLowering::in_stream_order(const ReadSpec& r) const {
  if (r.order == ReadSpec::Order::Stream) return true;
  const bool same = (r.order == ReadSpec::Order::Little) == (module().input == ir::Input::BitsLsb);
  return same && ground_.target != Target::Lane && !mode_.backward && mode_.nested && inner_ == nullptr && stream_.phase == 0;
}

bool TokenLowering::computed(const ReadSpec& r, Field field) {
  auto w = operand(*r.width);
  if (!w) return leave("a width needs the input's exact position");
  field.width = number();
  field.may_be_empty = r.type.is_signed && r.width->range.lo < 1;
  hoist_or_add(r, {field.width, *std::move(w), {}});
  if (bytes()) {
    field.form = FieldForm::Load;
    field.big = r.order != ReadSpec::Order::Little;
    add(std::move(field), {8});
    return true;
  }
  if (!in_stream_order(r) || r.type.is_signed)
    return leave("it reads byte-ordered or signed integers from a bit stream");
  const auto most = static_cast<unsigned>(std::min<ir::i128>(r.width->range.hi, 64));
  const unsigned look = look_bits(ground_.target);
  field.bits = most;
  if (mode_.reader == Reader::Position)
    return at_position(std::move(field),
                       mode_.nested && stream_.phase == 0 && inner_ == nullptr && multiple_of_8(*r.width));
  need(std::min(most, look));
  if (most <= look) {
    field.form = FieldForm::Look;
    add(std::move(field));
    consume(most, (most + 1) / 2);
    return true;
  }
  // More than a refill holds: the first 32 bits, then the rest. Widths rarely change, so the branch is predicted.
  field.form = FieldForm::LookWide;
  field.value = number();
  add(std::move(field), {8});
  stream_.buffered = stream_.likely = 0;
  last_need_.reset();
  return true;
}

// Under a condition a width stays where it is: the condition may be what makes it safe to compute.
void TokenLowering::hoist_or_add(const ReadSpec& r, Width width) {
  width.span = current_->span;
  if (inner_ != nullptr && depth_.conditional == inner_->conditional && same_in_every_step(*r.width))
    inner_->widths.push_back(std::move(width));
  else if (mode_.reader == Reader::Position && inner_ == nullptr && depth_.conditional == 0 &&
           same_in_every_token(*r.width))
    loop_.hoisted.emplace_back(std::move(width));
  else
    add(std::move(width));
}

// `whole`: width and position are known to be multiples of 8.
bool TokenLowering::at_position(Field field, bool whole) {
  field.form = whole ? FieldForm::AtBytes : field.bits > kOneLoad ? FieldForm::AtWide : FieldForm::At;
  const std::uint64_t bits = field.bits;
  add(std::move(field), {0, 0, bits});
  stream_.forget_word();
  if (!whole) stream_.forget_phase();
  return true;
}

// Fields of fixed width that follow each other come from one load.
bool TokenLowering::in_word(Field field) {
  const unsigned n = field.bits;
  if (stream_.word == kNoValue || stream_.word_used + n > stream_.word_bits) {
    const bool whole = stream_.phase == 0;
    stream_.word = number();
    stream_.word_used = 0;
    stream_.word_bits = whole ? 64 : kOneLoad;
    add(Word{stream_.word, whole});
  }
  field.form = FieldForm::InWord;
  field.value = stream_.word;
  field.offset = stream_.word_used;
  add(std::move(field), {0, 0, n});
  stream_.word_used += n;
  if (stream_.phase != Stream::kUnknownPhase) stream_.phase = (stream_.phase + n) % 8;
  return true;
}

bool TokenLowering::varint(const ReadSpec& r, Field field) {
  field.form = FieldForm::Varint;
  const unsigned groups = groups_of(r.type);
  if (!mode_.nested) {
    if (!bytes()) return leave("it reads varints from a bit stream");
    field.value = number(2);
    add(std::move(field), {groups});
    return true;
  }
  // Its bytes must be whole bytes of the input.
  if (inner_ != nullptr) return leave("it reads varints in a loop");
  field.checks_boundary = stream_.phase != 0;
  field.value = number(2);
  add(std::move(field), {0, 0, 8 * groups});
  stream_.phase = 0;
  stream_.forget_word();
  return true;
}

bool TokenLowering::ranges(const ReadSpec& r, Field field) {
  auto i = operand(*r.index);
  if (!i || bytes()) return leave("it reads extra bits at a position that is not known");
  const std::vector<std::uint8_t>& extra = module().ranges[r.ref].extra;
  const unsigned most = *std::ranges::max_element(extra);
  const auto mean = static_cast<unsigned>(std::accumulate(extra.begin(), extra.end(), std::size_t{0}) / extra.size());
  if (most > look_bits(ground_.target)) return leave("its extra bits are more than the bit buffer shows");
  need(most);
  field.form = FieldForm::Ranges;
  field.bits = most;
  field.ref = r.ref;
  field.index = *std::move(i);
  field.value = number(2);
  add(std::move(field));
  consume(most, mean + 1);
  return true;
}

bool TokenLowering::align(const Stmt& s) {
  if (!mode_.nested || inner_ != nullptr) return leave("it skips to a byte boundary");
  if (stream_.phase == 0) return true;
  if (s.flag) return leave("it tests the bits up to a byte boundary");
  add(Align{}, {0, 0, 7});
  stream_.phase = 0;
  stream_.forget_word();
  return true;
}

bool TokenLowering::skip(const Stmt& s) {
  auto n = operand(*s.a);
  if (!n || !bytes()) return leave("it skips input");
  add(Skip{*std::move(n)});
  return true;
}

}  // namespace sluice::plan
