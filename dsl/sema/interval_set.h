#pragma once
// Sets of integers as sorted, disjoint, non-touching intervals: what values a `when` condition covers.
//
//   {0..255} minus {3..3} = {0..2, 4..255}
#include <vector>

#include "dsl/sema/interval.h"

namespace sluice::sema {

class IntervalSet {
 public:
  IntervalSet() = default;
  explicit IntervalSet(Range r) {
    if (r.lo <= r.hi) parts_.push_back(r);
  }

  bool empty() const { return parts_.empty(); }
  const std::vector<Range>& parts() const { return parts_; }

  IntervalSet intersect(const IntervalSet& other) const;
  IntervalSet minus(const IntervalSet& other) const;
  IntervalSet unite(const IntervalSet& other) const;

 private:
  std::vector<Range> parts_;
};

}  // namespace sluice::sema
