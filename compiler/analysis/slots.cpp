#include "compiler/analysis/slots.h"

#include "compiler/analysis/walk.h"

namespace sluice::analysis {
namespace {

void collect(const ir::Block& block, const std::function<bool(const ir::Stmt&)>& without, Slots& slots) {
  for (const auto& s : block) {
    if (without(*s)) continue;
    if (s->slot != ir::Stmt::kNoSlot) slots.set[s->slot] = true;
    for_each_expr(*s, [&](const ir::Expr& e) {
      for_each_node(e, [&](const ir::Expr& node) {
        if (node.op == ir::Op::Local) slots.read[node.ref] = true;
      });
    });
    collect(s->body, without, slots);
    collect(s->orelse, without, slots);
  }
}

}  // namespace

Slots slots_of(const ir::Rule& rule, const ir::Block& block, const std::function<bool(const ir::Stmt&)>& without) {
  Slots slots{std::vector<bool>(rule.slots.size()), std::vector<bool>(rule.slots.size())};
  collect(block, without, slots);
  return slots;
}

}  // namespace sluice::analysis
