#pragma once
// Is a plan one that a printer can write and a decoder may run? What the lowering promises, checked from the plan alone.
#include <string>
#include <vector>

#include "compiler/plan/plan.h"

namespace sluice::plan {

// What is broken, in the order of the plan; empty: nothing. Checked are
//   references   every loop, rule, slot, table and array exists; operands ask nothing that a loop can't tell
//   values       each number is given to one value, which stands before what uses it
//   scopes       slots at the loop's own scope are captured, carried, counted or the token's own
//   forms        fields are read as the loop's reader reads; sums and rows stand where they may
//   widths       what is held in 32 bits fits them, and so does what is computed in 32 (width.h)
//   costs        the margins are those that the statements add up to
//   checked path every token loop is entered from its own statement, forms fit what they stand for, nothing that must be
//                there is missing
[[nodiscard]] std::vector<std::string> verify(const ir::Module& module, const Plan& plan);
// The last of these alone: adds to what is broken.
void verify_checked(const ir::Module& module, const Plan& plan, std::vector<std::string>& broken);

}  // namespace sluice::plan
