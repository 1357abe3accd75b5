#pragma once
// A function that may hold loops: its graph, the loops, and every place where it writes a variable.
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMap.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "tests/emitted/flow.h"
#include "tests/emitted/progress.h"

namespace sluice::emitted {

[[nodiscard]] bool is_loop(const clang::Stmt* s);
[[nodiscard]] const clang::Stmt* body_of(const clang::Stmt* loop);
[[nodiscard]] const clang::Expr* condition_of(const clang::Stmt* loop);

// Every place where a function writes a variable or hands it on to be written.
struct Write {
  const clang::VarDecl* target = nullptr;
  const clang::Stmt* at = nullptr;
  enum Kind { Set, Up, Down, Other } kind = Other;
  const clang::Expr* value = nullptr;           // Set, and what is added or taken
  const clang::FunctionDecl* callee = nullptr;  // handed on to
  unsigned parameter = 0;
};
[[nodiscard]] std::vector<Write> writes_in(clang::Stmt* s);

class FunctionBody : public clang::RecursiveASTVisitor<FunctionBody> {
 public:
  FunctionBody(const clang::FunctionDecl& f, clang::ASTContext& context);
  bool VisitStmt(clang::Stmt* s);

  // Loops around a statement, the function itself as well.
  [[nodiscard]] std::set<const clang::Stmt*> around(const clang::Stmt* s) const;
  [[nodiscard]] bool inside(const clang::Stmt* s, const clang::Stmt* loop) const;
  // Variables that the loop compares with one that stays as it is: a limit, a number of steps.
  [[nodiscard]] const std::set<const clang::VarDecl*>& bounded(const clang::Stmt* loop) const;

  const clang::FunctionDecl& function;
  std::unique_ptr<clang::CFG> graph;
  clang::ParentMap parents;
  std::vector<Write> writes;
  Numbers::Counters counters;
  std::vector<const clang::Stmt*> loops;
  std::vector<std::pair<clang::SourceLocation, clang::SourceLocation>> jumps;
  std::set<const clang::Stmt*> open;  // loops that must make progress on every path

 private:
  mutable std::map<const clang::Stmt*, std::set<const clang::VarDecl*>> bounded_;
};

}  // namespace sluice::emitted
