#include "dsl/sema/facts.h"

#include <algorithm>
#include <functional>

namespace sluice::sema {

using model::Expr;
using model::Op;

namespace {

bool preserves_value(const Expr& cast) { return model::within(cast.kids[0]->range, model::range_of(cast.type)); }

void collect_dependencies(const Expr& e, std::vector<Dependency>& out) {
  if (e.op == Op::Local) out.push_back(e.ref);
  if (e.op == Op::Global) out.push_back(e.ref | kGlobalBit);
  for (const auto& kid : e.kids) collect_dependencies(*kid, out);
}

// The operation's mathematical result fits its type whenever its checks passed: equations about it hold.
bool is_exact(const Expr& e) {
  if (e.checked) return true;
  const Range a = e.kids[0]->range, b = e.kids[1]->range;
  const Range exact = e.op == Op::Add ? add(a, b) : e.op == Op::Sub ? sub(a, b) : mul(a, b);
  return model::within(exact, model::range_of(e.type));
}

Op flipped(Op op) {
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

Op negated(Op op) {
  switch (op) {
    case Op::Eq:
      return Op::Ne;
    case Op::Ne:
      return Op::Eq;
    case Op::Lt:
      return Op::Ge;
    case Op::Le:
      return Op::Gt;
    case Op::Gt:
      return Op::Le;
    default:
      return Op::Lt;
  }
}

}  // namespace

std::string key_of(const Expr& e) {
  switch (e.op) {
    case Op::Const: {
      const i128 v = model::const_value(e);
      return v < 0 ? "-" + std::to_string(static_cast<std::uint64_t>(-v))
                   : std::to_string(static_cast<std::uint64_t>(v));
    }
    case Op::Local:
      return "L" + std::to_string(e.ref);
    case Op::Global:
      return "G" + std::to_string(e.ref);
    case Op::Arg:
      return "A" + std::to_string(e.ref);
    case Op::Elem:
    case Op::Remaining:
    case Op::AtEnd:
    case Op::Produced:
    case Op::Peek:
    case Op::ProducedSince:
    case Op::ConsumedSince:
    case Op::Checksum:
    case Op::DictionarySize:
    case Op::BufferCount:
    case Op::BufferElem:
      return {};
    case Op::Cast:
      if (preserves_value(e)) return key_of(*e.kids[0]);
      break;
    default:
      break;
  }
  std::string key = "(" + std::to_string(static_cast<int>(e.op)) + (e.type.is_signed ? "s" : "u") +
                    std::to_string(e.type.bits) + "." + std::to_string(e.ref);
  for (const auto& kid : e.kids) {
    const std::string k = key_of(*kid);
    if (k.empty()) return {};
    key += " " + k;
  }
  return key + ")";
}

Range Facts::range_of(const Expr& e) const {
  if (e.op == Op::Const) return e.range;
  const std::string key = key_of(e);
  if (key.empty()) return e.range;
  const auto found = facts_.find(key);
  if (found == facts_.end()) return e.range;
  // Contradicting facts mean that this place is never reached; any range is right then.
  return intersect(e.range, found->second.range).value_or(e.range);
}

void Facts::narrow(const Expr& e, Range r) {
  if (e.op == Op::Const) return;
  const auto both = intersect(range_of(e), r);
  if (!both) return;
  const std::string key = key_of(e);
  if (key.empty()) return;
  std::vector<Dependency> depends;
  collect_dependencies(e, depends);
  facts_[key] = Fact{*both, std::move(depends)};

  // x + c in r means x in r - c, and the like.
  const Expr* x = e.kids.empty() ? nullptr : e.kids[0].get();
  const bool by_constant = e.kids.size() == 2 && e.kids[1]->op == Op::Const;
  const Range c = by_constant ? e.kids[1]->range : Range{};
  if (e.op == Op::Cast && preserves_value(e)) narrow(*x, *both);
  if (!by_constant) return;
  if (e.op == Op::Add && is_exact(e)) narrow(*x, sub(*both, c));
  if (e.op == Op::Sub && is_exact(e)) narrow(*x, add(*both, c));
  if (e.op == Op::Shr && c.lo < 64 && both->lo >= 0) {
    const i128 unit = static_cast<i128>(1) << static_cast<int>(c.lo);
    narrow(*x, {both->lo * unit, both->hi * unit + unit - 1});
  }
}

void Facts::compare(const Expr& a, Op op, const Expr& b) {
  const Range other = range_of(b), mine = range_of(a);
  switch (op) {
    case Op::Eq:
      narrow(a, other);
      break;
    case Op::Ne:
      if (other.lo != other.hi) break;
      if (mine.lo == other.lo) narrow(a, {mine.lo + 1, std::max(mine.hi, mine.lo + 1)});
      if (mine.hi == other.lo) narrow(a, {std::min(mine.lo, mine.hi - 1), mine.hi - 1});
      break;
    case Op::Lt:
      narrow(a, {std::min(mine.lo, other.hi - 1), other.hi - 1});
      break;
    case Op::Le:
      narrow(a, {std::min(mine.lo, other.hi), other.hi});
      break;
    case Op::Gt:
      narrow(a, {other.lo + 1, std::max(mine.hi, other.lo + 1)});
      break;
    case Op::Ge:
      narrow(a, {other.lo, std::max(mine.hi, other.lo)});
      break;
    default:
      break;
  }
}

void Facts::assume(const Expr& e, bool truth) {
  switch (e.op) {
    case Op::LogNot:
      assume(*e.kids[0], !truth);
      return;
    case Op::LogAnd:
    case Op::LogOr:
      if ((e.op == Op::LogAnd) == truth) {
        assume(*e.kids[0], truth);
        assume(*e.kids[1], truth);
      } else {  // one of the two, not known which
        Facts first = *this, second = *this;
        first.assume(*e.kids[0], truth);
        second.assume(*e.kids[1], truth);
        *this = join(first, second);
      }
      return;
    case Op::Eq:
    case Op::Ne:
    case Op::Lt:
    case Op::Le:
    case Op::Gt:
    case Op::Ge: {
      const Op op = truth ? e.op : negated(e.op);
      compare(*e.kids[0], op, *e.kids[1]);
      compare(*e.kids[1], flipped(op), *e.kids[0]);
      return;
    }
    default:
      narrow(e, truth ? Range{1, 1} : Range{0, 0});
  }
}

void Facts::forget(Dependency assigned) {
  std::erase_if(facts_, [&](const auto& f) {
    return std::find(f.second.depends.begin(), f.second.depends.end(), assigned) != f.second.depends.end();
  });
}

void Facts::forget_globals() {
  std::erase_if(facts_, [](const auto& f) {
    return std::any_of(f.second.depends.begin(), f.second.depends.end(),
                       [](Dependency d) { return (d & kGlobalBit) != 0; });
  });
}

Facts Facts::join(const Facts& a, const Facts& b) {
  if (!a.reachable) return b;
  if (!b.reachable) return a;
  Facts both;
  for (const auto& [key, fact] : a.facts_) {
    const auto other = b.facts_.find(key);
    if (other != b.facts_.end()) both.facts_[key] = Fact{hull(fact.range, other->second.range), fact.depends};
  }
  return both;
}

}  // namespace sluice::sema
