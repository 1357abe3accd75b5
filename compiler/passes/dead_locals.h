#pragma once
// Locals that nothing reads lose their assignments, and slots that nothing names are closed up.
//
//   read %0 u32 "mtime"            ->  read _ u32 "mtime"
//   set %1 (add %2 1)              ->  (nothing)
//   emit %2                        ->  emit %0
#include "compiler/ir/ir.h"

namespace sluice::passes {

// Returns true when it changed anything. Parameters keep their slots; reads and calls stay, with their names.
bool dead_locals(ir::Module& module);

}  // namespace sluice::passes
