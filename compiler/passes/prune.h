#pragma once
// Statements that do nothing or are never reached go away.
//
//   if 1: A else B            ->  A
//   check 1                   ->  (nothing)
//   stop; A                   ->  stop
//   if c: (nothing) else B    ->  if (not c): B
//   loop times 0: A           ->  (nothing)
#include "compiler/ir/ir.h"

namespace sluice::passes {

// Returns true when it changed anything.
bool prune(ir::Module& module);

}  // namespace sluice::passes
