#pragma once
// Fields of one width, one behind the other, straight to the output: as they are, or each added to the sum of those before it.
//
//   width 1, elements of 16 bits:   bytes 05 80 ...   ->   1 0 1 0 0 0 0 0  0 0 0 0 0 0 0 1 ...
//   sums from 100 on, term 3:       fields 2 0 1      ->   105 108 112
//
// Where vectors do it (note [unpack]), the last ones may hold more fields than there are: what is read lies within kUnpackReach
// bytes of a field's first one, and what is written within kUnpackSlack of an element's.
//   note [short fields]: lanes of 16 bits take fields of up to 9, wherever in a byte they begin: a product with a power of two
// brings a field to the top of its lane, as these lanes have no shifts of their own. Eight of them take `width` bytes, so both
// halves of a vector are alike.

namespace prim {

constexpr u64 kUnpackReach = 32, kUnpackSlack = 32;

// n elements, one by one, of which element k has bits: of any width, on any machine.
template <bool Msb, u32 Elem, typename Out>
SLUICE_INLINE void unpack_each(Out out, const Source& src, u64 bit, u64 width, u64 n) {
  const Cursor p = cursor(src, bit >> 3);
  if (((bit & 7) | (width ^ 8)) == 0) {
    for (u64 k = 0; k < n; ++k) store<Elem>(out + k * Elem, whole_at<Msb, 1>(src, p, k));
  } else if (((bit & 7) | (width ^ 16)) == 0) {
    for (u64 k = 0; k < n; ++k) store<Elem>(out + k * Elem, whole_at<Msb, 2>(src, p, k));
  } else if (((bit & 7) | (width ^ 32)) == 0) {
    for (u64 k = 0; k < n; ++k) store<Elem>(out + k * Elem, whole_at<Msb, 4>(src, p, k));
  } else if (((bit & 7) | (width ^ 64)) == 0) {
    for (u64 k = 0; k < n; ++k) store<Elem>(out + k * Elem, whole_at<Msb, 8>(src, p, k));
  } else if (width <= 57) {
    for (u64 k = 0; k < n; ++k, bit += width) store<Elem>(out + k * Elem, bits_at<Msb>(src, bit, width));
  } else {
    for (u64 k = 0; k < n; ++k, bit += width) store<Elem>(out + k * Elem, wide_bits_at<Msb>(src, bit, width));
  }
}
template <bool Msb, u32 Elem, typename Out>
SLUICE_INLINE u64 sum_each(Out out, const Source& src, u64 bit, u64 width, u64 n, u64 sum, u64 term) {
  if (((bit & 7) | (width ^ 64)) == 0) {
    const Cursor p = cursor(src, bit >> 3);
    for (u64 k = 0; k < n; ++k) {
      sum += term + whole_at<Msb, 8>(src, p, k);
      store<Elem>(out + k * Elem, sum);
    }
    return sum;
  }
  for (u64 k = 0; k < n; ++k, bit += width) {
    sum += term + (width <= 57 ? bits_at<Msb>(src, bit, width) : wide_bits_at<Msb>(src, bit, width));
    store<Elem>(out + k * Elem, sum);
  }
  return sum;
}

#if defined(__AVX2__) && (defined(__clang__) || __GNUC__ >= 12)
constexpr u64 kShortLane = 9;
typedef u16 ShortLanes __attribute__((vector_size(32)));

// Of lanes of 16 bits: the shifts are factors. `edge`: bits in front of the first field in its byte.
template <bool Msb> SLUICE_INLINE Lifts short_lifts(u32 edge, u32 width) {
  const Lanes kEven = {0, 2, 4, 6, 0, 2, 4, 6}, kNone = {}, kOne = kNone + 1u;
  const Lanes even = kEven * width + edge, odd = even + width;
  const Lanes bytes = (even >> 3) + ((odd >> 3) << 16);
  const Lanes up_even = Msb ? even & 7u : 16 - width - (even & 7u), up_odd = Msb ? odd & 7u : 16 - width - (odd & 7u);
  Lifts lifts;
  lifts.bytes = (LaneBytes)(bytes * 0x101u + (Msb ? 0x00010001u : 0x01000100u));
  lifts.shifts = (LaneBytes)((kOne << up_even) + (kOne << (up_odd + 16)));
  lifts.low = 0, lifts.high = width;
  return lifts;
}
SLUICE_INLINE ShortLanes short_fields(const Lifts& lifts, const u8* p, u64 width) {
  const ShortLanes lanes = (ShortLanes)__builtin_ia32_pshufb256(load_halves(p, p + lifts.high), lifts.bytes);
  return lanes * (ShortLanes)lifts.shifts >> (u16)(16 - width);
}

// The vector's lanes as elements of that size: more bits than those have are left out.
// Lanes of 32 bits picked, each in front of a lane of zeros (GCC makes four instructions of a conversion, and two of this).
typedef int PickLanes __attribute__((vector_size(32)));
SLUICE_INLINE WideLanes widened(const Lanes& v, const PickLanes& lanes) {
  return (WideLanes)__builtin_ia32_permvarsi256((PickLanes)v, lanes) & 0xffffffffull;
}
SLUICE_INLINE WideLanes low_four(const Lanes& v) {
  const PickLanes kLanes = {0, 0, 1, 1, 2, 2, 3, 3};
  return widened(v, kLanes);
}
SLUICE_INLINE WideLanes high_four(const Lanes& v) {
  const PickLanes kLanes = {4, 4, 5, 5, 6, 6, 7, 7};
  return widened(v, kLanes);
}
template <typename Put, typename V> SLUICE_INLINE void put_as(u8* out, const V& v) {
  const Put put = __builtin_convertvector(v, Put);
  __builtin_memcpy(out, &put, sizeof put);
}
template <u32 Elem, u32 Count, typename V> SLUICE_INLINE void put_lanes(u8* out, const V& v) {
  typedef u8 Ones __attribute__((vector_size(Count)));
  typedef u16 Twos __attribute__((vector_size(2 * Count)));
  typedef u32 Fours __attribute__((vector_size(4 * Count)));
  typedef unsigned long long Eights __attribute__((vector_size(8 * Count)));
  if constexpr (Elem == 1) put_as<Ones>(out, v);
  else if constexpr (Elem == 2) put_as<Twos>(out, v);
  else if constexpr (Elem == 4) put_as<Fours>(out, v);
  else put_as<Eights>(out, v);
}
template <u32 Elem, u32 Count, typename V> SLUICE_INLINE void put_lanes(Place, const V&) {}
// Eight of 32 bits; of which `left` are meant, where they take two stores.
template <u32 Elem, typename Out> SLUICE_INLINE void put_eight(const Out& out, const Lanes& v, u64 left) {
  if constexpr (Elem < 8) {
    put_lanes<Elem, 8>(out, v);
  } else {
    put_lanes<8, 4>(out, low_four(v));
    if (left > 4) put_lanes<8, 4>(out + 32, high_four(v));
  }
}

// n bytes, each an element: they are widened as they are loaded.
template <u32 Elem, typename Out> SLUICE_INLINE void widen_bytes(const Out& out, const u8* p, u64 n) {
  constexpr u32 kEach = Elem == 8 ? 4 : 8;  // in a vector
  typedef u8 Bytes __attribute__((vector_size(kEach)));
  const auto widen = [&](u64 k) {
    Bytes bytes;
    __builtin_memcpy(&bytes, p + k, sizeof bytes);
    put_lanes<Elem, kEach>(out + k * Elem, bytes);
  };
  u64 k = 0;
  SLUICE_ROLLED
  for (; n - k >= 4 * kEach; k += 4 * kEach) widen(k), widen(k + kEach), widen(k + 2 * kEach), widen(k + 3 * kEach);
  SLUICE_ROLLED
  for (; k < n; k += kEach) widen(k);
}

#if defined(SLUICE_BYTES_MOVE)
template <u32 Elem, typename Lane> SLUICE_INLINE void put_elements(Place, const Lanes512<Lane>&, u64) {}
// n elements that are fields from the bit `edge` of p on.
template <bool Msb, u32 Elem, typename Lane, typename Out>
SLUICE_INLINE void unpack_lanes(const Out& out, const u8* p, u32 edge, u32 width, u64 n) {
  constexpr u64 kEach = kVector / sizeof(Lane);
  static_assert(kEach * Elem <= kVector && kVector / 2 <= kUnpackSlack, "of the last ones half a vector is stored");
  const Lifts512<Lane> by = vector_lifts<Msb, Lane>(edge, width);
  const u64 bytes = bytes_of_fields(edge, width, kEach);
  u64 k = 0;
  SLUICE_ROLLED
  for (; n - k >= kEach; k += kEach, p += kEach / 8 * width) put_elements<Elem, Lane>(out + k * Elem, vector_fields<Lane>(by, p, bytes), kEach);
  if (k < n) put_elements<Elem, Lane>(out + k * Elem, vector_fields<Lane>(by, p, bytes_of_fields(edge, width, n - k)), n - k);
}
#endif
// n fields of `width` bits from `bit` on.
template <bool Msb, u32 Elem, typename Out>
SLUICE_INLINE void unpack_out(const Out& out, const Source& src, u64 bit, u64 width, u64 n) {
  const u8* p = cursor(src, bit >> 3);
  const u32 edge = bit & 7, w = (u32)width;
  if (width - 1 >= kWideLane) return unpack_each<Msb, Elem>(out, src, bit, width, n);
  if (Elem > 2 && (edge | (w ^ 8)) == 0) return widen_bytes<Elem>(out, p, n);
#if defined(SLUICE_BYTES_MOVE)
  if (n >= kManyFields || width > kNarrowLane) {
    if (Elem <= 2 && width <= kFits<u16>) return unpack_lanes<Msb, Elem < 2 ? Elem : 2, u16>(out, p, edge, w, n);
    if (Elem <= 4 && width <= kFits<u32>) return unpack_lanes<Msb, Elem < 4 ? Elem : 4, u32>(out, p, edge, w, n);
    return unpack_lanes<Msb, Elem, unsigned long long>(out, p, edge, w, n);
  }
#endif
  if (Elem <= 2 && width <= kShortLane) {
    const Lifts by = short_lifts<Msb>(edge, w);
    SLUICE_ROLLED
    for (u64 k = 0; k < n; k += 16, p += 2 * width) put_lanes<Elem, 16>(out + k * Elem, short_fields(by, p, width));
  } else if (width <= kNarrowLane) {
    const Lifts by = narrow_lifts<Msb>(edge, w);
    SLUICE_ROLLED
    for (u64 k = 0; k < n; k += 8, p += width) put_eight<Elem>(out + k * Elem, narrow_fields(by, p, width), n - k);
  } else {
    const Lifts low = wide_lifts<Msb>(edge, w), high = wide_lifts<Msb>(edge + 4 * w, w);
    SLUICE_ROLLED
    for (u64 k = 0; k < n; k += 8, p += width) {
      put_lanes<Elem, 4>(out + k * Elem, wide_fields(low, p, width));
      if (n - k > 4) put_lanes<Elem, 4>(out + (k + 4) * Elem, wide_fields(high, p, width));
    }
  }
}

// Each lane, and those before it: of either half first, then the lower half's sum is added to the upper one. (Of shuffles with zeros
// GCC makes two instructions, and of others one. Clang makes one into any register's other half of one that fills both halves and of which
// one is left out: these sums then wait for what that register holds, as it is for the sums before them.)
SLUICE_INLINE Lanes before_by_4(const Lanes& v) {
  const LaneBytes kBytes = {-1, -1, -1, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, -1, -1, -1, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  return (Lanes)__builtin_ia32_pshufb256((LaneBytes)v, kBytes);
}
SLUICE_INLINE LaneBytes before_by_8(const LaneBytes& v) {
  const LaneBytes kBytes = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 1, 2, 3, 4, 5, 6, 7, -1, -1, -1, -1, -1, -1, -1, -1, 0, 1, 2, 3, 4, 5, 6, 7};
  return __builtin_ia32_pshufb256(v, kBytes);
}
SLUICE_INLINE Lanes sums_of(Lanes v) {
  v += before_by_4(v);
  v += (Lanes)before_by_8((LaneBytes)v);
  const HalfLanes low = __builtin_shufflevector(v, v, 0, 1, 2, 3), high = __builtin_shufflevector(v, v, 4, 5, 6, 7);
  return __builtin_shufflevector(low, high + __builtin_shufflevector(low, low, 3, 3, 3, 3), 0, 1, 2, 3, 4, 5, 6, 7);
}
SLUICE_INLINE WideLanes sums_of(WideLanes v) {
  const PickLanes kLast = {2, 3, 2, 3, 2, 3, 2, 3};
  const Lanes kUpper = {0, 0, 0, 0, ~0u, ~0u, ~0u, ~0u};
  v += (WideLanes)before_by_8((LaneBytes)v);
  return v + (WideLanes)((Lanes)__builtin_ia32_permvarsi256((PickLanes)v, kLast) & kUpper);
}
// Sums of elements of 64 bits: what the first four lanes add to their fields' own sums, and the four behind them. Eight fields that fit
// narrow lanes are added up there: their sum has 28 bits.
struct WideSums {
  WideLanes low, high, eight_terms;
  u64 term;
  SLUICE_INLINE WideSums from(u64 sum, u64 term, u64) {
    const WideLanes kNone = {};
    typedef unsigned long long Lane;
    const WideLanes steps = {(Lane)term, (Lane)(2 * term), (Lane)(3 * term), (Lane)(4 * term)};
    const WideLanes low = steps + (Lane)sum;
    return WideSums{low, low + (Lane)(4 * term), kNone + (Lane)(8 * term), term};
  }
  template <typename Out> SLUICE_METHOD void put(const Out& out, const WideLanes& first, const WideLanes& second) {
    put_lanes<8, 4>(out, first + low);
    put_lanes<8, 4>(out + 32, second + high);
    const WideLanes more = __builtin_shufflevector(second, second, 3, 3, 3, 3) + eight_terms;
    low += more;
    high += more;
  }
  template <typename Out> SLUICE_METHOD void eight(const Out& out, const Lanes& fields) {
    const Lanes own = sums_of(fields);
    put(out, low_four(own), high_four(own));
  }
  template <typename Out> SLUICE_METHOD void eight(const Out& out, const WideLanes& first, const WideLanes& second) {
    const WideLanes own = sums_of(first);
    put(out, own, sums_of(second) + __builtin_shufflevector(own, own, 3, 3, 3, 3));
  }
  SLUICE_METHOD u64 last() const { return low[0] - term; }
};
// Of 32 bits, where the sum that goes on has 64: the fields are added up beside.
struct NarrowSums {
  Lanes sum, term;
  WideLanes fields_so_far;
  u64 others;
  SLUICE_INLINE NarrowSums from(u64 sum, u64 term, u64 n) {
    const Lanes kNone = {};
    const WideLanes kNothing = {};
    return NarrowSums{kNone + (u32)sum, kNone + (u32)term, kNothing, sum + n * term};
  }
  template <typename Out> SLUICE_METHOD void eight(const Out& out, const Lanes& fields) {
    fields_so_far += ((WideLanes)fields & 0xffffffffu) + ((WideLanes)fields >> 32);
    const Lanes own = sums_of(fields + term);
    put_lanes<4, 8>(out, own + sum);
    sum += __builtin_shufflevector(own, own, 7, 7, 7, 7, 7, 7, 7, 7);
  }
  template <typename Out> SLUICE_METHOD void eight(const Out& out, const WideLanes& low, const WideLanes& high) {
    const HalfLanes a = __builtin_convertvector(low, HalfLanes), b = __builtin_convertvector(high, HalfLanes);
    eight(out, __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7));
  }
  SLUICE_METHOD u64 last() const { return others + fields_so_far[0] + fields_so_far[1] + fields_so_far[2] + fields_so_far[3]; }
};
#if defined(SLUICE_BYTES_MOVE)
SLUICE_INLINE Longs512 sums_of(Longs512 v) {
  const Longs512 kNone = {};
  v += __builtin_shufflevector(kNone, v, 0, 8, 0, 10, 0, 12, 0, 14);
  v += __builtin_shufflevector(kNone, v, 0, 0, 9, 9, 0, 0, 13, 13);
  return v + __builtin_shufflevector(kNone, v, 0, 0, 0, 0, 11, 11, 11, 11);
}
// Sums of 64 bits of `whole` fields, which are eight at a time, out of as many lanes.
template <bool Msb, typename Out>
SLUICE_INLINE u64 sum_lanes(const Out& out, const u8* p, u32 edge, u32 width, u64 whole, u64 sum, u64 term) {
  typedef unsigned long long Lane;
  const Lifts512<Lane> by = vector_lifts<Msb, Lane>(edge, width);
  const u64 bytes = bytes_of_fields(edge, width, 8);
  const Longs512 kNone = {}, eight_terms = kNone + (Lane)(8 * term);
  Longs512 before = (lane_numbers<Lane>() + 1) * (Lane)term + (Lane)sum;
  SLUICE_ROLLED
  for (u64 k = 0; k < whole; k += 8, p += width) {
    const Longs512 own = sums_of(vector_fields<Lane>(by, p, bytes));
    put_elements<8, Lane>(out + k * 8, own + before, 8);
    before += __builtin_shufflevector(own, own, 7, 7, 7, 7, 7, 7, 7, 7) + eight_terms;
  }
  return before[0] - term;
}
#endif
template <u32 Elem> struct SumsOf { typedef WideSums Type; };
template <> struct SumsOf<4> { typedef NarrowSums Type; };

// Likewise, each with `term` added to `sum` and to those before it: what the last one comes to. Elements of 32 or 64 bits; fields
// of no more than an element has.
template <bool Msb, u32 Elem, typename Out>
SLUICE_INLINE u64 unpack_sums(const Out& out, const Source& src, u64 bit, u64 width, u64 n, u64 sum, u64 term) {
  const u8* p = cursor(src, bit >> 3);
  const u32 edge = bit & 7, w = (u32)width;
  const u64 whole = width - 1 < (Elem == 4 ? 32 : kWideLane) ? n & ~7ull : 0;
#if defined(SLUICE_BYTES_MOVE)
  if (Elem == 8 && width > kNarrowLane && whole != 0) {
    sum = sum_lanes<Msb>(out, p, edge, w, whole, sum, term);
    return sum_each<Msb, Elem>(out + whole * Elem, src, bit + whole * width, width, n - whole, sum, term);
  }
#endif
  if (whole != 0) {
    auto sums = SumsOf<Elem>::Type::from(sum, term, whole);
    if (width <= kNarrowLane) {
      const Lifts by = narrow_lifts<Msb>(edge, w);
      SLUICE_ROLLED
      for (u64 k = 0; k < whole; k += 8, p += width) sums.eight(out + k * Elem, narrow_fields(by, p, width));
    } else {
      const Lifts low = wide_lifts<Msb>(edge, w), high = wide_lifts<Msb>(edge + 4 * w, w);
      SLUICE_ROLLED
      for (u64 k = 0; k < whole; k += 8, p += width) sums.eight(out + k * Elem, wide_fields(low, p, width), wide_fields(high, p, width));
    }
    sum = sums.last();
  }
  return sum_each<Msb, Elem>(out + whole * Elem, src, bit + whole * width, width, n - whole, sum, term);
}
#else
template <bool Msb, u32 Elem, typename Out>
SLUICE_INLINE void unpack_out(const Out& out, const Source& src, u64 bit, u64 width, u64 n) {
  unpack_each<Msb, Elem>(out, src, bit, width, n);
}
template <bool Msb, u32 Elem, typename Out>
SLUICE_INLINE u64 unpack_sums(const Out& out, const Source& src, u64 bit, u64 width, u64 n, u64 sum, u64 term) {
  return sum_each<Msb, Elem>(out, src, bit, width, n, sum, term);
}
#endif

}  // namespace prim
