// Loops. What is known before a loop about something assigned inside it does not hold at the start of a step.
#include <fmt/format.h>

#include "dsl/sema/body.h"

namespace sluice::sema {

using AstKind = ast::Stmt::Kind;
using Kind = model::Stmt::Kind;

// Forgets facts about everything the block assigns, at any depth. A name of a variable declared inside the block
// resolves to nothing here (shadowing is forbidden, so to nothing else either).
void Body::forget_assigned(const ast::Block& block) {
  for (const auto& s : block) {
    if (s->kind == AstKind::Assign) {
      const Symbol* target = find(s->name.text);
      if (target != nullptr && target->kind == Symbol::Kind::Local) facts_.forget(target->id);
      if (target != nullptr && target->kind == Symbol::Kind::Global) facts_.forget(target->id | kGlobalBit);
    }
    if (s->kind == AstKind::Call || s->kind == AstKind::Read) facts_.forget_globals();
    forget_assigned(s->body);
    for (const ast::Arm& arm : s->arms) forget_assigned(arm.body);
  }
}

void Body::loop(const ast::Stmt& s, model::Block& out) {
  const Kind kind = s.kind == AstKind::RepeatForever        ? Kind::Forever
                    : s.kind == AstKind::RepeatUntilEnd     ? Kind::UntilEnd
                    : s.kind == AstKind::RepeatUntilOutputs ? Kind::UntilOutputs
                    : s.kind == AstKind::RepeatUntil        ? Kind::UntilCond
                                                            : Kind::Times;
  auto stmt = make_stmt(kind, s);
  bool ok = true;
  if (kind == Kind::Times || kind == Kind::UntilOutputs) {
    stmt->a = amount(s.a.get(), "this count");
    ok = stmt->a != nullptr;
  }
  forget_assigned(s.body);
  if (kind == Kind::UntilCond) {
    stmt->a = condition(s.a.get());
    ok = stmt->a != nullptr;
    if (ok) warn_constant(*s.a, *stmt->a);
  }
  const Facts head = facts_;
  if (kind == Kind::UntilCond && ok) facts_.assume(*stmt->a, false);

  scopes_.emplace_back();
  if (s.kind == AstKind::For) {
    const i128 last = ok && stmt->a->range.hi > 0 ? stmt->a->range.hi - 1 : 0;
    stmt->slot = declare_local(s.name, model::kU64, {0, ok ? last : kU64Range.hi}, false, true);
  }
  loops_.push_back({regions_});
  scoped_block(s.body, stmt->body);
  const bool stopped = loops_.back().stopped;
  loops_.pop_back();
  scopes_.pop_back();

  facts_ = head;
  if (kind == Kind::Forever) facts_.reachable = stopped;
  if (kind == Kind::UntilCond && ok && !stopped) facts_.assume(*stmt->a, true);
  if (ok) out.push_back(std::move(stmt));
}

}  // namespace sluice::sema
