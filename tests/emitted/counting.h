#pragma once
// Loops that count, and what a loop moves one way.
//
//   for (u64 i = 0; i < bound; ++i) {...}          counts, if nothing in it takes i back or moves bound
//   while (in <= in_limit) {... in += n; ...}      in nears in_limit
#include <map>
#include <optional>
#include <utility>

#include "tests/emitted/function_body.h"

namespace sluice::emitted {

// The ways that a loop moves a variable.
struct Ways {
  bool up = false, down = false;
};

class Counting {
 public:
  explicit Counting(clang::ASTContext& context) : context_(context) {}

  // Does every round bring a variable nearer to what the loop's condition compares it with?
  [[nodiscard]] bool counts(const FunctionBody& body, const clang::Stmt* loop);
  // Does the loop compare the variable with something that stays, and move it one way only?
  [[nodiscard]] bool nears(const FunctionBody& body, const clang::Stmt* loop, const clang::VarDecl* v);
  // Nothing when the loop may move it anyhow.
  [[nodiscard]] std::optional<Ways> ways_of(const FunctionBody& body, const clang::Stmt* loop,
                                            const clang::VarDecl* v);

 private:
  bool counts(const FunctionBody& body, const clang::Stmt* loop, const clang::Expr* condition);
  bool raises(const clang::FunctionDecl* f, unsigned parameter);
  bool asks(const FunctionBody& body, const clang::Stmt* loop, const clang::Expr* condition, const clang::VarDecl* v);
  bool one_way(const FunctionBody& body, const clang::Stmt* loop, const clang::VarDecl* v);
  bool raised(const Write& w, const clang::VarDecl* v);

  clang::ASTContext& context_;
  std::map<std::pair<const clang::Stmt*, const clang::VarDecl*>, bool> nears_;
};

}  // namespace sluice::emitted
