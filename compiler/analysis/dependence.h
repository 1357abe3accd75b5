#pragma once
// What the parse of one step of a loop depends on besides the input from its position on.
//
//   loop until_end                     position-only: width and branch come from `n`, read in this step
//     read %n fixed u8
//     read %v computed %n
//
//   loop until_end                     not position-only: `run` is left by the step before
//     if (eq $run 0) read $run ...
#include <cstdint>
#include <vector>

#include "compiler/analysis/effects.h"
#include "compiler/analysis/reason.h"
#include "compiler/ir/ir.h"

namespace sluice::analysis {

struct Dependence {
  // Bit lengths and control of a step follow from its bit position and from values that no step changes.
  // Checks do not count: they refuse a chunk, they do not steer. Those that look at more are in deferred_checks.
  bool position_only = false;
  ReasonChain position_only_why;  // what breaks it; empty when it holds
  // The number of outputs of a step follows from the same.
  bool outputs_position_only = false;
  ReasonChain outputs_why;
  // Neither lengths nor control nor output counts look at output values: checksums, or the elements of a buffer.
  bool values_free = false;
  ReasonChain values_why;
  ReasonChain deferred_checks;  // checks in a step that look at earlier steps or at the output
};

// One step of `loop`, which stands in rules[rule].
Dependence dependence_of_step(const ir::Module& module, EffectsOf& effects, const ir::Stmt& loop, std::uint32_t rule);

// The whole decode as one step, from the start of the chunk: only values_free tells anything.
Dependence dependence_of_chunk(const ir::Module& module, EffectsOf& effects);

}  // namespace sluice::analysis
