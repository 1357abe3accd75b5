#include "dsl/sema/facts.h"

#include <algorithm>
#include <functional>

#include "dsl/model/comparison.h"

namespace sluice::sema {

using model::Expr;
using model::Op;

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
    case Op::PeekBits:
    case Op::ProducedSince:
    case Op::ConsumedSince:
    case Op::Checksum:
    case Op::DictionarySize:
    case Op::BufferCount:
    case Op::OutputCount:
    case Op::BufferElem:
      return {};
    case Op::Cast:
      if (preserves_value(e)) return key_of(*e.kids[0]);
      break;
    default:
      break;
  }
  std::string key = "(" + std::to_string(static_cast<int>(e.op)) + (e.wraps ? "w" : "") + (e.type.is_signed ? "s" : "u") +
                    std::to_string(e.type.bits) + "." + std::to_string(e.ref);
  for (const auto& kid : e.kids) {
    const std::string k = key_of(*kid);
    if (k.empty()) return {};
    key += " " + k;
  }
  return key + ")";
}

std::optional<Range> Facts::exact_range_of(const Expr& e) const {
  std::optional<Range> known;
  const auto learn = [&](const std::string& key, i128 unit, i128 constant) {
    const auto found = key.empty() ? facts_.end() : facts_.find(key);
    if (found == facts_.end()) return;
    const Range r = add(mul(found->second.range, {unit, unit}), {constant, constant});
    // Contradicting facts mean that this place is never reached; any range is right then.
    known = known ? intersect(*known, r).value_or(*known) : r;
  };
  learn(key_of(e), 1, 0);
  if (e.kids.empty()) return known;
  const auto sum = linear_of(e);
  if (sum && !sum->terms.empty()) learn(sum->key(), sum->unit(), sum->constant);
  if (const auto bounded = sum ? range_by_bounds(*sum) : std::nullopt)
    known = known ? intersect(*known, *bounded).value_or(*known) : bounded;
  return known;
}

// k < n: a + k is at most what a + n - 1 is, and a - k at least what a - n + 1 is.
std::optional<Range> Facts::range_by_bounds(const Linear& sum) const {
  for (const auto& [key, steps] : below_) {
    const auto counts = sum.terms.find(key);
    if (counts == sum.terms.end()) continue;
    const i128 factor = counts->second.factor;
    const auto last = with_term(sum, key, steps, -1);
    if (!last) continue;
    Range r{last->constant, last->constant};
    if (!last->terms.empty()) {
      const auto fact = facts_.find(last->key());
      if (fact == facts_.end()) continue;
      r = add(mul(fact->second.range, {last->unit(), last->unit()}), r);
    }
    return factor > 0 ? Range{-kFar, r.hi} : Range{r.lo, kFar};
  }
  return std::nullopt;
}

Range Facts::range_of(const Expr& e) const {
  if (e.op == Op::Const) return e.range;
  const auto known = exact_range_of(e);
  return known ? intersect(e.range, *known).value_or(e.range) : e.range;
}

void Facts::keep(const std::string& key, Range r, const std::vector<Dependency>& depends) {
  if (key.empty()) return;
  const auto [place, added] = facts_.emplace(key, Fact{r, depends});
  if (!added) place->second.range = intersect(place->second.range, r).value_or(place->second.range);
}

// The sum lies in r: so does each of its terms in what r and the others leave.
void Facts::narrow_sum(const Linear& sum, Range r) {
  if (sum.terms.empty()) return;
  const Range terms = sub(r, {sum.constant, sum.constant});
  if (const auto normal = quotient(terms, sum.unit())) keep(sum.key(), *normal, sum.depends());
  if (sum.terms.size() == 1) return;
  const auto known = [&](const std::string& key, const Linear::Term& term) {
    const auto found = facts_.find(key);
    return found == facts_.end() ? term.range : intersect(term.range, found->second.range).value_or(term.range);
  };
  for (const auto& [key, term] : sum.terms) {
    Range left = terms;
    for (const auto& [other, value] : sum.terms)
      if (other != key) left = sub(left, mul(known(other, value), {value.factor, value.factor}));
    const auto mine = quotient(left, term.factor);
    const auto both = mine ? intersect(known(key, term), *mine) : std::nullopt;
    if (both) keep(key, *both, term.depends);
  }
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

  if (e.op == Op::Cast && preserves_value(e)) narrow(*e.kids[0], *both);
  if (e.op == Op::Min || e.op == Op::Max)
    for (const auto& kid : e.kids) narrow(*kid, e.op == Op::Min ? Range{both->lo, kFar} : Range{-kFar, both->hi});
  if (e.op == Op::Shr && e.kids[1]->op == Op::Const && e.kids[1]->range.lo < 64 && both->lo >= 0) {
    const i128 unit = static_cast<i128>(1) << static_cast<int>(e.kids[1]->range.lo);
    narrow(*e.kids[0], {both->lo * unit, both->hi * unit + unit - 1});
  }
  const bool sums = (e.op == Op::Add || e.op == Op::Sub || e.op == Op::Mul || e.op == Op::Neg) && !e.wraps;
  if (!sums) return;
  // x + c in r means x in r - c, and the like; x may be a form of its own.
  const bool by_constant = e.kids.size() == 2 && e.kids[1]->op == Op::Const;
  if (by_constant && e.op == Op::Add) narrow(*e.kids[0], sub(*both, e.kids[1]->range));
  if (by_constant && e.op == Op::Sub) narrow(*e.kids[0], add(*both, e.kids[1]->range));
  if (const auto sum = linear_of(e)) narrow_sum(*sum, *both);
}

// a < b says of a - b what it says of no single operand.
void Facts::compare_difference(const Expr& a, Op op, const Expr& b) {
  if (a.op == Op::Const || b.op == Op::Const) return;
  const auto left = linear_of(a), right = linear_of(b);
  const auto both = left && right ? difference(*left, *right) : std::nullopt;
  if (!both || both->terms.empty()) return;
  switch (op) {
    case Op::Eq:
      return narrow_sum(*both, {0, 0});
    case Op::Lt:
      return narrow_sum(*both, {-kFar, -1});
    case Op::Le:
      return narrow_sum(*both, {-kFar, 0});
    case Op::Gt:
      return narrow_sum(*both, {1, kFar});
    case Op::Ge:
      return narrow_sum(*both, {0, kFar});
    default:
      return;
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
      const Op op = truth ? e.op : model::negated(e.op);
      compare(*e.kids[0], op, *e.kids[1]);
      compare(*e.kids[1], model::mirrored(op), *e.kids[0]);
      compare_difference(*e.kids[0], op, *e.kids[1]);
      return;
    }
    default:
      narrow(e, truth ? Range{1, 1} : Range{0, 0});
  }
}

void Facts::stay_below(std::uint32_t slot, const Expr& bound) {
  if (const auto steps = linear_of(bound); steps && !steps->terms.empty()) below_["L" + std::to_string(slot)] = *steps;
}

void Facts::forget(Dependency assigned) {
  const auto on_it = [&](const std::vector<Dependency>& depends) { return std::ranges::find(depends, assigned) != depends.end(); };
  std::erase_if(facts_, [&](const auto& f) { return on_it(f.second.depends); });
  std::erase_if(below_, [&](const auto& b) { return on_it(b.second.depends()); });
}

void Facts::forget_globals() {
  const auto on_globals = [](const std::vector<Dependency>& depends) {
    return std::ranges::any_of(depends, [](Dependency d) { return (d & kGlobalBit) != 0; });
  };
  std::erase_if(facts_, [&](const auto& f) { return on_globals(f.second.depends); });
  std::erase_if(below_, [&](const auto& b) { return on_globals(b.second.depends()); });
}

Facts Facts::join(const Facts& a, const Facts& b) {
  if (!a.reachable) return b;
  if (!b.reachable) return a;
  Facts both;
  for (const auto& [key, fact] : a.facts_) {
    const auto other = b.facts_.find(key);
    if (other != b.facts_.end()) both.facts_[key] = Fact{hull(fact.range, other->second.range), fact.depends};
  }
  for (const auto& [key, steps] : a.below_)  // the same steps: both sides are in the same loop
    if (b.below_.contains(key)) both.below_[key] = steps;
  return both;
}

}  // namespace sluice::sema
