#pragma once
// The contracts that emitted texts are checked for; each in a file of its own, with what it proves at its head.
#include "clang/AST/ASTContext.h"
#include "tests/emitted/report.h"
#include "tests/emitted/text.h"

namespace sluice::emitted {

// Input and output are touched by primitives alone, each under the test that its contract asks for.
void check_memory(clang::ASTContext& context, Report& report);

// Every loop consumes, produces or counts.
void check_loops(clang::ASTContext& context, Report& report);

// No name hides another.
void check_shadowing(clang::ASTContext& context, Report& report);

// A comment `// gzip.sluice:31` names a line of that file that belongs to a clause, and each rule has one.
void check_lines(const Text& text, Report& report);

// What a plan holds in 32 bits, its text declares and computes so.
void check_widths(const Text& text, clang::ASTContext& context, Report& report);

// All of them. A text that Clang refuses is a finding.
[[nodiscard]] Report check(const Text& text);

}  // namespace sluice::emitted
