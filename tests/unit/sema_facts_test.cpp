// What conditions teach, against brute force: no values that satisfy them may give an expression a value outside the
// range that is promised for it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "dsl/sema/facts.h"

namespace sluice::sema {
namespace {

using model::Expr;
using model::ExprPtr;
using model::Op;

constexpr unsigned kNames = 3;
constexpr int kMost = 5;  // each name is 0..5
using Values = std::array<int, kNames>;

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  unsigned below(unsigned n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<unsigned>(state_ >> 33) % n;
  }

 private:
  std::uint64_t state_;
};

ExprPtr node(Op op, model::Type type, Range range, std::vector<ExprPtr> kids = {}) {
  auto e = std::make_unique<Expr>();
  e->op = op;
  e->type = type;
  e->range = range;
  e->kids = std::move(kids);
  return e;
}

std::vector<ExprPtr> two(ExprPtr a, ExprPtr b) {
  std::vector<ExprPtr> kids;
  kids.push_back(std::move(a));
  kids.push_back(std::move(b));
  return kids;
}

ExprPtr number(int v) {
  ExprPtr e = node(Op::Const, model::kI64, {v, v});
  e->imm = static_cast<std::uint64_t>(v);
  return e;
}

ExprPtr sum(Random& random, unsigned depth) {
  if (depth == 0 || random.below(4) == 0) {
    if (random.below(3) == 0) return number(static_cast<int>(random.below(9)) - 3);
    ExprPtr e = node(Op::Local, {4, false}, {0, kMost});
    e->ref = random.below(kNames);
    return e;
  }
  ExprPtr a = sum(random, depth - 1), b = sum(random, depth - 1);
  switch (random.below(6)) {
    case 0: {
      const int factor = static_cast<int>(random.below(7)) - 3;
      const Range r = mul(a->range, {factor, factor});
      return node(Op::Mul, model::kI64, r, two(std::move(a), number(factor)));
    }
    case 1: {
      const Range r = minimum(a->range, b->range);
      return node(Op::Min, model::kI64, r, two(std::move(a), std::move(b)));
    }
    case 2: {
      const Range r = maximum(a->range, b->range);
      return node(Op::Max, model::kI64, r, two(std::move(a), std::move(b)));
    }
    case 3: {
      const Range r = sub(a->range, b->range);
      return node(Op::Sub, model::kI64, r, two(std::move(a), std::move(b)));
    }
    default: {
      const Range r = add(a->range, b->range);
      return node(Op::Add, model::kI64, r, two(std::move(a), std::move(b)));
    }
  }
}

ExprPtr condition(Random& random, unsigned depth) {
  const unsigned kind = depth == 0 ? 9 : random.below(10);
  if (kind < 3) {
    ExprPtr a = condition(random, depth - 1), b = condition(random, depth - 1);
    return node(kind == 0 ? Op::LogOr : Op::LogAnd, model::kBool, {0, 1}, two(std::move(a), std::move(b)));
  }
  if (kind == 3) {
    std::vector<ExprPtr> kids;
    kids.push_back(condition(random, depth - 1));
    return node(Op::LogNot, model::kBool, {0, 1}, std::move(kids));
  }
  constexpr Op kOps[] = {Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge};
  const Op op = kOps[random.below(6)];
  ExprPtr a = sum(random, 2), b = sum(random, 2);
  return node(op, model::kBool, {0, 1}, two(std::move(a), std::move(b)));
}

int eval(const Expr& e, const Values& v) {
  const auto kid = [&](std::size_t i) { return eval(*e.kids[i], v); };
  switch (e.op) {
    case Op::Const: return static_cast<int>(e.imm);
    case Op::Local: return v[e.ref];
    case Op::Add: return kid(0) + kid(1);
    case Op::Sub: return kid(0) - kid(1);
    case Op::Mul: return kid(0) * kid(1);
    case Op::Min: return std::min(kid(0), kid(1));
    case Op::Max: return std::max(kid(0), kid(1));
    case Op::Eq: return kid(0) == kid(1);
    case Op::Ne: return kid(0) != kid(1);
    case Op::Lt: return kid(0) < kid(1);
    case Op::Le: return kid(0) <= kid(1);
    case Op::Gt: return kid(0) > kid(1);
    case Op::Ge: return kid(0) >= kid(1);
    case Op::LogAnd: return kid(0) & kid(1);
    case Op::LogOr: return kid(0) | kid(1);
    default: return kid(0) == 0;
  }
}

TEST(SemaFacts, HoldForEveryValue) {
  std::size_t narrowed = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Random random(seed);
    Facts facts;
    std::vector<std::pair<ExprPtr, bool>> known;
    for (unsigned i = 0, n = 1 + random.below(3); i < n; ++i) {
      known.emplace_back(condition(random, 2), random.below(3) != 0);
      facts.assume(*known.back().first, known.back().second);
    }
    std::vector<ExprPtr> asked;
    std::vector<Range> promised;
    for (unsigned i = 0; i < 6; ++i) {
      asked.push_back(sum(random, 2));
      promised.push_back(facts.range_of(*asked.back()));
      if (promised.back() != asked.back()->range) ++narrowed;
    }
    for (int code = 0; code < (kMost + 1) * (kMost + 1) * (kMost + 1); ++code) {
      const Values v{code % (kMost + 1), code / (kMost + 1) % (kMost + 1), code / (kMost + 1) / (kMost + 1)};
      bool here = true;
      for (const auto& [c, truth] : known) here = here && (eval(*c, v) != 0) == truth;
      if (!here) continue;
      for (std::size_t i = 0; i < asked.size(); ++i) {
        const int value = eval(*asked[i], v);
        ASSERT_TRUE(promised[i].lo <= value && value <= promised[i].hi) << "seed " << seed << ", expression " << i;
      }
    }
  }
  EXPECT_GT(narrowed, 400u);  // the conditions do teach something
}

TEST(SemaLinear, FormsOfOneSumShareAKey) {
  const auto local = [](std::uint32_t slot) {
    ExprPtr e = node(Op::Local, {8, false}, {0, 255});
    e->ref = slot;
    return e;
  };
  const auto plus = [](ExprPtr a, ExprPtr b) { return node(Op::Add, model::kU64, {0, 1000}, two(std::move(a), std::move(b))); };
  const auto minus = [](ExprPtr a, ExprPtr b) { return node(Op::Sub, model::kI64, {-1000, 1000}, two(std::move(a), std::move(b))); };
  const auto first = linear_of(*plus(local(1), local(2))), swapped = linear_of(*plus(local(2), plus(local(1), number(7))));
  const auto negative = linear_of(*minus(minus(number(64), local(1)), local(2)));
  ASSERT_TRUE(first && swapped && negative);
  EXPECT_EQ(first->key(), swapped->key());
  EXPECT_EQ(first->key(), negative->key());
  EXPECT_EQ(negative->unit(), -1);
  EXPECT_EQ(swapped->constant, 7);
  ExprPtr wrapping = plus(local(1), local(2));
  wrapping->wraps = true;
  EXPECT_FALSE(linear_of(*wrapping).has_value());
}

}  // namespace
}  // namespace sluice::sema
