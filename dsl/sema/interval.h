#pragma once
// Interval arithmetic on mathematical integers, wide enough that no 64-bit operation overflows unseen.
//
//   add([0,255], [1,1]) = [1,256]        bit_and([0,65535], [3,3]) = [0,3]
//
// Every function returns an interval that holds op(x, y) for all x in a, y in b. Intervals of one point give the
// exact point, so constant folding is a special case.
#include <optional>

#include "dsl/model/model.h"

namespace sluice::sema {

using model::i128;
using model::Range;
using model::Type;

inline constexpr Range kU64Range = model::range_of(model::kU64);
inline constexpr Range kI64Range = model::range_of(model::kI64);
// Products of two 64-bit values may pass 2^127; results are held to +-2^126, beyond every 64-bit type.
inline constexpr i128 kFar = static_cast<i128>(1) << 126;

std::optional<Range> intersect(Range a, Range b);
Range hull(Range a, Range b);

// Exact results, before any check or wrapping.
Range add(Range a, Range b);
Range sub(Range a, Range b);
Range mul(Range a, Range b);
Range divide(Range a, Range b);            // truncating; 0 in b is left out
Range remainder(Range a, Range b);         // sign of a; 0 in b is left out
Range shift_left(Range a, Range amount);   // amounts outside 0..63 are left out
Range shift_right(Range a, Range amount);  // arithmetic; the same

// On 64-bit words. The sign of the result is the sign a reader of both operands expects: negative only when an
// operand may be.
Range bit_and(Range a, Range b);
Range bit_or(Range a, Range b);
Range bit_xor(Range a, Range b);
Range bit_not(Range a);

Range minimum(Range a, Range b);
Range maximum(Range a, Range b);

// 64-bit type that holds the interval: unsigned when nothing in it is negative; nothing when neither does.
std::optional<Type> type_for(Range r);

}  // namespace sluice::sema
