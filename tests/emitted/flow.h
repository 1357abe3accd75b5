#pragma once
// Facts along the edges of a function's control-flow graph: what holds on every path to a place.
//
//   if (in > in_limit) goto leave;     false edge: in <= in_limit
//   load_byte(src, in);                the fact holds here: the test dominates the load
//   in += 1;                           ... and now with one byte less of the margin
//
// A State is copied and joined (`join`: what holds on both paths; true when that changed something). `step` runs over
// the statements of a block, every expression after its parts; `edge` over the condition that a branch decides; `back`
// over a loop that comes round. An edge may find that it is never taken: `dead`.
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "clang/Analysis/CFG.h"
#include "tests/emitted/tree.h"

namespace sluice::emitted {

[[nodiscard]] std::unique_ptr<clang::CFG> graph_of(const clang::FunctionDecl& f, clang::ASTContext& context);

// Calls f(state, atom, truth) for what a condition's outcome says of its parts; where it says one of two things, for
// each on a state of its own, and what holds of both stays.
template <typename State, typename F>
void assume(State& state, const clang::Expr* condition, bool truth, const F& f) {
  condition = plain(condition);
  if (const auto* no = clang::dyn_cast<clang::UnaryOperator>(condition); no && no->getOpcode() == clang::UO_LNot)
    return assume(state, no->getSubExpr(), !truth, f);
  const auto* b = clang::dyn_cast<clang::BinaryOperator>(condition);
  if (b == nullptr || !b->isLogicalOp()) return f(state, condition, truth);
  if ((b->getOpcode() == clang::BO_LAnd) == truth) {
    assume(state, b->getLHS(), truth, f);
    assume(state, b->getRHS(), truth, f);
    return;
  }
  State second = state;
  assume(state, b->getLHS(), truth, f);
  assume(second, b->getLHS(), !truth, f);
  assume(second, b->getRHS(), truth, f);
  if (state.dead)
    state = std::move(second);
  else if (!second.dead)
    state.join(second);
}

// States at the start of each block, by number; nothing for blocks that are not reached.
template <typename State, typename Step, typename Edge, typename Back>
std::vector<std::optional<State>> flow(const clang::CFG& graph, State entry, const Step& step, const Edge& edge,
                                       const Back& back) {
  std::vector<std::optional<State>> at(graph.getNumBlockIDs());
  std::deque<const clang::CFGBlock*> work{&graph.getEntry()};
  at[graph.getEntry().getBlockID()] = std::move(entry);
  while (!work.empty()) {
    const clang::CFGBlock* block = work.front();
    work.pop_front();
    State state = *at[block->getBlockID()];
    for (const clang::CFGElement& element : *block)
      if (const auto s = element.getAs<clang::CFGStmt>()) step(state, s->getStmt());
    if (block->getLoopTarget() != nullptr) back(state, block->getLoopTarget());
    const auto* condition = clang::dyn_cast_or_null<clang::Expr>(block->getTerminatorCondition(false));
    unsigned index = 0;
    for (const clang::CFGBlock::AdjacentBlock& next : block->succs()) {
      const bool truth = index++ == 0;
      if (!next.isReachable()) continue;
      State out = state;
      if (condition != nullptr && block->succ_size() == 2) assume(out, condition, truth, edge);
      if (out.dead) continue;
      std::optional<State>& target = at[next->getBlockID()];
      const bool changed = target ? target->join(out) : (target = std::move(out), true);
      if (changed) work.push_back(&*next);
    }
  }
  return at;
}

}  // namespace sluice::emitted
