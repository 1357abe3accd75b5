#include "compiler/analysis/switch_shape.h"

#include "compiler/analysis/walk.h"

namespace sluice::analysis {
namespace {

using ir::Expr;
using ir::Op;

bool is_comparison(Op op) { return op >= Op::Eq && op <= Op::Ge; }

Op mirrored(Op op) {
  switch (op) {
    case Op::Lt:
      return Op::Gt;
    case Op::Le:
      return Op::Ge;
    case Op::Gt:
      return Op::Lt;
    case Op::Ge:
      return Op::Le;
    default:
      return op;
  }
}

// Values of a comparison `subject op constant`, before clipping to the subject's range.
Intervals solve_comparison(Op op, ir::i128 constant, ir::Range all) {
  switch (op) {
    case Op::Eq:
      return interval(constant, constant);
    case Op::Ne:
      return subtract(interval(all.lo, all.hi), interval(constant, constant));
    case Op::Lt:
      return interval(all.lo, constant - 1);
    case Op::Le:
      return interval(all.lo, constant);
    case Op::Gt:
      return interval(constant + 1, all.hi);
    default:
      return interval(constant, all.hi);
  }
}

// What the expression depends on may not change between two tests of a chain: nothing runs in between, so any
// expression will do. One without a single variable leaf is no subject.
bool has_variable(const Expr& expr) {
  bool found = false;
  for_each_node(expr, [&](const Expr& node) { found |= node.op == Op::Local || node.op == Op::Global; });
  return found;
}

// The first expression that the condition compares with a constant.
const Expr* find_subject(const Expr& condition) {
  if (is_comparison(condition.op)) {
    const Expr &a = *condition.kids[0], &b = *condition.kids[1];
    if (b.op == Op::Const && has_variable(a)) return &a;
    if (a.op == Op::Const && has_variable(b)) return &b;
    return nullptr;
  }
  if (condition.op == Op::LogAnd || condition.op == Op::LogOr || condition.op == Op::LogNot)
    return find_subject(*condition.kids[0]);
  return nullptr;
}

}  // namespace

std::optional<Intervals> solve(const Expr& condition, const Expr& subject) {
  const Intervals all = interval(subject.range.lo, subject.range.hi);
  if (condition.op == Op::Const) return condition.imm != 0 ? all : Intervals{};
  if (is_comparison(condition.op)) {
    const Expr* a = condition.kids[0].get();
    const Expr* b = condition.kids[1].get();
    // Signedness of an ordering is that of the first operand as written; both operands agree by the IR's rule.
    const ir::Type order{64, a->type.is_signed};
    Op op = condition.op;
    if (a->op == Op::Const) {
      std::swap(a, b);
      op = mirrored(op);
    }
    if (b->op != Op::Const || !same(*a, subject)) return std::nullopt;
    if (a->type.is_signed != order.is_signed) return std::nullopt;
    return intersect(solve_comparison(op, value_of(b->imm, order), subject.range), all);
  }
  if (condition.op == Op::LogNot) {
    const auto inner = solve(*condition.kids[0], subject);
    if (!inner) return std::nullopt;
    return subtract(all, *inner);
  }
  if (condition.op == Op::LogAnd || condition.op == Op::LogOr) {
    const auto left = solve(*condition.kids[0], subject);
    const auto right = solve(*condition.kids[1], subject);
    if (!left || !right) return std::nullopt;
    return condition.op == Op::LogAnd ? intersect(*left, *right) : unite(*left, *right);
  }
  return std::nullopt;
}

std::optional<SwitchShape> switch_shape(const ir::Stmt& chain) {
  if (chain.kind != ir::Stmt::Kind::If) return std::nullopt;
  SwitchShape shape;
  shape.subject = find_subject(*chain.a);
  if (shape.subject == nullptr) return std::nullopt;
  shape.rest = interval(shape.subject->range.lo, shape.subject->range.hi);

  const ir::Stmt* test = &chain;
  while (true) {
    const auto taken = solve(*test->a, *shape.subject);
    if (!taken) return std::nullopt;  // only for the first test: later ones were solved before stepping to them
    Intervals values = intersect(*taken, shape.rest);
    shape.rest = subtract(shape.rest, *taken);
    if (!values.empty()) shape.arms.push_back({std::move(values), &test->body});
    if (test->orelse.empty()) return shape;
    const ir::Stmt& next = *test->orelse.front();
    const bool goes_on = test->orelse.size() == 1 && next.kind == ir::Stmt::Kind::If && solve(*next.a, *shape.subject);
    if (!goes_on) {
      shape.otherwise = &test->orelse;
      return shape;
    }
    test = &next;
  }
}

}  // namespace sluice::analysis
