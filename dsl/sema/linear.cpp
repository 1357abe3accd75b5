#include "dsl/sema/linear.h"

#include <numeric>

namespace sluice::sema {

using model::Expr;
using model::Op;

namespace {

// Longer sums are not followed: every expression is looked at again when it becomes part of a larger one.
constexpr std::size_t kMaxTerms = 4;
// Factors stay small enough for a term's interval to be exact: 2^40 * 2^64 is far below what intervals hold.
constexpr i128 kMaxFactor = i128{1} << 40;

// `to` plus `factor` times `e`; false: not a form of this kind.
bool add_to(Linear& to, const Expr& e, i128 factor) {
  if (factor > kMaxFactor || factor < -kMaxFactor) return false;
  const auto constant = [](const Expr& x) { return x.op == Op::Const; };
  switch (e.op) {
    case Op::Const:
      to.constant += factor * model::const_value(e);
      return true;
    case Op::Add:
    case Op::Sub:
      if (e.wraps) return false;
      return add_to(to, *e.kids[0], factor) && add_to(to, *e.kids[1], e.op == Op::Add ? factor : -factor);
    case Op::Neg:
      return add_to(to, *e.kids[0], -factor);
    case Op::Mul:
      if (e.wraps || constant(*e.kids[0]) == constant(*e.kids[1])) break;
      {
        const bool second = constant(*e.kids[1]);
        const i128 by = model::const_value(*e.kids[second ? 1 : 0]);
        return by != 0 && by <= kMaxFactor && by >= -kMaxFactor && add_to(to, *e.kids[second ? 0 : 1], factor * by);
      }
    case Op::Cast:
      if (preserves_value(e)) return add_to(to, *e.kids[0], factor);
      break;
    default:
      break;
  }
  const std::string key = key_of(e);
  if (key.empty()) return false;
  Linear::Term& term = to.terms[key];
  term.factor += factor;
  term.range = e.range;
  if (term.depends.empty()) collect_dependencies(e, term.depends);
  if (term.factor == 0) to.terms.erase(key);
  return to.terms.size() <= kMaxTerms;
}

i128 magnitude(i128 v) { return v < 0 ? -v : v; }

std::string decimal(i128 v) {
  return (v < 0 ? "-" : "") + std::to_string(static_cast<std::uint64_t>(magnitude(v)));
}

}  // namespace

void collect_dependencies(const Expr& e, std::vector<Dependency>& out) {
  if (e.op == Op::Local) out.push_back(e.ref);
  if (e.op == Op::Global) out.push_back(e.ref | kGlobalBit);
  for (const auto& kid : e.kids) collect_dependencies(*kid, out);
}

bool preserves_value(const Expr& cast) { return model::within(cast.kids[0]->range, model::range_of(cast.type)); }

i128 Linear::unit() const {
  std::uint64_t common = 0;
  for (const auto& [key, term] : terms) common = std::gcd(common, static_cast<std::uint64_t>(magnitude(term.factor)));
  if (terms.empty()) return 1;
  return terms.begin()->second.factor < 0 ? -static_cast<i128>(common) : static_cast<i128>(common);
}

std::vector<Dependency> Linear::depends() const {
  std::vector<Dependency> all;
  for (const auto& [key, term] : terms) all.insert(all.end(), term.depends.begin(), term.depends.end());
  return all;
}

std::string Linear::key() const {
  const i128 by = unit();
  if (terms.size() == 1) return terms.begin()->first;
  std::string text = "sum";
  for (const auto& [key, term] : terms) text += " " + decimal(term.factor / by) + "*" + key;
  return text;
}

std::optional<Linear> linear_of(const Expr& e) {
  Linear form;
  if (!add_to(form, e, 1)) return std::nullopt;
  return form;
}

std::optional<Linear> difference(const Linear& a, const Linear& b) {
  Linear out = a;
  out.constant -= b.constant;
  for (const auto& [key, term] : b.terms) {
    Linear::Term& to = out.terms[key];
    to.factor -= term.factor;
    to.range = term.range;
    to.depends = term.depends;
    if (to.factor == 0) out.terms.erase(key);
  }
  if (out.terms.size() > kMaxTerms) return std::nullopt;
  return out;
}

std::optional<Linear> with_term(const Linear& sum, const std::string& key, const Linear& value, i128 constant) {
  Linear replaced = sum;
  const i128 factor = sum.terms.at(key).factor;
  replaced.terms.erase(key);
  replaced.constant += factor * (value.constant + constant);
  if (factor > kMaxFactor || factor < -kMaxFactor) return std::nullopt;
  for (const auto& [name, term] : value.terms) {
    if (term.factor > kMaxFactor || term.factor < -kMaxFactor) return std::nullopt;
    Linear::Term& to = replaced.terms[name];
    to.factor += factor * term.factor;
    to.range = term.range;
    to.depends = term.depends;
    if (to.factor == 0) replaced.terms.erase(name);
  }
  if (replaced.terms.size() > kMaxTerms) return std::nullopt;
  return replaced;
}

std::optional<Range> quotient(Range r, i128 factor) {
  if (factor < 0) return quotient({-r.hi, -r.lo}, -factor);
  const auto floor = [&](i128 v) { return v >= 0 ? v / factor : -((-v + factor - 1) / factor); };
  const Range exact{-floor(-r.lo), floor(r.hi)};
  if (exact.lo > exact.hi) return std::nullopt;
  return exact;
}

}  // namespace sluice::sema
