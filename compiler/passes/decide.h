#pragma once
// Tests that the ranges of their operands decide become constants; prune then drops what hangs on them.
//
//   check (lt %x{0..15} 19)       ->  check 1
//   if (eq %kind{0..3} 4)         ->  if 0
//   (fits u8 %n{0..130})          ->  1
#include "compiler/ir/ir.h"

namespace sluice::passes {

// Returns true when it changed anything.
bool decide(ir::Module& module);

}  // namespace sluice::passes
