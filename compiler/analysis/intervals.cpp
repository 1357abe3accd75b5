#include "compiler/analysis/intervals.h"

#include <algorithm>

namespace sluice::analysis {

Intervals interval(ir::i128 lo, ir::i128 hi) {
  if (lo > hi) return {};
  return {ir::Range{lo, hi}};
}

Intervals unite(const Intervals& a, const Intervals& b) {
  Intervals all = a;
  all.insert(all.end(), b.begin(), b.end());
  std::sort(all.begin(), all.end(), [](const ir::Range& x, const ir::Range& y) { return x.lo < y.lo; });
  Intervals merged;
  for (const ir::Range& next : all) {
    if (!merged.empty() && next.lo <= merged.back().hi + 1)
      merged.back().hi = std::max(merged.back().hi, next.hi);
    else
      merged.push_back(next);
  }
  return merged;
}

Intervals intersect(const Intervals& a, const Intervals& b) {
  Intervals common;
  for (const ir::Range& x : a)
    for (const ir::Range& y : b)
      if (std::max(x.lo, y.lo) <= std::min(x.hi, y.hi)) common.push_back({std::max(x.lo, y.lo), std::min(x.hi, y.hi)});
  std::sort(common.begin(), common.end(), [](const ir::Range& x, const ir::Range& y) { return x.lo < y.lo; });
  return common;
}

Intervals subtract(const Intervals& a, const Intervals& b) {
  Intervals rest = a;
  for (const ir::Range& hole : b) {
    Intervals next;
    for (const ir::Range& part : rest) {
      if (hole.hi < part.lo || hole.lo > part.hi) {
        next.push_back(part);
        continue;
      }
      if (part.lo < hole.lo) next.push_back({part.lo, hole.lo - 1});
      if (part.hi > hole.hi) next.push_back({hole.hi + 1, part.hi});
    }
    rest = std::move(next);
  }
  return rest;
}

}  // namespace sluice::analysis
