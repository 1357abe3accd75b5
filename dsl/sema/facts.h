#pragma once
// What is known at one point of a rule: intervals of expressions, narrower than their types allow.
//
//   n: u8                       n: 0..255
//   require n < 20 else ...     n: 0..19
//   when n & 3 == 0: ...        in the arm, n & 3: 0..0; in the arms after it, 1..3
//
//   require a + b <= 64 ...     a + b, b + a: 0..64; a: 0..64; 64 - a - b: 0..64
//   require a <= b ...          b - a: 0 or more
//   for k < n                   in a step, where a + n is at most 64, a + k: at most 63
//
// A fact is kept by the expression's shape ("key"), for sums by their linear form. Only expressions over locals,
// globals and constants have a key; a fact about a mutable one dies when it is assigned.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dsl/model/model.h"
#include "dsl/sema/interval.h"
#include "dsl/sema/linear.h"

namespace sluice::sema {

class Facts {
 public:
  // False after a statement that never goes on (stop, reject, ...).
  bool reachable = true;

  // e.range, narrowed by what is known.
  Range range_of(const model::Expr& e) const;

  // What is known about the exact value of a sum, difference or product, whatever its type holds.
  std::optional<Range> exact_range_of(const model::Expr& e) const;

  // From here on the condition `e` is known to be `truth`.
  void assume(const model::Expr& e, bool truth);

  // From here on the expression's value lies in `r`.
  void narrow(const model::Expr& e, Range r);

  // From here on the local in `slot` is below `bound`, which nothing changes while this is so.
  void stay_below(std::uint32_t slot, const model::Expr& bound);

  void forget(Dependency assigned);
  void forget_globals();

  // Two ways lead here: what both know stays. An unreachable side knows everything.
  static Facts join(const Facts& a, const Facts& b);

 private:
  struct Fact {
    Range range;
    std::vector<Dependency> depends;
  };
  std::map<std::string, Fact> facts_;
  std::map<std::string, Linear> below_;  // what counts steps, by its key: how many steps there are

  // What is known of the sum with a count of steps at its last value in place of the count.
  std::optional<Range> range_by_bounds(const Linear& sum) const;
  void keep(const std::string& key, Range r, const std::vector<Dependency>& depends);
  void narrow_sum(const Linear& sum, Range r);
  void compare(const model::Expr& a, model::Op op, const model::Expr& b);
  void compare_difference(const model::Expr& a, model::Op op, const model::Expr& b);
};

}  // namespace sluice::sema
