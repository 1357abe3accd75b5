#pragma once
// Exact sums as linear forms: what `a + b`, `b + a + 1` and `64 - a - b` have in common.
//
//   3 + 2 * a - b      terms {a: 2, b: -1}, constant 3
//   a +% b             none: it may wrap
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dsl/sema/interval.h"

namespace sluice::sema {

// What an assignment invalidates: a local's slot, or a global's index with kGlobalBit set.
using Dependency = std::uint32_t;
inline constexpr Dependency kGlobalBit = 0x80000000u;

// What the value of the expression depends on.
void collect_dependencies(const model::Expr& e, std::vector<Dependency>& out);

// The same text for expressions that always have the same value at the same place; empty: none.
std::string key_of(const model::Expr& e);

// The value does not change by the conversion.
bool preserves_value(const model::Expr& cast);

struct Linear {
  struct Term {
    i128 factor = 0;
    Range range;  // of the term without its factor
    std::vector<Dependency> depends;
  };
  std::map<std::string, Term> terms;  // by the key of what is summed up; no factor is 0
  i128 constant = 0;

  // The key under which facts about `terms` are kept, and the number that all factors are divided by for it: forms that
  // are multiples of each other share a key. A single term has its own key.
  std::string key() const;
  i128 unit() const;
  std::vector<Dependency> depends() const;
};

// Nothing: not a sum of few things that have keys, or one that may wrap.
std::optional<Linear> linear_of(const model::Expr& e);
std::optional<Linear> difference(const Linear& a, const Linear& b);
// The sum with `value` + `constant` in place of the term `key`, which it has.
std::optional<Linear> with_term(const Linear& sum, const std::string& key, const Linear& value, i128 constant);

// The x with x * factor in r; nothing when there is none. The factor is not 0.
std::optional<Range> quotient(Range r, i128 factor);

}  // namespace sluice::sema
