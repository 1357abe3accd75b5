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

// Calls visit(rule id) for every rule the statement itself calls, in the order in which it does.
template <class StmtType, class Visit>
void for_each_call(StmtType& s, const Visit& visit) {
  using Kind = model::Stmt::Kind;
  if (s.kind == Kind::Call) visit(s.ref);
  if ((s.kind == Kind::Read || s.kind == Kind::Literals) && s.read.kind == model::ReadSpec::Kind::Rule)
    visit(s.read.ref);
}

}  // namespace sluice::sema
