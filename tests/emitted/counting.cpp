#include "tests/emitted/counting.h"

#include "clang/AST/ExprCXX.h"
#include "tests/emitted/contracts.h"

namespace sluice::emitted {

using namespace clang;

// Does a function only ever raise what is handed to it? `x` and what it is copied to and back are raised or copied.
bool Counting::raises(const FunctionDecl* f, unsigned parameter) {
  const FunctionDecl* definition = nullptr;
  if (!f->hasBody(definition)) return false;
  const std::vector<Write> writes = writes_in(definition->getBody());
  std::set<const VarDecl*> same{definition->getParamDecl(parameter)};
  for (bool grown = true; grown;) {
    grown = false;
    for (const Write& w : writes) {
      const VarDecl* from = w.kind == Write::Set ? variable(w.value) : nullptr;
      if (from != nullptr && same.contains(w.target)) grown |= same.insert(from).second;
    }
  }
  for (const Write& w : writes) {
    if (!same.contains(w.target) || w.kind == Write::Up) continue;
    const VarDecl* from = w.kind == Write::Set ? variable(w.value) : nullptr;
    if (from == nullptr || !same.contains(from)) return false;
  }
  return true;
}

// A variable that the condition compares with a bound, and that every round brings nearer to it.
bool Counting::counts(const FunctionBody& body, const Stmt* loop) {
  const Expr* condition = condition_of(loop);
  if (condition == nullptr) return false;
  condition = plain(condition);
  if (const auto* both = dyn_cast<BinaryOperator>(condition); both != nullptr && both->getOpcode() == BO_LAnd)
    return counts(body, loop, both->getLHS()) || counts(body, loop, both->getRHS());
  return counts(body, loop, condition);
}

bool Counting::counts(const FunctionBody& body, const Stmt* loop, const Expr* condition) {
  const auto b = binary(condition);
  if (!b) return false;
  const Expr* counted = b->left;
  if (const auto* down = dyn_cast<UnaryOperator>(plain(counted)); down != nullptr && down->getOpcode() == UO_PreDec)
    counted = down->getSubExpr();
  const VarDecl* i = variable(counted);
  if (const auto sum = binary(counted); i == nullptr && sum && sum->op == BO_Add) i = variable(sum->right);
  if (i == nullptr) return false;
  const bool up = b->op == BO_LT, down = (b->op == BO_GT || b->op == BO_NE) && constant(b->right, context_) == 0;
  if (!up && !down) return false;
  // Where the round's own step stands: in the head, which every round passes.
  const auto* head = dyn_cast<ForStmt>(loop);
  bool steps = false;
  for (const Write& w : body.writes) {
    if (w.at == nullptr || !body.inside(w.at, loop)) continue;
    const bool bound = names_in(b->right).variables.contains(w.target) ||
                       (w.target != i && names_in(counted).variables.contains(w.target));
    if (bound) return false;
    if (w.target != i) continue;
    const bool raised = w.kind == Write::Up || (w.callee != nullptr && raises(w.callee, w.parameter));
    if (up ? !raised : w.kind != Write::Down) return false;
    const bool by = w.value == nullptr ? w.callee == nullptr : constant(w.value, context_).value_or(0) > 0;
    const bool in_head = (head != nullptr && head->getInc() != nullptr && body.inside(w.at, head->getInc())) ||
                         body.inside(w.at, condition_of(loop));
    steps |= by && in_head;
  }
  return steps;
}

// Does the loop compare the variable with something that stays, and move it one way only?
bool Counting::nears(const FunctionBody& body, const Stmt* loop, const VarDecl* v) {
  const auto [known, first] = nears_.try_emplace({loop, v}, false);
  if (first)
    known->second =
        (body.bounded(loop).contains(v) || asks(body, loop, condition_of(loop), v)) && one_way(body, loop, v);
  return known->second;
}

bool Counting::asks(const FunctionBody& body, const Stmt* loop, const Expr* condition, const VarDecl* v) {
  if (condition == nullptr) return false;
  const auto b = binary(condition);
  if (b && b->op == BO_LAnd) return asks(body, loop, b->left, v) || asks(body, loop, b->right, v);
  if (!b || !BinaryOperator::isComparisonOp(b->op) || !names_in(b->left).variables.contains(v)) return false;
  const Names bound = names_in(b->right);
  for (const Write& w : body.writes)
    if (w.at != nullptr && bound.variables.contains(w.target) && body.inside(w.at, loop)) return false;
  return true;
}

bool Counting::one_way(const FunctionBody& body, const Stmt* loop, const VarDecl* v) {
  const auto ways = ways_of(body, loop, v);
  return ways && ways->up != ways->down;
}

std::optional<Ways> Counting::ways_of(const FunctionBody& body, const Stmt* loop, const VarDecl* v) {
  Ways ways;
  for (const Write& w : body.writes) {
    if (w.target != v || w.at == nullptr || !body.inside(w.at, loop)) continue;
    if (w.kind == Write::Down)
      ways.down = true;
    else if (w.kind == Write::Up || raised(w, v))
      ways.up = true;
    else
      return std::nullopt;
  }
  return ways;
}

// Set to more than it was, as far as it is written there: to the next boundary, to a place behind where it stood; or
// by a function that only raises it, a primitive that moves a position for one.
bool Counting::raised(const Write& w, const VarDecl* v) {
  if (w.callee != nullptr) {
    const auto contract = is_primitive(*w.callee) ? contract_of(*w.callee) : std::nullopt;
    if (is_primitive(*w.callee)) return contract && contract->in == static_cast<int>(w.parameter);
    return raises(w.callee, w.parameter);
  }
  const auto b = w.kind == Write::Set ? binary(w.value) : std::nullopt;
  if (!b) return false;
  if (b->op == BO_And) return names_in(w.value).variables == std::set{v};
  const VarDecl* from = b->op == BO_Add ? variable(b->left) : nullptr;
  const Expr* start = from != nullptr && from->getType().isConstQualified() ? from->getInit() : nullptr;
  return from == v || (start != nullptr && variable(start) == v);
}

}  // namespace sluice::emitted
