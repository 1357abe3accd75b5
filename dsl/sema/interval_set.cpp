#include "dsl/sema/interval_set.h"

#include <algorithm>

namespace sluice::sema {

IntervalSet IntervalSet::intersect(const IntervalSet& other) const {
  IntervalSet out;
  for (const Range& a : parts_)
    for (const Range& b : other.parts_)
      if (const auto both = sema::intersect(a, b)) out.parts_.push_back(*both);
  std::sort(out.parts_.begin(), out.parts_.end(), [](const Range& a, const Range& b) { return a.lo < b.lo; });
  return out;
}

IntervalSet IntervalSet::minus(const IntervalSet& other) const {
  IntervalSet out;
  for (Range rest : parts_) {
    for (const Range& hole : other.parts_) {
      if (rest.lo > rest.hi || model::disjoint(rest, hole)) continue;
      if (rest.lo < hole.lo) out.parts_.push_back({rest.lo, hole.lo - 1});
      rest.lo = hole.hi + 1;
    }
    if (rest.lo <= rest.hi) out.parts_.push_back(rest);
  }
  return out;
}

IntervalSet IntervalSet::unite(const IntervalSet& other) const {
  std::vector<Range> all = parts_;
  all.insert(all.end(), other.parts_.begin(), other.parts_.end());
  std::sort(all.begin(), all.end(), [](const Range& a, const Range& b) { return a.lo < b.lo; });
  IntervalSet out;
  for (const Range& r : all) {
    if (!out.parts_.empty() && r.lo <= out.parts_.back().hi + 1)
      out.parts_.back().hi = std::max(out.parts_.back().hi, r.hi);
    else
      out.parts_.push_back(r);
  }
  return out;
}

}  // namespace sluice::sema
