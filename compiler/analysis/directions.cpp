#include "compiler/analysis/directions.h"

#include "compiler/analysis/walk.h"

namespace sluice::analysis {

Directions::Directions(const ir::Module& module) {
  bool turns = false;
  for (const ir::Rule& rule : module.rules)
    for_each_stmt(rule.body, [&](const ir::Stmt& stmt) { turns |= stmt.backward; });
  if (turns) block(module, module.rules[0].body, kForward);
}

unsigned Directions::of(const ir::Stmt& stmt) const {
  const auto found = reached_.find(&stmt);
  return found == reached_.end() ? 0 : found->second;
}

void Directions::block(const ir::Module& module, const ir::Block& block, unsigned direction) {
  for (const auto& stmt : block) {
    unsigned& known = reached_[stmt.get()];
    if ((known & direction) != 0) continue;  // and all that it leads to
    known |= direction;
    if (stmt->kind == ir::Stmt::Kind::Call) Directions::block(module, module.rules[stmt->ref].body, direction);
    Directions::block(module, stmt->body, stmt->backward ? kBackward : direction);
    Directions::block(module, stmt->orelse, direction);
  }
}

}  // namespace sluice::analysis
