#include "tests/emitted/bounds.h"

#include "tests/emitted/contracts.h"

namespace sluice::emitted {

using namespace clang;

// Bits of one unit of a position: bytes are counted by pointers, cursors and objects that stand for them.
std::int64_t unit_of(const VarDecl* position) {
  const QualType t = position->getType();
  if (t->isPointerType() || t->isRecordType()) return 8;
  const auto* name = t->getAs<TypedefType>();
  return name != nullptr && (name->getDecl()->getName() == "Cursor" || name->getDecl()->getName() == "BackCursor") ? 8 : 1;
}

// A number that a variable starts with, or a constant one has for good.
const Expr* start_of(const Expr* e) {
  const VarDecl* v = variable(e);
  return v == nullptr || !v->hasInit() || !v->isLocalVarDecl() ? nullptr : v->getInit();
}

// `s.end - s.pos`, `s.out_end - s.produced`
bool difference(const Expr* e, llvm::StringRef end, llvm::StringRef from) {
  const auto b = binary(e);
  return b && b->op == BO_Sub && member(b->left) == end && member(b->right) == from;
}

// `in_limit`, which is something less a number of bytes: the number, as bits.
std::optional<std::int64_t> Bounds::limit(const Expr* e) const {
  const Expr* start = start_of(e);
  if (start == nullptr || !variable(e)->getType().isConstQualified()) return std::nullopt;
  auto b = binary(start);
  std::int64_t times = unit_of(variable(e));
  if (b && b->op == BO_Mul) {
    const auto factor = constant(b->left, context_);
    times = factor.value_or(0);
    b = binary(b->right);
  }
  if (!b || b->op != BO_Sub || times != 8) return std::nullopt;
  const auto margin = constant(b->right, context_);
  if (!margin) return std::nullopt;
  return 8 * *margin;
}

// `part_end(place, in, in_limit)`, kept as a constant: what is below it has `in` at most at its limit.
std::optional<std::pair<const VarDecl*, std::int64_t>> Bounds::part_end(const Expr* e) const {
  const Expr* start = start_of(e);
  const auto* call = start == nullptr ? nullptr : dyn_cast<CallExpr>(plain(start));
  const FunctionDecl* f = call == nullptr ? nullptr : call->getDirectCallee();
  if (f == nullptr || !is_primitive(*f) || f->getNameAsString() != "part_end" || !variable(e)->getType().isConstQualified())
    return std::nullopt;
  const auto margin = limit(call->getArg(2));
  const VarDecl* in = variable(call->getArg(1));
  if (!margin || in == nullptr) return std::nullopt;
  return std::pair{in, *margin};
}

// The position V in `limit - V`, `(limit - V) / size`, `(limit - V) / size + 1`; or the variable that holds the
// output's room, for it and what is divided from it.
const VarDecl* Bounds::room_for(const Expr* e) const {
  const auto b = binary(e);
  if (b && b->op == BO_Add && constant(b->right, context_) == 1) {
    const auto divided = binary(b->left);
    return divided && divided->op == BO_Div ? room_for(divided->left) : nullptr;
  }
  if (b && b->op == BO_Div && constant(b->right, context_)) return room_for(b->left);
  if (b && b->op == BO_Sub && limit(b->left)) return variable(b->right);
  const Expr* start = start_of(e);
  return start != nullptr && difference(start, "out_end", "produced") ? variable(e) : nullptr;
}

// Bits of a step when as many were tested as `(limit - V) / size`: none of its own where one more may begin at the
// limit.
std::int64_t Bounds::step_of(const Expr* room, const VarDecl* position) const {
  const auto b = binary(room);
  if (b && b->op == BO_Sub) return unit_of(position);
  return b && b->op == BO_Div && binary(b->left) ? unit_of(position) * constant(b->right, context_).value_or(0) : 0;
}

// Texts of what an expression is not more than: both sides of a minimum.
std::set<std::string> Bounds::at_most(const Expr* e) const {
  std::set<std::string> all{text(e)};
  if (difference(e, "end", "pos")) all.insert("left");
  if (const Expr* start = start_of(e);
      start != nullptr && variable(e)->getType().isConstQualified() && difference(start, "end", "pos"))
    all.insert("left");
  const auto* choice = dyn_cast<ConditionalOperator>(plain(e));
  if (choice == nullptr) return all;
  const auto less = binary(choice->getCond());
  if (!less || less->op != BO_LT) return all;
  std::set<std::string> first = at_most(choice->getTrueExpr()), second = at_most(choice->getFalseExpr());
  if (first.contains(text(less->left))) first.merge(at_most(less->right));
  if (second.contains(text(less->right))) second.merge(at_most(less->left));
  for (const std::string& x : first)
    if (second.contains(x)) all.insert(x);
  return all;
}

// `in_time ? base + lane : n - 1`, where in_time is base + lane < n: n, which it is below.
const VarDecl* Bounds::below_same(const Expr* e) const {
  const auto* choice = dyn_cast<ConditionalOperator>(plain(e));
  if (choice == nullptr) return nullptr;
  const Expr* condition = choice->getCond();
  if (const Expr* start = start_of(condition)) condition = start;
  const auto less = binary(condition), last = binary(choice->getFalseExpr());
  if (!less || less->op != BO_LT || text(less->left) != text(choice->getTrueExpr())) return nullptr;
  const VarDecl* n = variable(less->right);
  return last && last->op == BO_Sub && variable(last->left) == n && constant(last->right, context_) == 1 ? n : nullptr;
}

}  // namespace sluice::emitted
