#pragma once
// What all rules ask of the tree: which functions are the text's own, what an expression is without its casts, what is
// constant in it, what it is called.
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

namespace sluice::emitted {

// Declared by a primitive: in a namespace `prim`, at whatever depth.
[[nodiscard]] bool is_primitive(const clang::Decl& decl);

// Functions with a body that stand in the text and are no primitives; of templates the instantiations, for in these
// every name is resolved and every constant known.
[[nodiscard]] std::vector<const clang::FunctionDecl*> own_functions(const clang::ASTContext& context);

// Without parentheses, conversions and __builtin_expect(!!(x), ...), which say nothing about memory or progress.
[[nodiscard]] const clang::Expr* plain(const clang::Expr* e);

// The variable that the expression names; null: it is something else.
[[nodiscard]] const clang::VarDecl* variable(const clang::Expr* e);

// The member that the expression names, `pos` for `s.pos`; empty: it is something else.
[[nodiscard]] llvm::StringRef member(const clang::Expr* e);

[[nodiscard]] std::optional<std::int64_t> constant(const clang::Expr* e, const clang::ASTContext& context);

// Equal for expressions that are written alike up to parentheses, conversions and names for constants.
[[nodiscard]] std::string spelled(const clang::Expr* e, const clang::ASTContext& context);

// Variables and members ("pos") in an expression.
struct Names {
  std::set<const clang::VarDecl*> variables;
  std::set<std::string> members;
};
[[nodiscard]] Names names_in(const clang::Stmt* e);

// A binary operator, an overloaded one too.
struct Binary {
  clang::BinaryOperatorKind op = clang::BO_Comma;
  const clang::Expr* left = nullptr;
  const clang::Expr* right = nullptr;
};
[[nodiscard]] std::optional<Binary> binary(const clang::Expr* e);

[[nodiscard]] unsigned line_of(clang::SourceLocation at, const clang::ASTContext& context);

}  // namespace sluice::emitted
