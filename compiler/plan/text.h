#pragma once
// The plan as text: a statement a line, bodies by indentation, operands as the IR writes them. The text holds everything
// but spans. It is what goldens are written in, and what `sluice emit --target plan:cpu` prints.
//
//   plan cpu
//   loop rule 0 at [0] until_end token bytes number 0 margin 13 cost in 5 out 2
//     scope rule 0
//     locals [%0 %1]
//     steps
//       field %0 load u8 bits 8 cost in 1
//       field %1 load u24 bits 24 cost in 4
//       store %0 cost out 1
//       store (cast:u8 %1) cost out 1
//
// tN is value N of the token; %N is slot N of the rule around the statement, @S%N of scope S.
#include <optional>
#include <string>
#include <string_view>

#include "compiler/plan/plan.h"

namespace sluice::plan {

// print(m, *read(m, print(m, p))) == print(m, p) for every plan that verifies.
[[nodiscard]] std::string print(const ir::Module& module, const Plan& plan);

// Parses text into a plan without spans. On failure returns nullopt and, when `error` is not null, stores "line N: what".
[[nodiscard]] std::optional<Plan> read(const ir::Module& module, std::string_view text, std::string* error);

// The word of a form, as in the text.
[[nodiscard]] std::string_view name(Target);
[[nodiscard]] std::string_view name(LoopForm);
[[nodiscard]] std::string_view name(Reader);

}  // namespace sluice::plan
