#pragma once
// In which form the checked path does a rule's statements (checked_step.h), behind the lowering of its token loops.
//
//   loop until_end                    ->   checked rule 0
//     literals fixed u8 count 9 !0,_,2       loop at [0] tokens 0       that loop comes first, before each step
//                                            literals at [0 0 0] bytes  at once
//
// Note [once]: a kernel's function that is called at one place stands there. Who keeps a call saves registers
// at its own entry, also on ways that never come to the call: chunks of 4 KiB take 5 % longer, and code is a tenth larger. A loop's
// function is entered at one place, always; a rule is called where the spec says so, and the first one by the kernel.
#include "compiler/plan/plan.h"

namespace sluice::plan {

// Of every rule. Asks for the plan's target, checksums, tables and loops.
[[nodiscard]] std::vector<CheckedRule> checked_rules(const ir::Module& module, const Plan& plan);
// Of what a lane does: the plan's rules, and the regions of the warp's loops over parts.
[[nodiscard]] std::vector<CheckedRule> checked_parts(const ir::Module& module, const Plan& lane, const Plan& warp);
// How often the checked path calls each rule.
[[nodiscard]] std::vector<unsigned> calls_of_rules(const ir::Module& module);

}  // namespace sluice::plan
