// Loops inside a token: see lower_token.h.
//
//   repeat until end of input             loop of tokens, nested
//     kind: u2                              word #0                                    one load for all of
//     count: u6                             field kind 2 of #0; field count 6 of #0      the token's first fields
//     repeat count + 1 times         ->     unchecked (add count 1)                         room for all of it, tested
//     once
//       value: uint(width[kind])              field value at #1, same in every step
//       emit value                            store value
//     align                                 align
//
// A loop tests once that all its steps fit, so it must be one in which nothing else can go wrong; in tokens that are
// not nested it tests before each step. Whatever can't be done so leaves the token, and the checked path does it, with
// fast loops of its own inside.
#include <algorithm>
#include <utility>

#include "compiler/analysis/loop_state.h"
#include "compiler/plan/lower_token.h"
#include "compiler/plan/suited.h"

namespace sluice::plan {
namespace {

using ir::LoopKind;
using ir::Stmt;

constexpr ir::i128 kMaxCounted = ir::i128{1} << 57;  // times a width of 64 bits fits a word

// May control leave a step, or go on anywhere but behind it?
bool steps_may_fail(const Body& body) { return holds<Exit, Break>(body) || any_step(body, may_leave); }

}  // namespace

bool TokenLowering::inner_loop(const Stmt& s) {
  if (!mode_.nested && inner_ == nullptr && fills(s)) return ground_.target == Target::Warp ? side_by_side(s) : unchecked(s);
  if (!mode_.nested && inner_ == nullptr && depth_.loops == 0 && repeats_values(ground_, s)) return unchecked(s);
  if (!mode_.nested) return repeat(s);
  if (s.loop != LoopKind::Times || inner_ != nullptr) return leave("it holds a loop without a count");
  return ground_.target == Target::Warp ? side_by_side(s) : unchecked(s);
}

// Does the loop do nothing but store elements, of a warp's lanes each its own? Then there is nothing to be tested.
bool TokenLowering::fills(const Stmt& s) {
  if (s.loop != LoopKind::Times || lanes_ != nullptr || ground_.target == Target::Lane) return false;
  Lanes lanes;
  lanes.outer = analysis::set_outside(module(), loop_.scopes[stack_.back()].rule, s);
  collect_set(s.body, lanes.set_inside);
  lanes.index = s.slot;
  lanes_ = &lanes;
  const bool own = std::ranges::all_of(s.body, [&](const auto& x) {
    return x->kind == Stmt::Kind::SetElem && (ground_.target != Target::Warp || own_element(*x));
  });
  lanes_ = nullptr;
  return own && analysis::stored_and_read(module(), s).first == nullptr;
}

bool TokenLowering::repeat(const Stmt& s) {
  const bool progresses = s.loop == LoopKind::Times || s.sites[0] == ir::kNoSite;
  const bool has_form = s.loop == LoopKind::Forever || s.loop == LoopKind::Times || s.loop == LoopKind::UntilCond;
  if (!progresses || !has_form) return leave("it holds a loop whose progress is checked at run time");
  Repeat made;
  if (s.loop == LoopKind::Times) {
    auto n = operand(*s.a);
    if (!n) return leave("a count needs the input's exact position");
    made.count = *std::move(n);
    made.value = number(2);
    if (s.slot != Stmt::kNoSlot) made.index = define(s.slot);
  }
  if (s.loop == LoopKind::UntilCond) {
    auto c = operand(*s.a);
    if (!c) {
      made.body = collect([&] { leave("a condition needs the input's exact position"); });
      add(std::move(made));
      return false;
    }
    made.until = *std::move(c);
  }
  stream_.buffered = stream_.likely = 0;
  ++depth_.loops;
  ++depth_.conditional;
  made.body = collect([&] { list(pointers(s.body)); });
  --depth_.conditional;
  --depth_.loops;
  add(std::move(made));
  stream_.buffered = stream_.likely = 0;
  return true;
}

// The steps of a counted loop in a nested token.
Body TokenLowering::steps_of(const Stmt& s, Inner& inner, bool& falls) {
  inner.calls = stack_.size();
  inner.conditional = ++depth_.conditional;
  collect_set(s.body, inner.written);
  if (s.slot != Stmt::kNoSlot) inner.written.insert(s.slot);
  inner_ = &inner;
  ++depth_.loops;
  if (lanes_) lanes_->conditional = depth_.conditional;
  Body body = collect([&] { falls = list(pointers(s.body)); });
  --depth_.conditional;
  --depth_.loops;
  inner_ = nullptr;
  stream_.forget_word();
  stream_.forget_phase();
  return body;
}

bool TokenLowering::unchecked(const Stmt& s) {
  auto count = operand(*s.a);
  if (!count) return leave("a count needs the input's exact position");
  Unchecked made;
  made.count = *std::move(count);
  if (s.slot != Stmt::kNoSlot) made.index = define(s.slot);
  Inner inner;
  bool falls = false;
  stream_.forget_word();
  stream_.forget_phase();
  made.body = steps_of(s, inner, falls);
  // What a step leaves out for a later one would make the steps unequal.
  if (!falls || steps_may_fail(made.body)) return leave("it holds a loop whose steps may fail");
  made.widths = std::move(inner.widths);
  made.step = cost_of(made.body);
  made.only_field = only_field(made.body, values_of(made.widths));
  made.exact = made.only_field != kNoValue && s.a->range.hi <= kMaxCounted;
  made.value = number();
  add(std::move(made));
  return true;
}

}  // namespace sluice::plan
