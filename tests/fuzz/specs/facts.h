// What the analyses claim, against what happens: a copy of the module that reports every value and every step of a loop
// is run by the interpreter.
//
//   loop until_end            set %9 1          the loop begins
//     read %0 fixed u8   ->   loop until_end
//     emit (add %0 1)           set %9 2        a step
//                               read %0 fixed u8
//                               set %10 (add %0 1)   its value lies in the range of `add`?
//                               emit (add %0 1)
//                             set %9 3          the loop is left
//
// Checked: ranges of all expressions, slots and fields; of each step of a loop, input and outputs against the token
// budget, its length against the boundaries; that steps of a position-only loop do not change with what stood before;
// distances and lengths of copies.
#pragma once
#include <span>

#include "compiler/ir/ir.h"
#include "tests/fuzz/specs/check.h"
#include "tests/fuzz/specs/random.h"

namespace sluice::fuzz {

[[nodiscard]] Finding check_facts(const ir::Module& module, std::span<const Bytes> inputs, Random random);

}  // namespace sluice::fuzz
