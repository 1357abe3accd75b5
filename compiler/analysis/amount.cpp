#include "compiler/analysis/amount.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace sluice::analysis {

Limit add(Limit a, Limit b) {
  if (!a || !b || *a + *b > kLargestAmount) return std::nullopt;
  return *a + *b;
}

Limit multiply(Limit a, Limit b) {
  if (a == 0u || b == 0u) return 0;
  if (!a || !b || *a > kLargestAmount / *b) return std::nullopt;
  return *a * *b;
}

Limit larger(Limit a, Limit b) {
  if (!a || !b) return std::nullopt;
  return std::max(*a, *b);
}

Limit limit_of(ir::i128 value) {
  if (value < 0) return 0;
  if (value > static_cast<ir::i128>(kLargestAmount)) return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

std::uint64_t floor_of(ir::i128 value) { return limit_of(value).value_or(kLargestAmount); }

WhyPool::Id WhyPool::one(std::string text, Span span) {
  nodes_.push_back({{std::move(text), span}, kNone, kNone});
  return static_cast<Id>(nodes_.size() - 1);
}

WhyPool::Id WhyPool::both(Id first, Id second) {
  if (first == kNone) return second;
  if (second == kNone || first == second) return first;
  nodes_.push_back({{}, first, second});
  return static_cast<Id>(nodes_.size() - 1);
}

ReasonChain WhyPool::chain(Id id) const {
  ReasonChain steps;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::string>> told;
  std::set<Id> seen;  // a shared part need not be walked twice
  std::vector<Id> open{id};
  while (!open.empty()) {
    const Id next = open.back();
    open.pop_back();
    if (next == kNone || !seen.insert(next).second) continue;
    const Node& node = nodes_[next];
    if (node.first == kNone) {
      if (told.emplace(node.step.span.file, node.step.span.offset, node.step.text).second) steps.push_back(node.step);
    } else {
      open.push_back(node.second);
      open.push_back(node.first);
    }
  }
  return steps;
}

namespace {

Amount in_sequence(WhyPool& pool, const Amount& a, const Amount& b) {
  Amount sum;
  sum.min = std::min(a.min + b.min, kLargestAmount);
  sum.max = add(a.max, b.max);
  sum.scalar = std::min(a.scalar + b.scalar, kLargestAmount);
  // Of an unbounded sum only the unbounded parts are worth telling, if it is not the sum itself that is too large.
  if (sum.max || a.max.has_value() == b.max.has_value())
    sum.why = pool.both(a.why, b.why);
  else
    sum.why = a.max ? b.why : a.why;
  return sum;
}

Amount either(WhyPool& pool, const Amount& a, const Amount& b) {
  Amount both;
  both.min = std::min(a.min, b.min);
  both.max = larger(a.max, b.max);
  both.scalar = std::max(a.scalar, b.scalar);
  if (both.max)
    both.why = *a.max >= *b.max ? a.why : b.why;
  else if (a.max.has_value() == b.max.has_value())
    both.why = pool.both(a.why, b.why);
  else
    both.why = a.max ? b.why : a.why;
  return both;
}

}  // namespace

std::optional<Cost> in_sequence(WhyPool& pool, const std::optional<Cost>& first, const std::optional<Cost>& then) {
  if (!first || !then) return std::nullopt;
  return Cost{in_sequence(pool, first->bits, then->bits), in_sequence(pool, first->outputs, then->outputs)};
}

std::optional<Cost> either(WhyPool& pool, const std::optional<Cost>& a, const std::optional<Cost>& b) {
  if (!a) return b;
  if (!b) return a;
  return Cost{either(pool, a->bits, b->bits), either(pool, a->outputs, b->outputs)};
}

Paths either(WhyPool& pool, const Paths& a, const Paths& b) {
  return {either(pool, a.fall, b.fall), either(pool, a.stop, b.stop), either(pool, a.ret, b.ret),
          either(pool, a.accept, b.accept)};
}

}  // namespace sluice::analysis
