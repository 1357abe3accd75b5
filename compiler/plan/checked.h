#pragma once
// In which form the checked path does a rule's statements (checked_step.h), behind the lowering of its token loops.
//
//   loop until_end                    ->   checked rule 0
//     literals fixed u8 count 9 !0,_,2       loop at [0] tokens 0       that loop comes first, before each step
//                                            literals at [0 0 0] bytes  at once
#include "compiler/plan/plan.h"

namespace sluice::plan {

// Of every rule. Asks for the plan's target, checksums, tables and loops.
[[nodiscard]] std::vector<CheckedRule> checked_rules(const ir::Module& module, const Plan& plan);
// Of what a lane does: the plan's rules, and the regions of the warp's loops over parts.
[[nodiscard]] std::vector<CheckedRule> checked_parts(const ir::Module& module, const Plan& lane, const Plan& warp);

}  // namespace sluice::plan
