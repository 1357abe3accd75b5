#include "tests/emitted/progress.h"

#include <algorithm>
#include <cctype>

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

namespace sluice::emitted {

using namespace clang;

namespace {

// The smallest element of a constant table.
std::int64_t least_element(const VarDecl& table, const ASTContext& context) {
  const auto* type = context.getAsConstantArrayType(table.getType());
  const Expr* start = table.getAnyInitializer();
  const auto* list = start == nullptr ? nullptr : dyn_cast<InitListExpr>(start);
  if (type == nullptr || list == nullptr || !table.getType().isConstant(context) ||
      type->getSize().ugt(list->getNumInits()))
    return 0;
  std::int64_t least = INT64_MAX;
  for (const Expr* e : list->inits()) {
    Expr::EvalResult value;
    if (!e->EvaluateAsInt(value, context)) return 0;
    least = std::min<std::int64_t>(least, static_cast<std::int64_t>(value.Val.getInt().getLimitedValue(INT64_MAX)));
  }
  return least;
}

// Is `name` a word of the text?
bool mentions(const std::string& text, const std::string& name) {
  const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !part(text[at - 1])) && (end == text.size() || !part(text[end]))) return true;
  }
  return false;
}

}  // namespace

void Known::meet(const Known& o) {
  std::erase_if(least, [&](const auto& x) { return !o.least.contains(x.first); });
  for (auto& [v, n] : least) n = std::min(n, o.least.at(v));
  std::erase_if(less, [&](const auto& x) { return !o.less.contains(x); });
  std::erase_if(done, [&](const Stmt* x) { return !o.done.contains(x); });
  std::erase_if(region, [&](const Stmt* x) { return !o.region.contains(x); });
}

void Known::also(const Known& o) {
  for (const auto& [v, n] : o.least) {
    std::int64_t& mine = least[v];
    mine = std::max(mine, n);
  }
  less.insert(o.less.begin(), o.less.end());
  done.insert(o.done.begin(), o.done.end());
  region.insert(o.region.begin(), o.region.end());
}

bool Progress::join(const Progress& o) {
  const Progress was = *this;
  // A flag that is not set on one path promises what the other path knows.
  std::map<const VarDecl*, Known> both;
  const auto promise = [](const Progress& p, const VarDecl* flag) -> std::optional<Known> {
    const auto value = p.flags.find(flag);
    const auto held = p.when.find(flag);
    Known all = p.known;
    if (held != p.when.end()) all.also(held->second);
    if (value != p.flags.end() && !value->second) return std::nullopt;  // not set: everything
    return all;
  };
  std::set<const VarDecl*> named;
  for (const Progress* p : {&was, &o}) {
    for (const auto& each : p->flags) named.insert(each.first);
    for (const auto& each : p->when) named.insert(each.first);
  }
  for (const VarDecl* flag : named) {
    auto mine = promise(was, flag), other = promise(o, flag);
    if (mine && other) mine->meet(*other);
    if (mine || other) both[flag] = mine ? *mine : *other;
  }
  known.meet(o.known);
  std::erase_if(flags, [&](const auto& x) {
    const auto found = o.flags.find(x.first);
    return found == o.flags.end() || found->second != x.second;
  });
  when = std::move(both);
  return was.known != known || was.flags != flags || was.when != when;
}

std::int64_t Numbers::least(const Known& known, const Expr* e) const {
  if (const auto number = constant(e, context_)) return std::max<std::int64_t>(*number, 0);
  e = e->IgnoreParenImpCasts();
  // To fewer bits a number may become 0.
  if (const auto* cast = dyn_cast<ExplicitCastExpr>(e)) {
    if (context_.getTypeSize(cast->getType()) < context_.getTypeSize(cast->getSubExpr()->getType())) return 0;
    return least(known, cast->getSubExpr());
  }
  if (const VarDecl* v = variable(e)) {
    const auto found = known.least.find(v);
    return found == known.least.end() ? 0 : found->second;
  }
  if (const auto* at = dyn_cast<ArraySubscriptExpr>(e)) {
    const VarDecl* table = variable(at->getBase());
    return table == nullptr ? 0 : least_element(*table, context_);
  }
  if (const auto* c = dyn_cast<ConditionalOperator>(e)) {
    if (least(known, c->getTrueExpr()) > 0 && least(known, c->getFalseExpr()) > 0) return 1;
    return 0;
  }
  if (const auto* call = dyn_cast<CallExpr>(e)) {
    const FunctionDecl* f = call->getDirectCallee();
    if (f == nullptr || f->getIdentifier() == nullptr || !is_primitive(*f)) return 0;
    if (f->getName() == "entry_bits") return 1;  // a symbol has a code of at least one bit
    return f->getName() == "steps" ? least(known, call->getArg(0)) : 0;
  }
  const auto b = binary(e);
  if (!b) return 0;
  const std::int64_t left = least(known, b->left), right = least(known, b->right);
  switch (b->op) {
    case BO_Add:
      return left > 0 || right > 0 ? std::max<std::int64_t>(1, std::max(left, right)) : 0;
    case BO_Mul:
      return left > 0 && right > 0 ? 1 : 0;
    case BO_Or:
      return std::max(left, right);
    case BO_Sub:
      if (known.less.contains({spelled(b->right, context_), spelled(b->left, context_)})) return 1;
      if (const auto less = constant(b->right, context_)) return left > *less ? left - *less : 0;
      return 0;
    case BO_Div: {
      const auto by = constant(b->right, context_);
      return by && *by > 0 ? left / *by : 0;
    }
    default:
      return 0;
  }
}

void Numbers::at_least(Known& known, const Expr* e, std::int64_t n) const {
  if (const VarDecl* v = variable(e); v != nullptr && n > 0) {
    std::int64_t& least = known.least[v];
    least = std::max(least, n);
  }
}

void Numbers::changed(Progress& state, const VarDecl* target) const {
  const std::string name = target->getNameAsString();
  const auto forget = [&](Known& known) {
    known.least.erase(target);
    std::erase_if(known.less, [&](const auto& x) { return mentions(x.first, name) || mentions(x.second, name); });
  };
  forget(state.known);
  for (auto& [flag, known] : state.when) forget(known);
  state.flags.erase(target);
  state.when.erase(target);
}

void Numbers::stepped(Progress& state, const VarDecl* target, const Counters& counters) const {
  changed(state, target);
  if (counters.contains(target)) state.flags[target] = true;
}

void Numbers::assign(Progress& state, const VarDecl* target, const Expr* value, const Counters& counters) const {
  const std::int64_t n = least(state.known, value);
  const auto number = constant(value, context_);
  std::map<const VarDecl*, std::int64_t> then;  // when a flag is set
  for (const auto& [flag, known] : state.when) then[flag] = least(known, value);
  changed(state, target);
  if (n > 0) state.known.least[target] = n;
  for (const auto& [flag, m] : then)
    if (m > 0 && flag != target) state.when[flag].least[target] = m;
  if (target->getType()->isBooleanType() && number) state.flags[target] = *number != 0;
  // A counter that begins where its loop does not end.
  const auto counter = counters.find(target);
  if (counter != counters.end() && (counter->second ? n > 0 : number == 0)) state.flags[target] = false;
}

void Numbers::decided(Progress& state, const Expr* atom, bool truth, const Counters& counters) const {
  Known& known = state.known;
  decide(state, atom, truth);
  // A counter that went up from 0 and is 1 or more, or went down from there and is 0, has been stepped.
  const auto compared = binary(atom);
  const VarDecl* v = compared ? variable(compared->left) : nullptr;
  const auto counter = counters.find(v);
  if (counter == counters.end()) return;
  const bool ends =
      (compared->op == BO_GT || compared->op == BO_NE) && !truth && constant(compared->right, context_) == 0;
  if (counter->second ? !ends : !known.least.contains(v)) return;
  const auto flag = state.flags.find(v);
  if (flag != state.flags.end() && !flag->second) state.dead = true;
  if (const auto when = state.when.find(v); when != state.when.end()) known.also(Known(when->second));
}

void Numbers::decide(Progress& state, const Expr* atom, bool truth) const {
  Known& known = state.known;
  if (const VarDecl* flag = variable(atom); flag != nullptr && flag->getType()->isBooleanType()) {
    if (const auto when = state.when.find(flag); truth && when != state.when.end()) known.also(when->second);
    state.flags[flag] = truth;
    return;
  }
  const auto b = binary(atom);
  if (!b) return at_least(known, atom, truth ? 1 : 0);
  BinaryOperatorKind op = b->op;
  if (!truth) {
    switch (op) {
      case BO_LT:
        op = BO_GE;
        break;
      case BO_GE:
        op = BO_LT;
        break;
      case BO_GT:
        op = BO_LE;
        break;
      case BO_LE:
        op = BO_GT;
        break;
      case BO_EQ:
        op = BO_NE;
        break;
      case BO_NE:
        op = BO_EQ;
        break;
      default:
        return;
    }
  }
  const Expr* left = b->left;
  const Expr* right = b->right;
  if (op == BO_LT || op == BO_LE) {
    std::swap(left, right);
    op = op == BO_LT ? BO_GT : BO_GE;
  }
  const std::int64_t least_right = least(known, right), least_left = least(known, left);
  // What can't be so is a way that no run takes.
  const auto most_left = constant(left, context_), most_right = constant(right, context_);
  if (most_left && ((op == BO_GE && *most_left < least_right) || (op == BO_GT && *most_left <= least_right) ||
                    (op == BO_EQ && *most_left < least_right)))
    state.dead = true;
  if (op == BO_EQ && most_right && *most_right < least_left) state.dead = true;
  switch (op) {
    case BO_GT:
      known.less.insert({spelled(right, context_), spelled(left, context_)});
      return at_least(known, left, least_right + 1);
    case BO_GE: {
      at_least(known, left, least_right);
      // x + n >= y where x < y
      const auto sum = binary(left);
      if (sum && sum->op == BO_Add && known.less.contains({spelled(sum->left, context_), spelled(right, context_)}))
        at_least(known, sum->right, 1);
      return;
    }
    case BO_EQ:
      at_least(known, left, least_right);
      return at_least(known, right, least_left);
    case BO_NE:
      if (constant(right, context_) == 0) at_least(known, left, 1);
      return;
    default:
      return;
  }
}

}  // namespace sluice::emitted
