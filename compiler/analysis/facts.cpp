#include "compiler/analysis/facts.h"

namespace sluice::analysis {

std::vector<const LoopFacts*> Facts::tokens() const {
  std::vector<const LoopFacts*> found;
  for (const LoopFacts& loop : loops)
    if (loop.budget.is_token && loop.budget.reachable) found.push_back(&loop);
  return found;
}

const LoopFacts* Facts::of(const ir::Stmt* loop) const {
  for (const LoopFacts& facts : loops)
    if (facts.budget.loop == loop) return &facts;
  return nullptr;
}

Facts analyse(const ir::Module& module) {
  Facts facts;
  facts.input_bytes = module.input == ir::Input::Bytes;
  EffectsOf effects(module);
  std::vector<TokenBudget> budgets = token_budgets(module);
  facts.memory = memory_of(module, budgets);
  for (TokenBudget& budget : budgets) {
    LoopFacts loop;
    loop.dependence = dependence_of_step(module, effects, *budget.loop, budget.rule);
    loop.boundaries = boundaries_of(module, *budget.loop, budget.rule);
    loop.budget = std::move(budget);
    facts.loops.push_back(std::move(loop));
  }
  Dependence whole = dependence_of_chunk(module, effects);
  facts.output_size_known = whole.values_free;
  facts.output_size_why = std::move(whole.values_why);
  facts.copies = copies_of(module);
  facts.sub_streams = sub_streams_of(module, effects);
  facts.splits = find_split_loops(module);
  facts.stages = stages_of(module);
  facts.built = built_codes(module);
  facts.checks = checks_of(module);
  return facts;
}

}  // namespace sluice::analysis
