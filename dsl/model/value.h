#pragma once
// Values: what a width and a sign allow, and intervals of exact numbers. Shared by the model and the IR.
#include <cstdint>

namespace sluice::value {

__extension__ typedef __int128 i128;

// Width and signedness of a value. A value is held in 64 bits, zero- or sign-extended; bool is u1.
struct Type {
  std::uint8_t bits = 64;  // 1..64
  bool is_signed = false;
  friend bool operator==(const Type&, const Type&) = default;
};
inline constexpr Type kBool{1, false};
inline constexpr Type kU64{64, false};
inline constexpr Type kI64{64, true};

// Inclusive interval of mathematical values; of an expression always inside its type.
struct Range {
  i128 lo = 0, hi = 0;
  friend bool operator==(const Range&, const Range&) = default;
};
constexpr Range range_of(Type t) {
  if (t.is_signed) return {-(static_cast<i128>(1) << (t.bits - 1)), (static_cast<i128>(1) << (t.bits - 1)) - 1};
  return {0, (static_cast<i128>(1) << t.bits) - 1};
}
constexpr bool within(Range inner, Range outer) { return outer.lo <= inner.lo && inner.hi <= outer.hi; }
constexpr bool disjoint(Range a, Range b) { return a.hi < b.lo || b.hi < a.lo; }

}  // namespace sluice::value
