#pragma once
// The value of an expression when its leaves are known; the same arithmetic as the reference interpreter.
#include <cstdint>
#include <functional>
#include <optional>

#include "compiler/ir/ir.h"

namespace sluice::analysis {

// Gives the value of a leaf that is not a constant (Local, Global, Arg, Remaining, ... and Elem, whose operand the
// callee may look at); nullopt: unknown.
using Leaves = std::function<std::optional<std::uint64_t>(const ir::Expr&)>;

// nullopt when a needed leaf is unknown, or when the expression breaks a promise of the IR (division by zero, shift
// by 64 or more, index past a table): such an expression is left for the run-time check in front of it.
// LogAnd, LogOr, Select, and a product or mask with a known 0 are decided by one operand when that is enough.
std::optional<std::uint64_t> evaluate(const ir::Module& module, const ir::Expr& expr, const Leaves& leaves);

// Keeps the low bits of the word and extends them to 64 as the type says.
std::uint64_t extend(std::uint64_t word, ir::Type type);

}  // namespace sluice::analysis
