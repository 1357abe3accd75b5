#pragma once
// What one step of a loop may take from the input and give to the output: the margin of an unchecked fast loop.
//
//   loop forever                       max_bits 48 = 15 (litlen) + 5 (length extra) + 15 (dist) + 13 (distance extra)
//     read %s code litlen              max_outputs 258 (copy)
//     if (lt %s 256) emit %s           min_bits 1
//     else ...
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/analysis/amount.h"
#include "compiler/analysis/reason.h"
#include "compiler/ir/ir.h"

namespace sluice::analysis {

struct TokenBudget {
  const ir::Stmt* loop = nullptr;  // a Loop; owned by the module
  std::uint32_t rule = 0;          // rule the loop stands in

  // Over every step that does not fail, including one that leaves the loop. nullopt: no bound below kLargestAmount.
  // Input bits counted are those consumed by the step, calls and inner loops included. Outputs inside an Into of the
  // step stay in its buffer and count as none; those of a step inside an Into are the buffer's.
  std::optional<std::uint64_t> max_bits, max_outputs;
  // Over the steps that are followed by another step (not those that leave the loop).
  std::uint64_t min_bits = 0, min_outputs = 0;
  // Over every step that does not fail, leaving ones included.
  std::uint64_t min_bits_any = 0, min_outputs_any = 0;

  // Like max_bits and max_outputs, but statements that move a counted number of elements (Literals, Run, Copy, Skip,
  // EmitBuffer, ReadSymbol) and inner loops count as 0: those check themselves once per statement. Always bounded.
  std::uint64_t scalar_bits = 0, scalar_outputs = 0;

  bool produces = false;   // some statement of a step, calls included, makes output (a buffer's included)
  // Its steps are the tokens: it produces, and no loop inside a step (calls included) does; or the loops inside read
  // nothing while every step followed by another does. A loop inside such a step is no token loop.
  bool is_token = false;
  bool reachable = false;  // from rule 0 by calls

  ReasonChain max_bits_why, max_outputs_why;  // bounded: what adds up to it; unbounded: the statements without a bound
};

// One entry for each Loop of the module: rules in order, loops in source order, outer before inner.
std::vector<TokenBudget> token_budgets(const ir::Module& module);

}  // namespace sluice::analysis
