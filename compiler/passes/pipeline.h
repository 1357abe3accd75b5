#pragma once
// The rewrites between lowering and the targets, and their order. Each is in the file of its name and keeps what the
// reference interpreter computes: output, produced, consumed and error word of every input.
#include "compiler/ir/ir.h"

namespace sluice::passes {

// All of them, until nothing changes. The module must have passed ir::verify and passes it afterwards.
// Rules, sites, tables and codes keep their numbers; slots may be renumbered.
void run(ir::Module& module);

}  // namespace sluice::passes
