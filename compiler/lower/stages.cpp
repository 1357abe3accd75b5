// Stages and symbols.
//
//   stage inverse_mtf b, alphabet front[0, n]     check (le n 256)                          site out_of_range
//                                                 stage inverse_mtf b, front, n             site out_of_range
//   emit unshuffled b, size n                     check (ge n 1)                          site out_of_range
//                                                 emit_buffer b unshuffled size n         site output_full
//   literals b[i, n]                              check (and (le i count) (le n (sub count i)))  site out_of_range
//                                                 emit_buffer b slice from i count n      site output_full
//   s[i] := next n bytes                          check (lt i count)                        site out_of_range
//                                                 check (and (ge n 1) (le n 8))             site out_of_range
//                                                 read_symbol s, i, n                       site end_of_input
#include <fmt/format.h>

#include <algorithm>

#include "compiler/lower/expr.h"
#include "compiler/lower/rule.h"

namespace sluice::lower {

using Kind = model::Stmt::Kind;
using ir::Reason;
using Out = ir::Stmt::Kind;

namespace {

// Sums wrap, whatever is added.
bool can_refuse(model::StageKind k) { return k != model::StageKind::PrefixSum && k != model::StageKind::Add; }

}  // namespace

void RuleLowering::stage(const Stmt& s, ir::Block& out) {
  // A negative origin, as a word, is past every buffer: the stage refuses it.
  checks(s.a.get(), out);
  if (s.b) {
    const std::uint64_t most = std::min<std::uint64_t>(format_.arrays[s.array].count, model::kMaxAlphabet);
    fitting(*s.b, model::kU64, out, "the size of an alphabet");
    if (s.b->range.hi > static_cast<model::i128>(most))
      in_range(out, truth(ir::Op::Le, s.b->span, fitted_word(*s.b), constant(most, s.b->span)), s.b->span,
               fmt::format("is more than {}, the size of the largest alphabet", most));
  }
  ir::Stmt& to = add(out, Out::Stage, s);
  to.stage = s.stage;
  to.ref = s.ref;
  to.array = s.array == Stmt::kNoSlot ? ir::Stmt::kNoSlot : s.array;
  if (s.stage == model::StageKind::PrefixSum && !s.a)
    to.a = constant(0, s.span);
  else if (s.a)
    to.a = unsigned_word(*s.a);
  if (s.b) to.b = fitted_word(*s.b);
  if (can_refuse(s.stage)) to.sites[0] = site(Reason::OutOfRange, s.span);
}

// literals b[a, b]: all of them are there.
void RuleLowering::slice(const Stmt& s, ir::Block& out) {
  checks(s.a.get(), out);
  checks(s.b.get(), out);
  fitting(*s.a, model::kU64, out, "the number of an element");
  fitting(*s.b, model::kU64, out, "a count");
  const auto count = [&] {
    ir::ExprPtr held = node(ir::Op::BufferCount, model::kU64, {0, static_cast<model::i128>(format_.buffers[s.ref].limit)}, s.span);
    held->ref = s.ref;
    return held;
  };
  const auto wrong = fmt::format("passes the end of what `{}` holds", format_.buffers[s.ref].name);
  if (s.a->range.hi + s.b->range.hi <= model::range_of(model::kU64).hi) {  // their sum tells
    ir::ExprPtr end = node(ir::Op::Add, model::kU64, {0, s.a->range.hi + s.b->range.hi}, s.span);
    end->kids.push_back(fitted_word(*s.a));
    end->kids.push_back(fitted_word(*s.b));
    return in_range(out, truth(ir::Op::Le, s.span, std::move(end), count()), s.span, wrong);
  }
  ir::ExprPtr starts = truth(ir::Op::Le, s.span, fitted_word(*s.a), count());
  ir::ExprPtr left = node(ir::Op::Sub, model::kU64, model::range_of(model::kU64), s.span);
  left->kids.push_back(count());
  left->kids.push_back(fitted_word(*s.a));
  ir::ExprPtr ends = truth(ir::Op::Le, s.span, fitted_word(*s.b), std::move(left));
  in_range(out, truth(ir::Op::LogAnd, s.span, std::move(starts), std::move(ends)), s.span, wrong);
}

void RuleLowering::emit_buffer(const Stmt& s, ir::Block& out) {
  const bool part = s.form == model::BufferForm::Slice;
  if (part) slice(s, out);
  if (s.a && !part) {
    checks(s.a.get(), out);
    fitting(*s.a, model::kU64, out, "the size of an element");
    if (s.a->range.lo < 1)
      in_range(out, truth(ir::Op::Ge, s.a->span, fitted_word(*s.a), constant(1, s.a->span)), s.a->span,
               "is 0, and an element has a byte at least");
  }
  ir::Stmt& to = add(out, Out::EmitBuffer, s);
  to.ref = s.ref;
  to.form = s.form;
  if (s.a) to.a = fitted_word(*s.a);
  if (s.b) to.b = fitted_word(*s.b);
  to.sites[0] = site(Reason::OutputFull, s.span);
  if (s.form == model::BufferForm::Runs) to.sites[1] = site(Reason::OutputShort, s.span);
}

void RuleLowering::symbol(const Stmt& s, ir::Block& out) {
  const std::uint64_t count = format_.symbols[s.ref].count;
  checks(s.a.get(), out);
  checks(s.b.get(), out);
  if (s.a->range.hi >= static_cast<model::i128>(count))
    in_range(out, truth(ir::Op::Lt, s.a->span, plain(*s.a), constant(count, s.a->span)), s.a->span,
             no_index(format_.symbols[s.ref].name, count));
  if (s.kind == Kind::EmitSymbol) {
    ir::Stmt& to = add(out, Out::EmitSymbol, s);
    to.ref = s.ref;
    to.a = plain(*s.a);
    to.sites[0] = site(Reason::NoSuchCode, s.span);
    to.sites[1] = site(Reason::OutputFull, s.span);
    return;
  }
  const model::Range lengths{1, static_cast<model::i128>(model::kMaxSymbolBytes)};
  if (!model::within(s.b->range, lengths)) {
    // A negative length, as a word, is far above 8.
    ir::ExprPtr some = truth(ir::Op::Ge, s.b->span, unsigned_word(*s.b), constant(1, s.b->span));
    ir::ExprPtr few = truth(ir::Op::Le, s.b->span, unsigned_word(*s.b), constant(model::kMaxSymbolBytes, s.b->span));
    in_range(out, truth(ir::Op::LogAnd, s.b->span, std::move(some), std::move(few)), s.b->span,
             "is not a length of 1 to 8 bytes");
  }
  if (s.needs_alignment) check(out, truth(ir::Op::Aligned, s.span, nullptr), Reason::Unaligned, s.span, {}, kUnaligned);
  ir::Stmt& to = add(out, Out::ReadSymbol, s);
  to.ref = s.ref;
  to.a = plain(*s.a);
  to.b = fitted_word(*s.b);
  to.sites[0] = site(Reason::EndOfInput, s.span);
}

}  // namespace sluice::lower
