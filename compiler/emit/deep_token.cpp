// Tokens of outer loops over bit streams, such as the runs of ORC's integers: short ones are decoded without leaving
// the fast loop.
//
//   repeat until end of input         while (bit <= bit_limit && out <= out_limit) {
//     kind: u2                          const u64 word = prim::word_at<true>(src, bit);        one load for all of
//     count: u6                         kind = prim::field<true>(word, 0, 2);                  the token's first fields
//     repeat count + 1 times            ...
//       value: uint(width[kind])        if (n > (bit_limit - bit) / 8 || ...) goto leave;      room for the whole loop
//       emit value                      for (u64 k = 0; k < n; ++k) ...                        tests its count only
//     align                             bit = (bit + 7) & ~7ull;
//                                     }
//
// An inner loop tests once that all its steps fit, so it must be one in which nothing else can go wrong. Whatever can't
// be done so leaves the token, and the careful half does it, with fast loops of its own inside.
#include <algorithm>
#include <utility>

#include "compiler/emit/fast_token.h"
#include "compiler/emit/sure_steps.h"

namespace sluice::emit {
namespace {

using ir::Op;
using ir::Stmt;

constexpr ir::i128 kMostCounted = ir::i128{1} << 57;  // times a width of 64 bits fits a word
constexpr std::uint64_t kLeastWhole = 16;             // from so many steps on a loop of its own for whole bytes pays

void written_in(const ir::Block& b, std::set<std::uint32_t>& slots) {
  for (const auto& s : b) {
    if (s->slot != Stmt::kNoSlot) slots.insert(s->slot);
    written_in(s->body, slots);
    written_in(s->orelse, slots);
  }
}

}  // namespace

// A node of an expression that may be computed before a loop that then makes no step. A divisor may be known not to be
// 0 because there is a step.
bool FastToken::safe_without_steps(const ir::Expr& e) {
  if (e.op == Op::Div || e.op == Op::Rem) return e.kids[1]->op == Op::Const;
  return e.op == Op::Const || e.op == Op::TableElem || (e.op >= Op::Add && e.op <= Op::ZigZag);
}

bool FastToken::same_in_every_step(const ir::Expr& e) const {
  bool same = scopes_.size() == inner_->scope;
  for_each(e, [&](const ir::Expr& x) {
    same &= x.op == Op::Local ? !inner_->written.contains(x.ref) : safe_without_steps(x);
  });
  return same;
}

bool FastToken::sure_loop(const Stmt& s) {
  if (s.loop != ir::LoopKind::Times || inner_ != nullptr) return leave("it holds a loop without a count");
  if (context_.cuda && !context_.thread) return lanes_inner(s);
  const auto count = value_u64(*s.a);
  if (!count) return leave("a count needs the input's exact position");
  Inner inner;
  inner.scope = scopes_.size();
  written_in(s.body, inner.written);
  SureSteps steps;
  if (s.slot != Stmt::kNoSlot) {
    inner.written.insert(s.slot);
    steps.before = fmt::format("{} = k;\n", define(s.slot));
  }
  Writer around = std::exchange(writer_, Writer());
  const Cost before = std::exchange(cost_, Cost{});
  const TokenNeeds uses = uses_;
  inner_ = &inner;
  ++inner_loops_;
  inner.conditional = ++conditional_;
  word_.clear();
  phase_ = kUnknownPhase;
  const bool falls = list([&] {
    List all;
    for (const auto& stmt : s.body) all.push_back(stmt.get());
    return all;
  }());
  --conditional_;
  --inner_loops_;
  inner_ = nullptr;
  word_.clear();
  phase_ = kUnknownPhase;
  steps.text = std::exchange(writer_, std::move(around)).take();
  const Cost one = std::exchange(cost_, before);
  // What a step leaves out for a later one (`goto`, `break`) would make the steps unequal.
  current_ = &s;
  if (!falls || uses_.gotos != uses.gotos || uses_.breaks != uses.breaks) {
    uses_ = uses;
    return leave("it holds a loop whose steps may fail");
  }
  steps.steady_widths = std::move(inner.widths);
  const std::string n = temporary("n");
  writer_.open("{");
  writer_.line("const u64 {} = {};", n, *count);
  writer_.raw(indented(inner.prologue, static_cast<int>(writer_.depth())));
  // All steps fit when as many of the longest do; a lone field's width tells it exactly.
  std::string lacks;
  const bool lone = !only_field(context_, steps).empty() && s.a->range.hi <= kMostCounted;
  if (lone)
    lacks = fmt::format("bit > bit_limit || {} * {} > bit_limit - bit", n, steps.steady_widths[0]);
  else if (one.bits > 0)
    lacks = fmt::format("bit > bit_limit || {} > (bit_limit - bit) / {}", n, one.bits);
  if (one.out > 0)
    lacks += fmt::format("{}{} / {}", lacks.empty() ? "" : " || ", lacks_output(n), one.out);
  if (!lacks.empty()) writer_.line("if (SLUICE_UNLIKELY({})) {}", lacks, go_leave());
  write_sure_steps(writer_, context_, steps, n, kLeastWhole);
  writer_.close();
  return true;
}

bool FastToken::align(const Stmt& s) {
  if (!deep_ || inner_ != nullptr) return leave("it skips to a byte boundary");
  if (phase_ == 0) return true;
  if (s.flag) return leave("it tests the bits up to a byte boundary");
  writer_.line("bit = (bit + 7) & ~7ull;");
  cost_.bits += 7;
  phase_ = 0;
  word_.clear();
  return true;
}

// A varint whose bytes must be whole bytes of the input.
bool FastToken::aligned_varint(const ir::ReadSpec& r, const std::string& target) {
  if (inner_ != nullptr) return leave("it reads varints in a loop");
  const unsigned groups = (r.type.bits + 6u) / 7u;
  if (phase_ != 0) writer_.line("if (SLUICE_UNLIKELY(bit & 7)) {}", go_leave());
  const std::string raw = temporary("raw"), length = temporary("length");
  writer_.line("u64 {} = 0, {} = 0;", raw, length);
  writer_.line(
      "if (SLUICE_UNLIKELY(prim::varint<{}>(src, prim::cursor(src, bit >> 3), {}, {}, {}) != prim::kVarintOk)) {}",
      r.type.bits, groups, raw, length, go_leave());
  writer_.line("bit += 8 * {};", length);
  writer_.line("{} = {};", target, r.type.is_signed ? fmt::format("prim::zigzag({})", raw) : raw);
  cost_.bits += 8 * groups;
  phase_ = 0;
  word_.clear();
  return true;
}

// Fields of fixed width that follow each other come from one load.
void FastToken::fixed_field(const ir::ReadSpec& r, const std::string& target) {
  const unsigned n = r.type.bits;
  if (word_.empty() || word_used_ + n > word_bits_) {
    word_ = temporary("word");
    word_used_ = 0;
    word_bits_ = phase_ == 0 ? 64 : 57;
    writer_.line("const u64 {} = prim::{}word_at<{}>(src, bit);", word_, phase_ == 0 ? "whole_" : "", context_.msb());
  }
  const std::string raw = fmt::format("prim::field<{}>({}, {}, {})", context_.msb(), word_, word_used_, n);
  writer_.line("{} = {};", target, r.type.is_signed ? fmt::format("prim::sign_extend({}, {})", raw, n) : raw);
  writer_.line("bit += {};", n);
  word_used_ += n;
  if (phase_ != kUnknownPhase) phase_ = (phase_ + n) % 8;
  cost_.bits += n;
}

}  // namespace sluice::emit
