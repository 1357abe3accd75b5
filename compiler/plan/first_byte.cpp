#include "compiler/plan/first_byte.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compiler/analysis/eval.h"
#include "compiler/ir/printer.h"
#include "compiler/plan/records.h"
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

// Literals and a copy; none: there are none.
struct Parts {
  bool known = true;
  Shared literals, from, distance, length;
};

// What is known of a token on one way through it, as values of its first byte and of fields behind it.
struct State {
  std::map<Local, Shared> values;  // none: unknown
  std::uint64_t bytes = 0;
  Shared counts;                   // of literals, besides
  std::optional<Local> first;
  std::vector<FieldAt> fields;
  Parts parts;
  std::map<ScopeId, const Rest*> calls;  // what is done after a rule that is called
};

// Ways through a token: a branch, or where one ends.
struct Ways {
  Shared condition;  // none: it ends
  std::unique_ptr<Ways> yes, no;
  Shared size;       // of a token that ends here; none: not told
  Parts parts;       // of it
  std::vector<FieldAt> fields;
};

class Follower {
 public:
  explicit Follower(unsigned element_bits) : element_bits_(element_bits) {}

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
    ends.size = place(state);
    ends.parts = state.parts;
    ends.fields = state.fields;
    return ends;
  }
  // Where the state is, from the token's start on.
  static Shared place(const State& state) {
    return state.counts ? sum(state.counts, state.bytes) : constant(state.bytes);
  }
  Ways branch(const Shared& condition, const Rest& yes, const Rest& no, const State& state) {
    Ways both;
    both.condition = condition;
    both.yes = std::make_unique<Ways>(follow(yes, state));
    both.no = std::make_unique<Ways>(follow(no, state));
    return both;
  }

  // The expression over the first byte alone; none: it is not known so, or may not be computed for any byte.
  static Shared told(const Operand& o, const State& state) {
    const Shared known = value(o, state);
    if (!known || !state.first) return nullptr;
    bool alone = true;
    for_each_node(*known, [&](const Expr& e) { alone &= e.op != Op::Local || e.ref == state.first->slot; });
    return alone ? known : nullptr;
  }
  // Over fields, too.
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
    const Shared at = place(state);
    state.bytes += s.bits / 8;
    if (s.into != Field::Into::Local) return follow(rest, std::move(state));
    state.values[s.local] = nullptr;
    if (begins) {
      first = state.first = s.local;
      state.values[s.local] = variable(s);
    } else if (is_constant(*at) && !s.type.is_signed && (s.bits == 8 || s.bits == 16 || s.bits == 32) &&
               s.local.scope == state.first->scope && s.local != *state.first &&
               std::ranges::find(state.fields, s.local, &FieldAt::local) == state.fields.end()) {
      state.values[s.local] = variable(s);
      state.fields.push_back({s.local, at->imm, s.bits, s.big});
    }
    return follow(rest, std::move(state));
  }
  static Shared variable(const Field& s) {
    auto e = std::make_shared<Expr>();
    e->op = Op::Local;
    e->type = s.type;
    e->range = {0, (ir::i128{1} << s.bits) - 1};
    e->ref = s.local.slot;
    return e;
  }
  Ways operator()(const Drop& s, const Rest& rest, State state) { return follow({&s.read, 0, &rest}, std::move(state)); }
  Ways operator()(const Width&, const Rest& rest, State state) { return follow(rest, std::move(state)); }
  Ways operator()(const Let& s, const Rest& rest, State state) {
    Shared known = value(s.value, state);
    state.values[s.local] = std::move(known);
    return follow(rest, std::move(state));
  }
  Ways operator()(const Literals& s, const Rest& rest, State state) {
    const Shared n = told(s.count, state);
    const bool bytes = s.form == LiteralsForm::Fixed || s.form == LiteralsForm::Short || (s.placed && element_bits_ == 8);
    if (!n || !bytes) return untold();
    state.parts.literals = n;
    state.parts.from = place(state);
    count(state, n);
    return follow(rest, std::move(state));
  }
  // Takes nothing.
  Ways operator()(const Run& s, const Rest& rest, State state) {
    if (!s.placed) return untold();
    state.parts.known = false;
    return follow(rest, std::move(state));
  }
  Ways operator()(const Skip& s, const Rest& rest, State state) {
    const Shared n = told(s.bytes, state);
    if (!n) return untold();
    count(state, n);
    return follow(rest, std::move(state));
  }
  // Of its distance a walk asks only whether it is in the window, where that is tested.
  Ways operator()(const Copy& s, const Rest& rest, State state) {
    if (s.tests_window && !s.late_distance) return untold();
    state.parts.distance = value(s.distance, state);
    state.parts.length = value(s.length, state);
    // Where there is no copy its length is 0: one of nothing, whose distance may be a bad one, would look like that.
    state.parts.known &= !s.late_distance && state.parts.distance && state.parts.length && (*s.length).range.lo > 0;
    return follow(rest, std::move(state));
  }
  Ways operator()(const If& s, const Rest& rest, State state) {
    static const Body kNothing;
    const Shared condition = told(s.condition, state);
    if (!condition) return untold();
    return branch(condition, {&s.then, 0, &rest}, {s.orelse ? &*s.orelse : &kNothing, 0, &rest}, state);
  }
  Ways operator()(const Check& s, const Rest& rest, State state) {
    static const Body kLeave{Step{Leave{}, {}, {}, Reading::Token}};
    const Shared condition = told(s.condition, state);
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

  const unsigned element_bits_;
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

bool equal(const Expr& a, const Expr& b) {
  return a.op == b.op && a.type == b.type && a.imm == b.imm && a.ref == b.ref && a.cast_type == b.cast_type &&
         std::ranges::equal(a.kids, b.kids, [](const auto& x, const auto& y) { return equal(*x, *y); });
}

// What `of` finds where each way ends, which may be nothing: then it does not matter. None: nowhere anything.
template <typename Of>
Shared chosen(const Ways& w, const Of& of) {
  if (!w.condition) return w.size ? of(w) : nullptr;
  const Shared yes = chosen(*w.yes, of), no = chosen(*w.no, of);
  if (!yes || !no) return yes ? yes : no;
  if (equal(*yes, *no)) return yes;
  return made(Op::Select, {std::min(yes->range.lo, no->range.lo), std::max(yes->range.hi, no->range.hi)},
              {w.condition, yes, no});
}

bool reads(const Shared& e, const FieldAt& field) {
  bool found = false;
  if (e) for_each_node(*e, [&](const Expr& n) { found |= n.op == Op::Local && n.ref == field.local.slot; });
  return found;
}

// Calls `visit` with each end of a way that is told.
template <typename Visit>
void for_each_end(const Ways& w, const Visit& visit) {
  if (!w.condition) {
    if (w.size) visit(w);
    return;
  }
  for_each_end(*w.yes, visit);
  for_each_end(*w.no, visit);
}

std::optional<FirstByteParts> parts_of(const Ways& ways, ScopeId scope) {
  bool known = true;
  for_each_end(ways, [&](const Ways& end) { known &= end.parts.known; });
  if (!known) return std::nullopt;
  const Shared none = constant(0);
  const Shared literals = chosen(ways, [&](const Ways& end) { return end.parts.literals ? end.parts.literals : none; });
  const Shared from = chosen(ways, [&](const Ways& end) { return end.parts.from; });
  const Shared distance = chosen(ways, [&](const Ways& end) { return end.parts.distance; });
  const Shared length = chosen(ways, [&](const Ways& end) { return end.parts.length ? end.parts.length : none; });
  FirstByteParts parts{{}, {literals, scope}, {from ? from : none, scope}, {}, {}};
  if (distance) {
    parts.distance = {distance, scope};
    parts.length = {length, scope};
  }
  for_each_end(ways, [&](const Ways& end) {
    for (const FieldAt& field : end.fields) {
      if (!reads(distance, field) && !reads(length, field)) continue;
      const auto same = std::ranges::find(parts.fields, field.local, &FieldAt::local);
      if (same == parts.fields.end()) parts.fields.push_back(field);
      else known &= *same == field;  // or it is two variables
    }
  });
  if (!known) return std::nullopt;
  std::ranges::stable_sort(parts.fields, {}, &FieldAt::offset);
  return parts;
}

}  // namespace

std::optional<FirstByte> first_byte_tells(const ir::Module& module, const Loop& loop) {
  Follower follower(loop.element_bits(module));
  const Ways ways = follower.follow({&loop.body, 0, nullptr}, {});
  const Shared size = chosen(ways, [](const Ways& end) { return end.size; });
  if (!size || size->op != Op::Select || follower.ways >= kMostWays) return std::nullopt;
  FirstByte byte{*follower.first, {told_of(ways), follower.first->scope}, {size, follower.first->scope}, 0, {}};
  if (!loop.records || !loop.records->has_late()) byte.parts = parts_of(ways, byte.local.scope);
  return byte;
}

std::optional<FirstByte> first_byte_of(const ir::Module& module, const Loop& loop) {
  std::optional<FirstByte> found = first_byte_tells(module, loop);
  if (!found) return std::nullopt;
  FirstByte& byte = *found;
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
  return found;
}

void for_each_operand(FirstByte& byte, const std::function<void(Operand&)>& visit) {
  visit(byte.told);
  visit(byte.size);
  if (!byte.parts) return;
  for (Operand* const o : {&byte.parts->literals, &byte.parts->from, &byte.parts->distance, &byte.parts->length})
    if (*o) visit(*o);
}

bool says_the_same(const ir::Module& module, const Loop& loop, FirstByte a, FirstByte b) {
  const auto texts = [&](FirstByte& byte) {
    std::vector<std::string> all;
    for_each_operand(byte, [&](const Operand& o) {
      all.push_back(std::to_string(o.scope) + ir::print(module, &module.rules[loop.scopes[o.scope].rule], *o));
    });
    return all;
  };
  return a.local == b.local && a.most == b.most && a.parts.has_value() == b.parts.has_value() && texts(a) == texts(b) &&
         (!a.parts || a.parts->fields == b.parts->fields);
}

}  // namespace sluice::plan
