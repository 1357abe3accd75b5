// Reading and output actions inside fast loops. See fast_token.h.
#include <algorithm>

#include "compiler/emit/fast_token.h"

namespace sluice::emit {
namespace {

using ir::Op;
using ir::ReadSpec;
using ir::Stmt;

// A copy or run of at most this many bytes has a static cost; longer ones test the limit themselves.
constexpr std::uint64_t kStaticBytes = 1056;  // 130 elements of 8 bytes (ORC RLE v1), 258 bytes (Deflate)
constexpr std::uint64_t kShortBytes = 64;     // what a longer-bounded copy may take without that test
constexpr std::uint64_t kSlack = 32;          // prim::kCopySlack
constexpr std::uint64_t kFlatBytes = 128;     // runs of at most this many bytes are stored at full length
constexpr std::uint64_t kRoundBytes = 48;     // prim::kRoundBytes, and what a number that begins in the last one has more
constexpr unsigned kMostWordBits = 32;        // longer fields are fetched by themselves

bool is_zero(const ir::Expr& e) { return e.op == Op::Const && e.imm == 0; }

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

}  // namespace

bool FastToken::read(const ReadSpec& r, const std::string& target) {
  const unsigned bits = r.type.bits;
  const auto sign = [&](const std::string& raw) {
    return r.type.is_signed ? fmt::format("prim::sign_extend({}, {})", raw, bits) : raw;
  };
  switch (r.kind) {
    case ReadSpec::Kind::Fixed:
      if (context_.bytes()) {
        const unsigned n = bits / 8;
        const bool big = r.order == ReadSpec::Order::Big;
        const unsigned load = n <= 1 ? 1 : n <= 2 ? 2 : n <= 4 ? 4 : 8;
        std::string raw = n == 1 ? "(u64)prim::load_byte(src, in)" : fmt::format("(u64)prim::load_{}{}(src, in)", big ? "be" : "le", 8 * load);
        if (n != load)
          raw = big ? fmt::format("({} >> {})", raw, 8 * (load - n))
                    : fmt::format("({} & 0x{:x})", raw, (std::uint64_t{1} << bits) - 1);
        writer_.line("{} = {};", target, sign(raw));
        writer_.line("in += {};", n);
        cost_.in += load;
        return true;
      }
      if (deep_ && inner_ == nullptr && r.order == ReadSpec::Order::Stream && bits <= kMostWordBits) {
        fixed_field(r, target);
        return true;
      }
      if (positional_ && r.order == ReadSpec::Order::Stream) return read_at(r, target, std::to_string(bits), bits);
      if (r.order != ReadSpec::Order::Stream || bits > context_.look_bits())
        return leave("it reads byte-ordered or long integers from a bit stream");
      need_bits(bits);
      writer_.line("{} = {};", target, sign(fmt::format("Bits::look(b, {})", bits)));
      writer_.line("Bits::drop(b, src, in, {});", bits);
      sure_bits_ -= bits;
      return true;
    case ReadSpec::Kind::Computed: {
      auto w = value_u64(*r.width);
      if (!w) return leave("a width needs the input's exact position");
      const std::string n = temporary("width");
      // Under a condition a width stays where it is: the condition may be what makes it safe to compute.
      if (inner_ != nullptr && conditional_ == inner_->conditional && same_in_every_step(*r.width)) {
        inner_->prologue += fmt::format("const u64 {} = {};\n", n, *w);
        inner_->widths.push_back(n);
      } else if (positional_ && inner_ == nullptr && conditional_ == 0 && same_in_every_token(*r.width)) {
        prologue_ += fmt::format("  const u64 {} = {};\n", n, *w);
        steady_widths_.push_back(n);
      } else {
        writer_.line("const u64 {} = {};", n, *w);
      }
      if (context_.bytes()) {
        std::string raw = r.order == ReadSpec::Order::Little
                              ? fmt::format("prim::load_le64(src, in) & prim::mask({})", n)
                              : fmt::format("{0} == 0 ? 0 : prim::load_be64(src, in) >> (64 - {0})", n);
        if (r.type.is_signed) raw = fmt::format("{0} == 0 ? 0 : prim::sign_extend({1}, {0})", n, raw);
        writer_.line("{} = {};", target, raw);
        writer_.line("in += {} >> 3;", n);
        cost_.in += 8;
        return true;
      }
      if (r.order != ReadSpec::Order::Stream || r.type.is_signed)
        return leave("it reads byte-ordered or signed integers from a bit stream");
      const auto most = static_cast<unsigned>(std::min<ir::i128>(r.width->range.hi, 64));
      if (positional_) {
        const bool whole = deep_ && phase_ == 0 && inner_ == nullptr && multiple_of_8(*r.width);
        return read_at(r, target, n, most, whole);
      }
      need_bits(std::min(most, context_.look_bits()));
      if (most <= context_.look_bits()) {
        writer_.line("{} = Bits::look_after(b, 0, {});", target, n);
        writer_.line("Bits::drop(b, src, in, {});", n);
        sure_bits_ -= most;
        return true;
      }
      // More than a refill holds: the first 32 bits, then the rest. Widths rarely change, so the branch is foreseen.
      writer_.open("if (SLUICE_LIKELY({} <= {})) {{", n, context_.look_bits());
      writer_.line("{} = Bits::look_after(b, 0, {});", target, n);
      writer_.line("Bits::drop(b, src, in, {});", n);
      writer_.next("} else {");
      const std::string part = temporary("part");
      writer_.line("const u64 {} = Bits::look(b, 32);", part);
      writer_.line("Bits::drop(b, src, in, 32);");
      writer_.line("Bits::refill(b, src, in);");
      if (context_.msb())
        writer_.line("{0} = {1} << ({2} - 32) | Bits::look_after(b, 0, {2} - 32);", target, part, n);
      else
        writer_.line("{0} = {1} | (u64)Bits::look_after(b, 0, {2} - 32) << 32;", target, part, n);
      writer_.line("Bits::drop(b, src, in, {} - 32);", n);
      writer_.close();
      cost_.in += 8;
      sure_bits_ = 0;
      return true;
    }
    case ReadSpec::Kind::Varint: {
      if (deep_) return aligned_varint(r, target);
      if (!context_.bytes()) return leave("it reads varints from a bit stream");
      const unsigned groups = (bits + 6) / 7;
      const std::string raw = temporary("raw"), length = temporary("length");
      writer_.line("u64 {} = 0, {} = 0;", raw, length);
      writer_.line("if (SLUICE_UNLIKELY(prim::varint<{}>(src, in, {}, {}, {}) != prim::kVarintOk)) {}", bits, groups,
                   raw, length, go_leave());
      writer_.line("in += {};", length);
      writer_.line("{} = {};", target, r.type.is_signed ? fmt::format("prim::zigzag({})", raw) : raw);
      cost_.in += groups;
      return true;
    }
    case ReadSpec::Kind::Ranges: {
      auto i = value_u64(*r.index);
      if (!i || context_.bytes()) return leave("it reads extra bits at a position that is not known");
      const auto& extra = context_.module.ranges[r.ref].extra;
      const unsigned most = *std::max_element(extra.begin(), extra.end());
      need_bits(most);
      const std::string at = temporary("at"), n = temporary("extra");
      writer_.line("const u64 {} = {};", at, *i);
      writer_.line("const u64 {} = {}_extra[{}];", n, context_.ranges(r.ref), at);
      writer_.line("{} = {}_base[{}] + Bits::look_after(b, 0, {});", target, context_.ranges(r.ref), at, n);
      writer_.line("Bits::drop(b, src, in, {});", n);
      sure_bits_ -= most;
      return true;
    }
    case ReadSpec::Kind::Code:
      break;
  }
  return leave("it reads symbols one by one into an array");
}

// Parameters and names bound before the loop keep their value; tables are constant.
bool FastToken::same_in_every_token(const ir::Expr& e) const {
  bool same = scopes_.size() == 1;
  for_each(e, [&](const ir::Expr& x) {
    const bool local =
        x.op == Op::Local && outer_.count(x.ref) && !context_.module.rules[scopes_[0].rule].slots[x.ref].is_mutable;
    same &= local || safe_without_steps(x);
  });
  return same;
}

bool FastToken::read_at(const ReadSpec& r, const std::string& target, const std::string& width, unsigned most,
                        bool whole) {
  const char* reader = lanes_ ? "lane_" : whole ? "whole_" : most > 57 ? "wide_" : "";
  const std::string raw = fmt::format("prim::{}bits_at<{}>(src, bit, {})", reader, context_.msb(), width);
  if (lanes_) lanes_->strides.push_back(width);
  std::string value = raw;
  if (r.type.is_signed) {
    const bool none = r.kind == ReadSpec::Kind::Computed && r.width->range.lo < 1;  // no bits have no sign
    value = fmt::format("{}prim::sign_extend({}, {})", none ? width + " == 0 ? 0 : " : "", raw, width);
  }
  writer_.line("{} = {};", target, value);
  writer_.line("bit += {};", width);
  cost_.bits += most;
  word_.clear();
  if (!whole) phase_ = kUnknownPhase;
  return true;
}

bool FastToken::literals(const Stmt& s) {
  auto n = value_u64(*s.a);
  if (!n) return leave("a count needs the input's exact position");
  outputs_ = true;
  const ReadSpec& r = s.read;
  const std::string count = temporary("n");
  if (context_.bytes() && r.kind == ReadSpec::Kind::Fixed && r.type.bits == 8 && context_.elem_bytes() == 1) {
    if (s.a->op == Op::Const && s.a->imm <= 8) {
      if (s.a->imm == 1)
        writer_.line("prim::store<1>(out, prim::load_byte(src, in));");
      else
        writer_.line("prim::move_short(out, src, in, {});", s.a->imm);
      writer_.line("in += {0}; out += {0};", s.a->imm);
      cost_.in += context_.thread ? s.a->imm : 8;
      cost_.out += 8;
      return true;
    }
    writer_.line("const u64 {} = {};", count, *n);
    writer_.open("if (SLUICE_LIKELY({} <= {})) {{", count, kSlack);
    writer_.line("prim::literals_short(out, src, in, {});", count);
    writer_.next("} else {");
    writer_.line("if ({0} || {1} > (u64)(in_limit - in) || {2}) {3}", input_past(), count, lacks_output(count),
                 go_leave());
    writer_.line("prim::literals(out, src, in, {});", count);
    writer_.close();
    writer_.line("in += {0}; out += {0};", count);
    cost_.in += 2 * kSlack;  // n <= 32, and 32 bytes loaded wherever that ends
    cost_.out += 2 * kSlack;
    return true;
  }
  if (r.kind == ReadSpec::Kind::Varint && context_.cuda && !context_.thread && context_.bytes()) {
    const std::string used = temporary("used"), done = temporary("done");
    writer_.line("u64 {} = {};", count, *n);
    writer_.line("SLUICE_ROLLED");
    writer_.open("while ({} != 0) {{", count);
    writer_.line("if (SLUICE_UNLIKELY({} || out > out_limit)) {}", input_past(), go_leave());
    writer_.line("u32 {} = 0;", used);
    writer_.line("const u32 {} = prim::lane_varints<{}, {}, {}>(out, src, in, {}, {});", done, context_.elem_bytes(),
                 r.type.bits, r.type.is_signed, count, used);
    writer_.line("if (SLUICE_UNLIKELY({} == 0)) {}", done, go_leave());
    writer_.line("in += {0}; out += {1} * {2}; {3} -= {1};", used, done, context_.elem_bytes(), count);
    writer_.close();
    cost_.in += kRoundBytes;
    cost_.out += kRoundBytes * context_.elem_bytes();
    return true;
  }
  const Mark start = mark();
  writer_.open("for (u64 {0} = {1}; {0} > 0; --{0}) {{", count, *n);
  writer_.line("if (SLUICE_UNLIKELY({} || out > out_limit)) {}", input_past(), go_leave());
  const std::string element = temporary("element");
  writer_.line("{} {} = 0;", held(r.type), element);
  const auto forget = [&] {
    sure_bits_ = 0;
    phase_ = kUnknownPhase;
    word_.clear();
  };
  forget();
  const bool known = read(r, element);
  writer_.line("prim::store<{}>(out, (u64){});", context_.elem_bytes(), element);
  writer_.line("out += {};", context_.elem_bytes());
  cost_.out += context_.elem_bytes();
  writer_.close();
  forget();
  if (!known) {  // one literal is one too many; with none of them the token goes on
    back_to(start);
    outputs_ = true;
    gone_ = false;
    writer_.line("if (({}) != 0) {}", *n, go_leave());
  }
  return true;
}

bool FastToken::emit_symbol(const Stmt& s) {
  auto i = value_u64(*s.a);
  if (!i) return leave("a symbol's index needs the input's exact position");
  outputs_ = true;
  const std::string at = temporary("at"), n = temporary("n"), table = fmt::format("{}->{}", scratch(), context_.symbols(s.ref));
  writer_.line("const u64 {0} = {1}, {2} = {3}.length[{0}];", at, *i, n, table);
  writer_.line("if (SLUICE_UNLIKELY({} == 0)) {}", n, go_leave());
  writer_.line("prim::put(out, {}.text[{}], {});", table, at, n);
  writer_.line("out += {};", n);
  cost_.out += 8;
  return true;
}

bool FastToken::run(const Stmt& s) {
  auto v = value_u64(*s.a), n = value_u64(*s.b);
  std::optional<std::string> step = s.c ? value_u64(*s.c) : "0";
  if (!v || !n || !step) return leave("a run needs the input's exact position");
  outputs_ = true;
  const unsigned size = context_.elem_bytes();
  const auto most = s.b->range.hi;
  const bool fixed = most * size <= static_cast<ir::i128>(kStaticBytes);
  const std::string count = temporary("n"), first = temporary("first");
  writer_.line("const u64 {} = {}, {} = {};", count, *n, first, *v);
  const bool is_flat = !s.c || is_zero(*s.c);
  if (deep_ && !context_.cuda && fixed && is_flat && most * size <= static_cast<ir::i128>(kFlatBytes)) {
    // Always as many as there may be: no branch to guess.
    writer_.line("prim::fill_flat<{}, {}>(out, {});", size, static_cast<std::uint64_t>(most), first);
    writer_.line("out += {} * {};", size, count);
    cost_.out += static_cast<std::uint64_t>(most) * size;
    return true;
  }
  if (!fixed)
    writer_.line("if (SLUICE_UNLIKELY({} / {})) {}", lacks_output(count), size, go_leave());
  cost_.out += (fixed ? static_cast<std::uint64_t>(most) * size : 0) + kSlack;
  if (size == 1 && is_flat) {
    writer_.line("prim::fill_wide(out, {}, {});", first, count);
  } else {
    writer_.line("prim::fill<{}>(out, {}, {}, {});", size, first, *step, count);
  }
  writer_.line("out += {} * {};", size, count);
  return true;
}

bool FastToken::copy(const Stmt& s) {
  if (context_.elem_bytes() != 1) return leave("it copies elements of more than one byte");
  auto d = value_u64(*s.a), n = value_u64(*s.b);
  if (!d || !n) return leave("a copy needs the input's exact position");
  outputs_ = true;
  const std::string far = temporary("far"), count = temporary("n");
  writer_.line("const u64 {} = {}, {} = {};", far, *d, count, *n);
  const std::uint64_t window = context_.module.window;
  uses_.window = uses_.copies = true;
  writer_.line(
      "if (SLUICE_UNLIKELY(prim::too_far{2}({0}, out, window){1})) {3}", far,
      window != 0 && s.a->range.hi > static_cast<ir::i128>(window) ? fmt::format(" || {} > {}", far, window) : "",
      s.a->range.hi <= 0xffffffff ? "<u32>" : "<u64>", go_leave());
  if (s.b->range.hi <= static_cast<ir::i128>(kStaticBytes)) {
    cost_.out += static_cast<std::uint64_t>(s.b->range.hi) + kSlack;
  } else {
    writer_.line("if (SLUICE_UNLIKELY({} > {}) && ({})) {}", count, kShortBytes, lacks_output(count), go_leave());
    cost_.out += kShortBytes + kSlack;
  }
  if (last_copy_) {
    // The copy needs nothing more of the input: the next look-up runs beside it.
    last_copy_ = false;
    preload();
    preloaded_ = true;
  }
  writer_.line("prim::copy_match(later, out, {}, {});", far, count);
  writer_.line("out += {};", count);
  return true;
}

}  // namespace sluice::emit
