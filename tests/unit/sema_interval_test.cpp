// Interval arithmetic against brute force: no result may fall outside the interval that was promised.
#include <gtest/gtest.h>

#include <vector>

#include "dsl/model/comparison.h"
#include "dsl/sema/interval.h"
#include "dsl/sema/interval_set.h"

namespace sluice::sema {
namespace {

constexpr int kFrom = -5, kTo = 6;

template <class Interval, class Exact>
void check_all(Interval interval, Exact exact, bool natural_only = false) {
  for (int a = natural_only ? 0 : kFrom; a <= kTo; ++a)
    for (int b = a; b <= kTo; ++b)
      for (int c = natural_only ? 0 : kFrom; c <= kTo; ++c)
        for (int d = c; d <= kTo; ++d) {
          const Range r = interval(Range{a, b}, Range{c, d});
          for (int x = a; x <= b; ++x)
            for (int y = c; y <= d; ++y) {
              const auto v = exact(x, y);
              if (!v) continue;
              ASSERT_TRUE(r.lo <= *v && *v <= r.hi)
                  << a << ".." << b << " and " << c << ".." << d << ": " << x << ", " << y;
            }
        }
}

using Value = std::optional<int>;
using model::Op;

constexpr Op kComparisons[] = {Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge};

constexpr bool holds(Op op, i128 x, i128 y) {
  switch (op) {
    case Op::Eq:
      return x == y;
    case Op::Ne:
      return x != y;
    case Op::Lt:
      return x < y;
    case Op::Le:
      return x <= y;
    case Op::Gt:
      return x > y;
    default:
      return x >= y;
  }
}

TEST(SemaInterval, HoldsEveryResult) {
  check_all(add, [](int x, int y) { return Value(x + y); });
  check_all(sub, [](int x, int y) { return Value(x - y); });
  check_all(mul, [](int x, int y) { return Value(x * y); });
  check_all(divide, [](int x, int y) { return y == 0 ? Value() : Value(x / y); });
  check_all(remainder, [](int x, int y) { return y == 0 ? Value() : Value(x % y); });
  check_all(minimum, [](int x, int y) { return Value(std::min(x, y)); });
  check_all(maximum, [](int x, int y) { return Value(std::max(x, y)); });
  check_all(bit_and, [](int x, int y) { return Value(x & y); });
  check_all(bit_or, [](int x, int y) { return Value(x | y); });
  check_all(bit_xor, [](int x, int y) { return Value(x ^ y); });
  check_all(shift_left, [](int x, int y) { return y < 0 ? Value() : Value(x * (1 << y)); });
  check_all(shift_right, [](int x, int y) { return y < 0 ? Value() : Value(x >> y); });
}

TEST(SemaInterval, ComparisonsMirrorAndNegate) {
  for (const Op op : kComparisons) {
    ASSERT_TRUE(model::is_comparison(op) && model::is_comparison(model::mirrored(op)));
    for (const int y : {-1, 0, 1}) {
      EXPECT_EQ(holds(model::mirrored(op), y, 0), holds(op, 0, y));
      EXPECT_NE(holds(model::negated(op), y, 0), holds(op, y, 0));
    }
  }
  EXPECT_FALSE(model::is_comparison(Op::LogAnd) || model::is_comparison(Op::Shr));
}

// Of all small ranges: every truth value that occurs is promised, and no other.
TEST(SemaInterval, ComparisonsAreExact) {
  for (const Op op : kComparisons)
    for (int a = kFrom; a <= kTo; ++a)
      for (int b = a; b <= kTo; ++b)
        for (int c = kFrom; c <= kTo; ++c)
          for (int d = c; d <= kTo; ++d) {
            bool yes = false, no = false;
            for (int x = a; x <= b; ++x)
              for (int y = c; y <= d; ++y) (holds(op, x, y) ? yes : no) = true;
            ASSERT_EQ(model::truth_of(op, {a, b}, {c, d}), (Range{no ? 0 : 1, yes ? 1 : 0}));
          }
}

TEST(SemaInterval, PointsAreExact) {
  EXPECT_EQ(mul({7, 7}, {-3, -3}), (Range{-21, -21}));
  EXPECT_EQ(remainder({-7, -7}, {4, 4}), (Range{-3, -3}));
  EXPECT_EQ(bit_xor({12, 12}, {10, 10}), (Range{6, 6}));
  EXPECT_EQ(shift_left({1, 1}, {63, 63}).lo, static_cast<i128>(1) << 63);
}

// Where 64-bit types end. Ranges between any two of these, values of each range's ends and beside them.
TEST(SemaInterval, HoldsEveryResultAtTheEndsOf64Bits) {
  const i128 least = kI64Range.lo, most = kI64Range.hi, all = kU64Range.hi;
  const std::vector<i128> ends{least, least + 1, -1, 0, 1, 63, most - 1, most, most + 1, all - 1, all};
  const auto words = [&](Range a, Range b) {
    return (model::within(a, kU64Range) && model::within(b, kU64Range)) ||
           (model::within(a, kI64Range) && model::within(b, kI64Range));
  };
  const auto inside = [](Range r, i128 v) { return r.lo <= v && v <= r.hi; };
  for (const i128 a_lo : ends)
    for (const i128 a_hi : ends)
      for (const i128 b_lo : ends)
        for (const i128 b_hi : ends) {
          const Range a{a_lo, a_hi}, b{b_lo, b_hi};
          if (a_lo > a_hi || b_lo > b_hi) continue;
          for (const i128 x : {a_lo, std::min(a_lo + 1, a_hi), std::max(a_hi - 1, a_lo), a_hi})
            for (const i128 y : {b_lo, std::min(b_lo + 1, b_hi), std::max(b_hi - 1, b_lo), b_hi}) {
              ASSERT_TRUE(inside(add(a, b), x + y) && inside(sub(a, b), x - y));
              i128 product = 0;
              if (!__builtin_mul_overflow(x, y, &product) && product <= kFar && product >= -kFar) {
                ASSERT_TRUE(inside(mul(a, b), product));
              }
              if (y != 0) {
                ASSERT_TRUE(inside(divide(a, b), x / y) && inside(remainder(a, b), x % y));
              }
              if (y >= 0 && y < 64) {
                ASSERT_TRUE(inside(shift_right(a, b), x >> static_cast<int>(y)));
                ASSERT_TRUE(inside(shift_left(a, b), std::clamp(x * (i128{1} << static_cast<int>(y)), -kFar, kFar)));
              }
              ASSERT_TRUE(inside(minimum(a, b), std::min(x, y)) && inside(maximum(a, b), std::max(x, y)));
              for (const Op op : kComparisons) ASSERT_TRUE(inside(model::truth_of(op, a, b), holds(op, x, y)));
              if (words(a, b)) {
                ASSERT_TRUE(inside(bit_and(a, b), x & y) && inside(bit_or(a, b), x | y));
                ASSERT_TRUE(inside(bit_xor(a, b), x ^ y));
              }
            }
        }
}

TEST(SemaInterval, LargestProductsStayOutside64Bits) {
  const Range far = mul(kU64Range, kU64Range);
  EXPECT_FALSE(type_for(far).has_value());
  EXPECT_EQ(far.hi, kFar);
  EXPECT_EQ(mul(kU64Range, kI64Range).lo, -kFar);
}

TEST(SemaInterval, TypeForPrefersUnsigned) {
  EXPECT_EQ(type_for({0, 5}), model::kU64);
  EXPECT_EQ(type_for({-1, 5}), model::kI64);
  EXPECT_EQ(type_for({0, kU64Range.hi}), model::kU64);
  EXPECT_FALSE(type_for({-1, kU64Range.hi}).has_value());
}

TEST(SemaIntervalSet, MinusLeavesTheGaps) {
  const IntervalSet all(Range{0, 255});
  const IntervalSet rest = all.minus(IntervalSet(Range{3, 3})).minus(IntervalSet(Range{250, 300}));
  ASSERT_EQ(rest.parts().size(), 2u);
  EXPECT_EQ(rest.parts()[0], (Range{0, 2}));
  EXPECT_EQ(rest.parts()[1], (Range{4, 249}));
  EXPECT_TRUE(rest.minus(all).empty());
  EXPECT_EQ(rest.unite(IntervalSet(Range{3, 3})).parts().size(), 1u);
  EXPECT_EQ(rest.intersect(IntervalSet(Range{2, 4})).parts().size(), 2u);
}

}  // namespace
}  // namespace sluice::sema
