#pragma once
// Small readers of the IR that every analysis and pass needs: visiting, comparing and naming nodes.
#include <functional>
#include <optional>
#include <string>

#include "compiler/ir/ir.h"

namespace sluice::analysis {

// Calls `visit` for every statement of the block, outer before inner, in source order. Calls are not entered.
void for_each_stmt(const ir::Block& block, const std::function<void(const ir::Stmt&)>& visit);
void for_each_stmt_mutable(ir::Block& block, const std::function<void(ir::Stmt&)>& visit);

// Calls `visit` for each expression that stands directly in the statement (a..d, args, read width and index);
// not for those of nested statements, nor for operands.
void for_each_expr(const ir::Stmt& stmt, const std::function<void(const ir::Expr&)>& visit);
// The same for the owning pointers, so that a pass can replace them.
void for_each_expr_ptr(ir::Stmt& stmt, const std::function<void(ir::ExprPtr&)>& visit);

// Calls `visit` for the expression and all its operands, operands first.
void for_each_node(const ir::Expr& expr, const std::function<void(const ir::Expr&)>& visit);

// By rule: can a chunk get there from rule 0?
std::vector<bool> reachable_rules(const ir::Module& module);

// Does the expression look at output bytes? Such a test is skipped in count mode, so it may not become a constant.
bool has_output_checksum(const ir::Expr& expr);

// True when both always have the same value at the same place: equal trees, spans apart.
bool same(const ir::Expr& a, const ir::Expr& b);

// The type's mathematical value of a 64-bit word: signed types read it as two's complement.
ir::i128 value_of(std::uint64_t word, ir::Type type);

// How a reader of the spec would name the statement: "`size`", "`copy`", "the loop".
std::string spell(const ir::Stmt& stmt);
// "3 bits", "1 bit".
std::string count_of(std::uint64_t n, std::string_view unit);
// Decimal text of a 128-bit number.
std::string to_text(ir::i128 value);

}  // namespace sluice::analysis
