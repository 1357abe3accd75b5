#pragma once
// Recognises a chain of tests of one value against constants, so that an emitter can write a switch or a table.
//
//   if (lt %0 256) A                       subject %0
//   else if (eq %0 256) B          ->      [0, 255] -> A
//   else C                                 [256, 256] -> B
//                                          otherwise -> C   (here [257, 287])
#include <optional>
#include <vector>

#include "compiler/analysis/intervals.h"
#include "compiler/ir/ir.h"

namespace sluice::analysis {

struct SwitchArm {
  Intervals values;        // values of the subject that take this arm; disjoint from every other arm's
  const ir::Block* block;  // never null
};

struct SwitchShape {
  const ir::Expr* subject = nullptr;     // what is tested: an expression of locals and constants
  std::vector<SwitchArm> arms;           // in source order; arms no value can take are left out
  Intervals rest;                        // values left for `otherwise`; empty when the arms cover subject->range
  const ir::Block* otherwise = nullptr;  // null: nothing happens for the values in `rest`
};

// The values of `subject` for which `condition` is 1; nullopt when the condition looks at anything else.
// Result lies inside the subject's range.
std::optional<Intervals> solve(const ir::Expr& condition, const ir::Expr& subject);

// The shape of a chain that starts at `chain` (an If); nullopt when its first condition is no test of one value
// against constants. The chain ends where an `else` holds anything but one If on the same value.
std::optional<SwitchShape> switch_shape(const ir::Stmt& chain);

}  // namespace sluice::analysis
