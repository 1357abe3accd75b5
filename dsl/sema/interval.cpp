#include "dsl/sema/interval.h"

#include <algorithm>
#include <initializer_list>

namespace sluice::sema {
namespace {

i128 clamp(i128 v) { return std::clamp(v, -kFar, kFar); }

i128 times(i128 a, i128 b) {
  i128 product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return (a < 0) == (b < 0) ? kFar : -kFar;
  return clamp(product);
}

Range of(std::initializer_list<i128> corners) { return {std::min(corners), std::max(corners)}; }

bool is_point(Range r) { return r.lo == r.hi; }

// Smallest 2^n - 1 that is >= v, for v >= 0.
i128 all_ones_above(i128 v);

// Of the values of an interval that is not below 0: bits that are 1 in all of them, and bits that are 1 in any.
struct Bits {
  i128 always, ever;
};
Bits bits_of(Range r) {
  const i128 differ = all_ones_above(r.lo ^ r.hi);
  return {r.lo & ~differ, r.hi | differ};
}

// Smallest 2^n - 1 that is >= v, for v >= 0.
i128 all_ones_above(i128 v) {
  i128 ones = 0;
  while (ones < v) ones = ones * 2 + 1;
  return ones;
}

// The parts of b without 0, for division.
Range without_zero(Range b) {
  if (b.lo == 0 && b.hi > 0) b.lo = 1;
  if (b.hi == 0 && b.lo < 0) b.hi = -1;
  return b;
}

}  // namespace

std::optional<Range> intersect(Range a, Range b) {
  const Range r{std::max(a.lo, b.lo), std::min(a.hi, b.hi)};
  if (r.lo > r.hi) return std::nullopt;
  return r;
}

Range hull(Range a, Range b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }

Range add(Range a, Range b) { return {clamp(a.lo + b.lo), clamp(a.hi + b.hi)}; }
Range sub(Range a, Range b) { return {clamp(a.lo - b.hi), clamp(a.hi - b.lo)}; }
Range mul(Range a, Range b) { return of({times(a.lo, b.lo), times(a.lo, b.hi), times(a.hi, b.lo), times(a.hi, b.hi)}); }

Range divide(Range a, Range b) {
  b = without_zero(b);
  if (b.lo == 0 && b.hi == 0) return a;
  if (b.lo < 0 && b.hi > 0) {  // divisors -1 and 1 give the extremes
    const i128 far = std::max(a.hi, -a.lo);
    return {-far, far};
  }
  return of({a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi});
}

Range remainder(Range a, Range b) {
  b = without_zero(b);
  if (is_point(a) && is_point(b) && b.lo != 0) return {a.lo % b.lo, a.lo % b.lo};
  if (a.lo >= 0 && b.lo > 0 && a.hi < b.lo) return a;  // nothing is left out
  const i128 largest = std::max<i128>(std::max(b.hi, -b.lo) - 1, 0);
  return {a.lo < 0 ? std::max(a.lo, -largest) : 0, a.hi > 0 ? std::min(a.hi, largest) : 0};
}

Range shift_left(Range a, Range amount) {
  const auto by = intersect(amount, {0, 63});
  if (!by) return a;
  const i128 low = static_cast<i128>(1) << static_cast<int>(by->lo), high = static_cast<i128>(1)
                                                                            << static_cast<int>(by->hi);
  return mul(a, {low, high});
}

Range shift_right(Range a, Range amount) {
  const auto by = intersect(amount, {0, 63});
  if (!by) return a;
  const int low = static_cast<int>(by->lo), high = static_cast<int>(by->hi);
  return of({a.lo >> low, a.lo >> high, a.hi >> low, a.hi >> high});
}

Range bit_and(Range a, Range b) {
  if (is_point(a) && is_point(b)) return {a.lo & b.lo, a.lo & b.lo};
  if (a.lo >= 0 && b.lo >= 0) {
    const Bits x = bits_of(a), y = bits_of(b);
    return {x.always & y.always, std::min({a.hi, b.hi, x.ever & y.ever})};
  }
  if (a.lo >= 0) return {0, a.hi};
  if (b.lo >= 0) return {0, b.hi};
  return kI64Range;
}

Range bit_or(Range a, Range b) {
  if (is_point(a) && is_point(b)) return {a.lo | b.lo, a.lo | b.lo};
  if (a.lo >= 0 && b.lo >= 0) {
    const Bits x = bits_of(a), y = bits_of(b);
    return {std::max({a.lo, b.lo, x.always | y.always}), std::min(x.ever | y.ever, a.hi + b.hi)};
  }
  return kI64Range;
}

Range bit_xor(Range a, Range b) {
  if (is_point(a) && is_point(b)) return {a.lo ^ b.lo, a.lo ^ b.lo};
  if (a.lo >= 0 && b.lo >= 0) {
    const Bits x = bits_of(a), y = bits_of(b);
    return {(x.always & ~y.ever) | (y.always & ~x.ever),
            std::min((x.ever | y.ever) & ~(x.always & y.always), a.hi + b.hi)};
  }
  return kI64Range;
}

Range bit_not(Range a) {
  if (a.lo >= 0) return {kU64Range.hi - a.hi, kU64Range.hi - a.lo};
  return {-a.hi - 1, -a.lo - 1};
}

Range minimum(Range a, Range b) { return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)}; }
Range maximum(Range a, Range b) { return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)}; }

std::optional<Type> type_for(Range r) {
  if (model::within(r, kU64Range)) return model::kU64;
  if (model::within(r, kI64Range)) return model::kI64;
  return std::nullopt;
}

}  // namespace sluice::sema
