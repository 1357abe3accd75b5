#pragma once
// Lowering: from the resolved format to the IR, where every failure has a site and every expression is total.
//
//   var n: u8 = 0                    set %0 (const 0)
//   n := n + lengths[i]              check (lt %1 (const 320))          site out_of_range
//                                    check (fits u8 (add %0 (elem lengths %1)))
//                                    set %0 (add %0 (elem lengths %1))
//
// A check is left out where the ranges of the model prove it. Clauses are numbered per rule, in the order in which
// the statements stand.
#include "compiler/ir/ir.h"
#include "dsl/model/model.h"

namespace sluice::lower {

// The model must come from sema::analyse. The result passes ir::verify. Thread-safe.
ir::Module lower(const model::Format& format);

}  // namespace sluice::lower
