#pragma once
// Constant folding and algebra on expressions.
//
//   (add (mul 4 2) %x)          ->  (add %x 8)
//   (bit_and (bit_and %x 15) 7) ->  (bit_and %x 7)
//   (not (lt %x 3))         ->  (ge %x 3)
//   (select 1 %a %b)            ->  %a
#include "compiler/ir/ir.h"

namespace sluice::passes {

// Returns true when it changed anything.
bool fold(ir::Module& module);

// Replaces *expr by something simpler with the same value, type signedness and range, operands included.
bool fold(const ir::Module& module, ir::ExprPtr& expr);

}  // namespace sluice::passes
