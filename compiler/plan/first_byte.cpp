#include "compiler/plan/first_byte.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "compiler/analysis/eval.h"
#include "compiler/plan/walk.h"

namespace sluice::plan {
namespace {

using ir::Expr;
using ir::Op;
using Shared = std::shared_ptr<const Expr>;

constexpr unsigned kFirstBytes = 256;
// So many of them must tell: of the 32 tokens that a warp's lanes walk at once one does not then, and while it is walked
// the others wait.
constexpr unsigned kMustTell = kFirstBytes - kFirstBytes / 32;
// Ways through a token: more of them cost more, one after the other, than the branches that they save.
constexpr unsigned kMostWays = 16;

ir::ExprPtr copy_of(const Expr& e) {
  auto c = std::make_unique<Expr>();
  c->op = e.op;
  c->type = e.type;
  c->range = e.range;
  c->imm = e.imm;
  c->ref = e.ref;
  c->cast_type = e.cast_type;
  for (const auto& k : e.kids) c->kids.push_back(copy_of(*k));
  return c;
}

bool is_constant(const Expr& e) { return e.op == Op::Const; }

Shared constant(std::uint64_t v) {
  auto e = std::make_shared<Expr>();
  e->imm = v;
  e->range = {static_cast<ir::i128>(v), static_cast<ir::i128>(v)};
  return e;
}

Shared made(Op op, ir::Range range, const std::vector<Shared>& kids) {
  auto e = std::make_shared<Expr>();
  e->op = op;
  e->type = op == Op::Add || op == Op::Select ? ir::kU64 : ir::kBool;
  e->range = range;
  for (const Shared& k : kids) e->kids.push_back(copy_of(*k));
  return e;
}
Shared truth(Op op, const std::vector<Shared>& kids) { return made(op, {0, 1}, kids); }

Shared sum(const Shared& a, std::uint64_t n) {
  if (n == 0) return a;
  if (is_constant(*a)) return constant(a->imm + n);
  const auto more = static_cast<ir::i128>(n);
  if (a->op == Op::Add && is_constant(*a->kids[1]))
    return made(Op::Add, {a->range.lo + more, a->range.hi + more}, {clone(*a->kids[0]), constant(a->kids[1]->imm + n)});
  return made(Op::Add, {a->range.lo + more, a->range.hi + more}, {a, constant(n)});
}
Shared sum(const Shared& a, const Shared& b) {
  if (is_constant(*b)) return sum(a, b->imm);
  if (is_constant(*a)) return sum(b, a->imm);
  return made(Op::Add, {a->range.lo + b->range.lo, a->range.hi + b->range.hi}, {a, b});
}

// What is to be done after a body.
struct Rest {
  const Body* body = nullptr;
  std::size_t at = 0;
  const Rest* after = nullptr;
};

// What is known of a token on one way through it, as values of its first byte.
struct State {
  std::map<Local, Shared> values;  // none: unknown
  std::uint64_t bytes = 0;
  Shared counts;                   // of literals, besides
  std::optional<Local> first;
  std::map<ScopeId, const Rest*> calls;  // what is done after a rule that is called
};

// Ways through a token: a branch, or where one ends.
struct Ways {
  Shared condition;  // none: it ends
  std::unique_ptr<Ways> yes, no;
  Shared size;       // of a token that ends here; none: not told
};

class Follower {
 public:
  std::optional<Local> first;
  unsigned ways = 0;

  Ways follow(Rest here, State state) {
    if (ways >= kMostWays) return untold();
    while (here.at == here.body->size()) {
      if (here.after == nullptr) return end(state);
      here = *here.after;
    }
    const Step& step = (*here.body)[here.at++];
    if (step.reading == Reading::Late) return follow(here, std::move(state));
    return std::visit([&](const auto& what) { return (*this)(what, here, std::move(state)); }, step.what);
  }

 private:
  Ways untold() {
    ++ways;
    return {};
  }
  Ways end(const State& state) {
    if (!state.first) return untold();
    ++ways;
    Ways ends;
    ends.size = state.counts ? sum(state.counts, state.bytes) : constant(state.bytes);
    return ends;
  }
  Ways branch(const Shared& condition, const Rest& yes, const Rest& no, const State& state) {
    Ways ways;
    ways.condition = condition;
    ways.yes = std::make_unique<Ways>(follow(yes, state));
    ways.no = std::make_unique<Ways>(follow(no, state));
    return ways;
  }

  // The expression over the first byte alone; none: it is not known, or may not be computed for any byte.
  static Shared value(const Operand& o, const State& state) {
    auto known = substituted(*o, o.scope, state);
    return known ? Shared(std::move(known)) : nullptr;
  }
  static ir::ExprPtr substituted(const Expr& e, ScopeId scope, const State& state) {
    if (e.type.is_signed) return nullptr;
    if (e.op == Op::Local) {
      const auto known = state.values.find({scope, e.ref});
      return known == state.values.end() || !known->second ? nullptr : copy_of(*known->second);
    }
    if (is_constant(e)) return copy_of(e);
    const bool total = e.op >= Op::Add && e.op <= Op::Fits && e.op != Op::Div && e.op != Op::Rem &&
                       ((e.op != Op::Shl && e.op != Op::Shr) || is_constant(*e.kids[1]));
    if (!total) return nullptr;
    auto node = std::make_unique<Expr>();
    node->op = e.op;
    node->type = e.type;
    node->range = e.range;
    node->cast_type = e.cast_type;
    for (const auto& kid : e.kids) {
      auto known = substituted(*kid, scope, state);
      if (!known) return nullptr;
      node->kids.push_back(std::move(known));
    }
    if (node->op == Op::Add) {  // of a value whose range the slot did not show
      node->range.lo = std::max(node->range.lo, node->kids[0]->range.lo + node->kids[1]->range.lo);
      node->range.hi = std::min(node->range.hi, node->kids[0]->range.hi + node->kids[1]->range.hi);
    }
    return node;
  }

  void count(State& state, const Shared& n) { state.counts = state.counts ? sum(state.counts, n) : n; }

  Ways operator()(const Field& s, const Rest& rest, State state) {
    if (s.form != FieldForm::Load || s.width != kNoValue) return untold();
    const bool begins = !state.first && state.bytes == 0;
    if (begins && (s.into != Field::Into::Local || s.bits != 8 || s.type.is_signed)) return untold();
    if (begins && first && *first != s.local) return untold();  // on another way it is another variable's
    state.bytes += s.bits / 8;
    if (s.into == Field::Into::Local) state.values[s.local] = nullptr;
    if (begins) {
      auto byte = std::make_shared<Expr>();
      byte->op = Op::Local;
      byte->type = s.type;
      byte->range = {0, kFirstBytes - 1};
      byte->ref = s.local.slot;
      state.values[s.local] = byte;
      state.first = s.local;
      first = s.local;
    }
    return follow(rest, std::move(state));
  }
  Ways operator()(const Drop& s, const Rest& rest, State state) { return follow({&s.read, 0, &rest}, std::move(state)); }
  Ways operator()(const Width&, const Rest& rest, State state) { return follow(rest, std::move(state)); }
  Ways operator()(const Let& s, const Rest& rest, State state) {
    Shared known = value(s.value, state);
    state.values[s.local] = std::move(known);
    return follow(rest, std::move(state));
  }
  Ways operator()(const Literals& s, const Rest& rest, State state) {
    const Shared n = value(s.count, state);
    if (!n || (s.form != LiteralsForm::Fixed && s.form != LiteralsForm::Short)) return untold();
    count(state, n);
    return follow(rest, std::move(state));
  }
  Ways operator()(const Skip& s, const Rest& rest, State state) {
    const Shared n = value(s.bytes, state);
    if (!n) return untold();
    count(state, n);
    return follow(rest, std::move(state));
  }
  // Of its distance a walk asks only whether it is in the window, where that is tested.
  Ways operator()(const Copy& s, const Rest& rest, State state) {
    if (s.tests_window && !s.late_distance) return untold();
    return follow(rest, std::move(state));
  }
  Ways operator()(const If& s, const Rest& rest, State state) {
    static const Body kNothing;
    const Shared condition = value(s.condition, state);
    if (!condition) return untold();
    return branch(condition, {&s.then, 0, &rest}, {s.orelse ? &*s.orelse : &kNothing, 0, &rest}, state);
  }
  Ways operator()(const Check& s, const Rest& rest, State state) {
    static const Body kLeave{Step{Leave{}, {}, {}, Reading::Token}};
    const Shared condition = value(s.condition, state);
    if (!condition) return untold();
    return branch(condition, rest, {&kLeave, 0, nullptr}, state);
  }
  Ways operator()(const Inline& s, const Rest& rest, State state) {
    std::vector<Shared> known;
    for (const Operand& arg : s.args) known.push_back(value(arg, state));
    for (std::uint32_t i = 0; i < known.size(); ++i) state.values[{s.scope, i}] = known[i];
    state.calls[s.scope] = &rest;
    return follow({&s.body, 0, &rest}, std::move(state));
  }
  Ways operator()(const Exit& s, const Rest&, State state) {
    const Rest* const after = state.calls[s.scope];
    return follow(*after, std::move(state));
  }
  template <typename Other>
  Ways operator()(const Other&, const Rest&, const State&) {
    return untold();
  }
};

Shared opposite(const Shared& e) {
  static const std::map<Op, Op> kOpposites = {{Op::Eq, Op::Ne}, {Op::Ne, Op::Eq}, {Op::Lt, Op::Ge},
                                              {Op::Ge, Op::Lt}, {Op::Gt, Op::Le}, {Op::Le, Op::Gt}};
  const auto known = kOpposites.find(e->op);
  if (known == kOpposites.end()) return truth(Op::LogNot, {e});
  return truth(known->second, {clone(*e->kids[0]), clone(*e->kids[1])});
}

bool is(const Shared& e, std::uint64_t v) { return is_constant(*e) && e->imm == v; }

Shared told_of(const Ways& w) {
  if (!w.condition) return constant(w.size ? 1 : 0);
  const Shared yes = told_of(*w.yes), no = told_of(*w.no), not_so = opposite(w.condition);
  if (is(yes, 1) && is(no, 1)) return yes;
  if (is(yes, 0)) return is(no, 0) ? no : is(no, 1) ? not_so : truth(Op::LogAnd, {not_so, no});
  if (is(no, 0)) return is(yes, 1) ? w.condition : truth(Op::LogAnd, {w.condition, yes});
  if (is(yes, 1)) return truth(Op::LogOr, {w.condition, no});
  if (is(no, 1)) return truth(Op::LogOr, {not_so, yes});
  return truth(Op::LogOr, {truth(Op::LogAnd, {w.condition, yes}), truth(Op::LogAnd, {not_so, no})});
}

// None: nowhere told.
Shared size_of(const Ways& w) {
  if (!w.condition) return w.size;
  const Shared yes = size_of(*w.yes), no = size_of(*w.no);
  if (!yes || !no) return yes ? yes : no;
  if (is_constant(*yes) && is(no, yes->imm)) return yes;
  return made(Op::Select, {std::min(yes->range.lo, no->range.lo), std::max(yes->range.hi, no->range.hi)},
              {w.condition, yes, no});
}

}  // namespace

std::optional<FirstByte> first_byte_of(const ir::Module& module, const Loop& loop) {
  Follower follower;
  const Ways ways = follower.follow({&loop.body, 0, nullptr}, {});
  const Shared size = size_of(ways);
  if (!size || size->op != Op::Select || follower.ways >= kMostWays) return std::nullopt;
  FirstByte byte{*follower.first, {told_of(ways), follower.first->scope}, {size, follower.first->scope}, 0};
  unsigned told = 0;
  for (std::uint64_t v = 0; v < kFirstBytes; ++v) {
    const analysis::Leaves leaves = [&](const Expr& e) {
      return e.op == Op::Local ? std::optional<std::uint64_t>(v) : std::nullopt;
    };
    const auto tells = analysis::evaluate(module, *byte.told, leaves), takes = analysis::evaluate(module, *byte.size, leaves);
    if (!tells || !takes) return std::nullopt;
    if (*tells == 0) continue;
    ++told;
    byte.most = std::max<std::uint64_t>(byte.most, *takes);
  }
  if (told < kMustTell || byte.most + loop.in_margin > kMaxRecordMargin) return std::nullopt;
  return byte;
}

}  // namespace sluice::plan
