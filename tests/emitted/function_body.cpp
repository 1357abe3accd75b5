#include "tests/emitted/function_body.h"

#include "clang/AST/DeclCXX.h"

namespace sluice::emitted {

using namespace clang;

namespace {

// Variables that a statement compares with one that stays as it is: a limit, a number of steps.
class Bounded : public RecursiveASTVisitor<Bounded> {
 public:
  std::set<const VarDecl*> all;
  bool VisitBinaryOperator(BinaryOperator* b) { return look(b); }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr* c) { return look(c); }

 private:
  bool look(const Expr* e) {
    const auto b = binary(e);
    if (!b || !BinaryOperator::isComparisonOp(b->op)) return true;
    const VarDecl* bound = variable(b->right);
    const VarDecl* v = variable(b->left);
    if (v != nullptr && bound != nullptr && bound->getType().isConstQualified()) all.insert(v);
    return true;
  }
};

class Writes : public RecursiveASTVisitor<Writes> {
 public:
  std::vector<Write> all;
  bool VisitVarDecl(VarDecl* v) {
    if (v->hasInit() && v->isLocalVarDecl()) all.push_back({v, nullptr, Write::Set, v->getInit()});
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator* b) {
    const VarDecl* v = b->isAssignmentOp() ? variable(b->getLHS()) : nullptr;
    if (v != nullptr)
      all.push_back({v, b,
                     b->getOpcode() == BO_Assign      ? Write::Set
                     : b->getOpcode() == BO_AddAssign ? Write::Up
                     : b->getOpcode() == BO_SubAssign ? Write::Down
                                                      : Write::Other,
                     b->getRHS()});
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator* u) {
    const VarDecl* v = u->isIncrementDecrementOp() || u->getOpcode() == UO_AddrOf ? variable(u->getSubExpr()) : nullptr;
    if (v != nullptr)
      all.push_back({v, u, u->isIncrementOp() ? Write::Up : u->isDecrementOp() ? Write::Down : Write::Other});
    return true;
  }
  bool VisitCallExpr(CallExpr* c) {
    const FunctionDecl* f = c->getDirectCallee();
    if (const auto* o = dyn_cast<CXXOperatorCallExpr>(c)) return assigned(*o);
    if (f == nullptr) return true;
    for (unsigned i = 0; i < c->getNumArgs() && i < f->getNumParams(); ++i) {
      const QualType t = f->getParamDecl(i)->getType();
      const VarDecl* v =
          t->isReferenceType() && !t->getPointeeType().isConstQualified() ? variable(c->getArg(i)) : nullptr;
      if (v != nullptr) all.push_back({v, c, Write::Other, nullptr, f, i});
    }
    return true;
  }

 private:
  // A position that is an object: its operators do what those of a pointer do.
  bool assigned(const CXXOperatorCallExpr& o) {
    const VarDecl* v = o.isAssignmentOp() ? variable(o.getArg(0)) : nullptr;
    if (v != nullptr)
      all.push_back({v, &o,
                     o.getOperator() == OO_Equal       ? Write::Set
                     : o.getOperator() == OO_PlusEqual ? Write::Up
                                                       : Write::Other,
                     o.getArg(1)});
    return true;
  }
};

// The graph makes statements of its own for declarations of several variables: what they start with stands in the
// text.
const Stmt* written(const Stmt* s) {
  const auto* d = dyn_cast_or_null<DeclStmt>(s);
  const auto* v = d != nullptr && d->isSingleDecl() ? dyn_cast<VarDecl>(d->getSingleDecl()) : nullptr;
  return v != nullptr && v->hasInit() ? v->getInit() : s;
}

}  // namespace

bool is_loop(const Stmt* s) { return isa<ForStmt, WhileStmt, DoStmt>(s); }

const Stmt* body_of(const Stmt* loop) {
  if (const auto* f = dyn_cast<ForStmt>(loop)) return f->getBody();
  if (const auto* w = dyn_cast<WhileStmt>(loop)) return w->getBody();
  return cast<DoStmt>(loop)->getBody();
}

const Expr* condition_of(const Stmt* loop) {
  if (const auto* f = dyn_cast<ForStmt>(loop)) return f->getCond();
  if (const auto* w = dyn_cast<WhileStmt>(loop)) return w->getCond();
  return cast<DoStmt>(loop)->getCond();
}

std::vector<Write> writes_in(Stmt* s) {
  Writes writes;
  writes.TraverseStmt(s);
  return std::move(writes.all);
}

FunctionBody::FunctionBody(const FunctionDecl& f, ASTContext& context)
    : function(f), graph(graph_of(f, context)), parents(f.getBody()), writes(writes_in(f.getBody())) {
  TraverseStmt(f.getBody());
}

bool FunctionBody::VisitStmt(Stmt* s) {
  if (is_loop(s)) loops.push_back(s);
  if (const auto* head = dyn_cast<ForStmt>(s); head != nullptr && head->getInc() != nullptr)
    if (const auto* step = dyn_cast<UnaryOperator>(head->getInc()); step && step->isIncrementDecrementOp())
      if (const VarDecl* v = variable(step->getSubExpr())) counters.emplace(v, step->isDecrementOp());
  if (const auto* jump = dyn_cast<GotoStmt>(s))
    jumps.emplace_back(jump->getGotoLoc(), jump->getLabel()->getStmt()->getIdentLoc());
  return true;
}

std::set<const Stmt*> FunctionBody::around(const Stmt* s) const {
  std::set<const Stmt*> found{function.getBody()};
  for (; s != nullptr; s = parents.getParent(const_cast<Stmt*>(s)))
    if (is_loop(s)) found.insert(s);
  return found;
}

bool FunctionBody::inside(const Stmt* s, const Stmt* loop) const {
  for (s = written(s); s != nullptr; s = parents.getParent(const_cast<Stmt*>(s)))
    if (s == loop) return true;
  return false;
}

const std::set<const VarDecl*>& FunctionBody::bounded(const Stmt* loop) const {
  const auto [known, first] = bounded_.try_emplace(loop);
  if (first) {
    Bounded look;
    look.TraverseStmt(const_cast<Stmt*>(loop));
    known->second = std::move(look.all);
  }
  return known->second;
}

}  // namespace sluice::emitted
