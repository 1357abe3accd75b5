#pragma once
// Bounds on what a piece of program takes and makes, over all paths through it, with the clauses they come from.
//
//   read u8; if c: emit x   ->   bits [8, 8], outputs [0, 1]
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/analysis/reason.h"
#include "compiler/ir/ir.h"

namespace sluice::analysis {

// No amount above this is called bounded: an error word's position has 40 bits, so nothing longer can be decoded.
inline constexpr std::uint64_t kLargestAmount = std::uint64_t{1} << ir::kErrorPositionBits;

using Limit = std::optional<std::uint64_t>;  // an upper bound, at most kLargestAmount; nullopt: none

Limit add(Limit a, Limit b);
Limit multiply(Limit a, Limit b);
Limit larger(Limit a, Limit b);
// The value as a bound: negative counts as 0, anything above kLargestAmount as none.
Limit limit_of(ir::i128 value);
// The same for a lower bound: cut at kLargestAmount.
std::uint64_t floor_of(ir::i128 value);

// Chains under construction, shared instead of copied: sequences of thousands of statements stay linear.
class WhyPool {
 public:
  using Id = std::int32_t;
  static constexpr Id kNone = -1;

  Id one(std::string text, Span span);
  Id both(Id first, Id second);
  // In order, each step once.
  ReasonChain chain(Id id) const;

 private:
  struct Node {
    Reason step;  // a leaf's
    Id first = kNone, second = kNone;
  };
  std::vector<Node> nodes_;
};

// Bounds of one quantity over a set of paths.
struct Amount {
  std::uint64_t min = 0;
  Limit max = 0;
  std::uint64_t scalar = 0;          // of the statements that move a fixed number of elements (see TokenBudget)
  WhyPool::Id why = WhyPool::kNone;  // of max
};

struct Cost {
  Amount bits, outputs;
};

// The ways out of a piece of program, each with what was spent until there. A path that fails is none of them.
struct Paths {
  std::optional<Cost> fall, stop, ret, accept;
};

// One path after the other, and the choice between two.
std::optional<Cost> in_sequence(WhyPool& pool, const std::optional<Cost>& first, const std::optional<Cost>& then);
std::optional<Cost> either(WhyPool& pool, const std::optional<Cost>& a, const std::optional<Cost>& b);
Paths either(WhyPool& pool, const Paths& a, const Paths& b);

}  // namespace sluice::analysis
