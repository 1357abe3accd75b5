// Loops. What is known before a loop about something assigned inside it does not hold at the start of a step.
#include <fmt/format.h>

#include <algorithm>

#include "dsl/sema/body.h"

namespace sluice::sema {

using AstKind = ast::Stmt::Kind;
using model::Op;
using Kind = model::Stmt::Kind;

// Forgets facts about everything the block assigns, at any depth. A name of a variable declared inside the block
// resolves to nothing here (shadowing is forbidden, so to nothing else either).
void Body::forget_assigned(const ast::Block& block) {
  for (const auto& s : block) {
    if (s->kind == AstKind::Assign || s->kind == AstKind::ReadInto) {
      const Symbol* target = find(s->name.text);
      if (target != nullptr && target->kind == Symbol::Kind::Local) facts_.forget(target->id);
      if (target != nullptr && target->kind == Symbol::Kind::Global) facts_.forget(target->id | kGlobalBit);
    }
    if (s->kind == AstKind::Call || s->kind == AstKind::Read || s->kind == AstKind::ReadInto)
      facts_.forget_globals();
    forget_assigned(s->body);
    for (const ast::Arm& arm : s->arms) forget_assigned(arm.body);
  }
}

// Does the block assign anything that the value depends on, a call that may set globals included?
bool Body::assigns(const ast::Block& block, const model::Expr& value) {
  std::vector<Dependency> depends;
  collect_dependencies(value, depends);
  if (depends.empty()) return false;
  const auto on = [&](Dependency d) { return std::ranges::find(depends, d) != depends.end(); };
  const bool on_globals = std::ranges::any_of(depends, [](Dependency d) { return (d & kGlobalBit) != 0; });
  return std::ranges::any_of(block, [&](const auto& s) {
    if (s->kind == AstKind::Assign || s->kind == AstKind::ReadInto) {
      const Symbol* target = find(s->name.text);
      if (target != nullptr && on(target->kind == Symbol::Kind::Global ? target->id | kGlobalBit : target->id)) return true;
    }
    if (on_globals && (s->kind == AstKind::Call || s->kind == AstKind::Read || s->kind == AstKind::ReadInto)) return true;
    return assigns(s->body, value) || std::ranges::any_of(s->arms, [&](const ast::Arm& arm) { return assigns(arm.body, value); });
  });
}

// repeat until C, at most N      repeat N times: if C: stop, then the step
void Body::loop(const ast::Stmt& s, model::Block& out) {
  const bool bounded = s.b != nullptr;
  const Kind kind = bounded                                 ? Kind::Times
                    : s.kind == AstKind::RepeatForever      ? Kind::Forever
                    : s.kind == AstKind::RepeatUntilEnd     ? Kind::UntilEnd
                    : s.kind == AstKind::RepeatUntilOutputs ? Kind::UntilOutputs
                    : s.kind == AstKind::RepeatUntil        ? Kind::UntilCond
                                                            : Kind::Times;
  auto stmt = make_stmt(kind, s);
  bool ok = true;
  if (kind == Kind::Times || kind == Kind::UntilOutputs) {
    stmt->a = amount(bounded ? s.b.get() : s.a.get(), "this count");
    ok = stmt->a != nullptr;
  }
  forget_assigned(s.body);
  ExprPtr until;
  if (s.kind == AstKind::RepeatUntil) {
    until = condition(s.a.get());
    if (until)
      warn_constant(*s.a, *until);
    else
      ok = false;
  } else if (bounded) {
    until = make(Op::AtEnd, model::kBool, {0, 1}, s.span);
  }
  const Facts head = facts_;
  if (until) facts_.assume(*until, false);

  scopes_.emplace_back();
  if (s.kind == AstKind::For) {
    const i128 last = ok && stmt->a->range.hi > 0 ? stmt->a->range.hi - 1 : 0;
    stmt->slot = declare_local(s.name, model::kU64, {0, ok ? last : kU64Range.hi}, false, true);
    if (ok && !assigns(s.body, *stmt->a)) facts_.stay_below(stmt->slot, *stmt->a);
  }
  if (bounded && until) {
    auto test = make_stmt(Kind::Choose, s);
    model::Arm leave;
    leave.span = s.span;
    leave.condition = model::clone(*until);
    leave.body.push_back(make_stmt(Kind::Stop, s));
    test->arms.push_back(std::move(leave));
    stmt->body.push_back(std::move(test));
  }
  loops_.push_back({regions_});
  scoped_block(s.body, stmt->body);
  const bool stopped = loops_.back().stopped;
  loops_.pop_back();
  scopes_.pop_back();

  facts_ = head;
  if (kind == Kind::Forever) facts_.reachable = stopped;
  if (kind == Kind::UntilCond && ok) {
    if (!stopped) facts_.assume(*until, true);
    stmt->a = std::move(until);
  }
  if (ok) out.push_back(std::move(stmt));
}

}  // namespace sluice::sema
