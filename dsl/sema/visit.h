#pragma once
// Walks over the model: every statement, every expression.
#include "dsl/model/model.h"

namespace sluice::sema {

template <class BlockType, class Visit>
void for_each_stmt(BlockType& block, const Visit& visit) {
  for (auto& s : block) {
    visit(*s);
    for (auto& arm : s->arms) for_each_stmt(arm.body, visit);
    for_each_stmt(s->body, visit);
  }
}

// An expression and those in it.
template <class ExprType, class Visit>
void for_each_expr(ExprType* e, const Visit& visit) {
  if (e == nullptr) return;
  visit(*e);
  for (const auto& kid : e->kids) for_each_expr(kid.get(), visit);
}

// Expressions of the statement itself, not of its blocks.
template <class Visit>
void for_own_exprs(const model::Stmt& s, const Visit& visit) {
  for (const model::ExprPtr* e : {&s.a, &s.b, &s.c, &s.read.width, &s.read.index}) for_each_expr(e->get(), visit);
  for (const auto& e : s.args) for_each_expr(e.get(), visit);
  for (const auto& e : s.read.args) for_each_expr(e.get(), visit);
  for (const model::Arm& arm : s.arms) for_each_expr(arm.condition.get(), visit);
}

// Calls visit(rule id) for every rule the statement itself calls, in the order in which it does.
template <class StmtType, class Visit>
void for_each_call(StmtType& s, const Visit& visit) {
  using Kind = model::Stmt::Kind;
  if (s.kind == Kind::Call) visit(s.ref);
  if ((s.kind == Kind::Read || s.kind == Kind::Literals) && s.read.kind == model::ReadSpec::Kind::Rule)
    visit(s.read.ref);
}

}  // namespace sluice::sema
