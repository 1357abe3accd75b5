#pragma once
// The IR as text: one statement a line, blocks by indentation, operands as s-expressions. The text holds everything
// but spans and is what goldens and unit tests are written in.
//
//   module "packbits"
//   input bytes
//   output u8
//   rule "main" 0                              # 0 parameters
//     slot u8 "control"
//     loop until_end
//       read %0 fixed u8 "control" !0
//       if (lt %0 128)
//         literals fixed u8 count (add %0 1) !1,_,2
//       else
//         ...
//   site 0 1 end_of_input "end_of_input"       # rule 0, clause 1
//
// %N is slot N of the rule and $N global N; other references are (op N ...). `:TYPE` and `{LO..HI}` follow an operator
// or operand whose type or range is not the usual one (names.h: usual_typing). !A,B,C are the sites, _ none.
#include <optional>
#include <string>
#include <string_view>

#include "compiler/ir/ir.h"
#include "compiler/ir/line_cursor.h"

namespace sluice::ir {

// print(*read(print(m))) == print(m) for every module that verifies.
std::string print(const Module& module);

// One expression, one line; for messages and explain pages. `rule` (may be null) tells the types of slots.
std::string print(const Module& module, const Rule* rule, const Expr& e);

// Parses text into a module without spans. On failure returns nullopt and, when `error` is not null, stores
// "line N: what". `#` starts a comment. Does not verify.
std::optional<Module> read(std::string_view text, std::string* error);

// One expression at the cursor, which moves behind it. What is wrong is stored in `error`, empty when nothing is.
ExprPtr read_expr(LineCursor& cursor, const Module& module, const Rule* rule, std::string& error);

}  // namespace sluice::ir
