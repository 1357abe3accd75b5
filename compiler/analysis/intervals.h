#pragma once
// Sets of integers as sorted, disjoint, non-adjacent inclusive intervals.
#include <vector>

#include "compiler/ir/ir.h"

namespace sluice::analysis {

using Intervals = std::vector<ir::Range>;

// The set {lo..hi}; empty when lo > hi.
Intervals interval(ir::i128 lo, ir::i128 hi);
Intervals unite(const Intervals& a, const Intervals& b);
Intervals intersect(const Intervals& a, const Intervals& b);
Intervals subtract(const Intervals& a, const Intervals& b);

}  // namespace sluice::analysis
