#pragma once
// Fields of one width, one behind the other, into an array: with vectors, where the machine has them.
//
//   note [unpack]: eight fields take as many bytes as each of them has bits. Where a field lies in those bytes, and how far from
// a byte's edge, is therefore the same for every eight: their bytes go to lanes by a shuffle, and there by a shift, that are worked
// out once. Lanes of 32 bits take fields of up to 25 bits, wherever they begin, lanes of 64 up to 57; the eight come from two
// loads of 16 bytes, or from four. A load begins at a field's first byte, so it reads kUnpackBytes from there at most.

namespace prim {

constexpr u64 kUnpacked = 32;     // fields at a time
constexpr u64 kUnpackBytes = 16;  // that are read from the byte of a field's first bit on, at most

#if defined(__AVX2__) && (defined(__clang__) || __GNUC__ >= 12)
constexpr bool kUnpacks = true;
constexpr u64 kNarrowLane = 25, kWideLane = 57;  // bits of a field that fit a lane, wherever in a byte they begin
typedef char LaneBytes __attribute__((vector_size(32)));
typedef u32 Lanes __attribute__((vector_size(32)));
typedef unsigned long long WideLanes __attribute__((vector_size(32)));
typedef u32 HalfLanes __attribute__((vector_size(16)));

// What a lane of either size takes from two loads: bytes of a load, the shift that brings the field to its lowest bits.
struct Lifts {
  LaneBytes bytes;
  LaneBytes shifts;
  u64 low, high;  // where the loads begin, in the bytes of eight fields
};
#if defined(SLUICE_BYTES_MOVE)
template <bool Msb> struct Unpacker {
  Lifts512<u32> narrow;
  Lifts512<unsigned long long> wide;
  u64 edge, width;
};
#else
template <bool Msb> struct Unpacker {
  Lifts lifts[2];  // of narrow lanes the first takes eight fields; of wide ones each takes four
  u64 width;
};
#endif

SLUICE_INLINE LaneBytes load_halves(const u8* low, const u8* high) {
  typedef long long Half __attribute__((vector_size(16)));
  Half a, b;
  __builtin_memcpy(&a, low, 16);
  __builtin_memcpy(&b, high, 16);
  return (LaneBytes)__builtin_shufflevector(a, b, 0, 1, 2, 3);
}
// `edge`: bits in front of the first field in its byte.
template <bool Msb> SLUICE_INLINE Lifts narrow_lifts(u32 edge, u32 width) {
  const Lanes kField = {0, 1, 2, 3, 4, 5, 6, 7}, kUpper = {0, 0, 0, 0, ~0u, ~0u, ~0u, ~0u};
  const LaneBytes kFirst = {0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12, 0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12};
  const Lanes kNone = {}, kUp = kNone + 0x03020100u, kDown = kNone + 0x00010203u;
  const Lanes bit = kField * width + edge;
  const u32 high = (edge + 4 * width) >> 3;
  const Lanes byte = (bit >> 3) - (kUpper & high);
  Lifts lifts;
  lifts.bytes = __builtin_ia32_pshufb256((LaneBytes)byte, kFirst) + (LaneBytes)(Msb ? kDown : kUp);
  lifts.shifts = (LaneBytes)(Msb ? 32 - width - (bit & 7) : bit & 7);
  lifts.low = 0, lifts.high = high;
  return lifts;
}
// Of four fields, `edge` bits behind the first byte of the eight.
template <bool Msb> SLUICE_INLINE Lifts wide_lifts(u32 edge, u32 width) {
  const Lanes kField = {0, 0, 1, 0, 2, 0, 3, 0};
  const LaneBytes kFirst = {0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8, 0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8};
  const WideLanes kNone = {}, kUp = kNone + 0x0706050403020100ull, kDown = kNone + 0x0001020304050607ull;
  const WideLanes bit = (WideLanes)(kField * width) + edge;
  const u64 low = edge >> 3, high = (edge + 2 * width) >> 3;
  const WideLanes first = {low, low, high, high}, byte = (bit >> 3) - first;
  Lifts lifts;
  lifts.bytes = __builtin_ia32_pshufb256((LaneBytes)byte, kFirst) + (LaneBytes)(Msb ? kDown : kUp);
  lifts.shifts = (LaneBytes)(Msb ? 64 - width - (bit & 7) : bit & 7);
  lifts.low = low, lifts.high = high;
  return lifts;
}
SLUICE_INLINE Lanes narrow_fields(const Lifts& lifts, const u8* p, u64 width) {
  return (Lanes)__builtin_ia32_pshufb256(load_halves(p, p + lifts.high), lifts.bytes) >> (Lanes)lifts.shifts & (u32)mask(width);
}
SLUICE_INLINE WideLanes wide_fields(const Lifts& lifts, const u8* p, u64 width) {
  return (WideLanes)__builtin_ia32_pshufb256(load_halves(p + lifts.low, p + lifts.high), lifts.bytes) >> (WideLanes)lifts.shifts & mask(width);
}
SLUICE_INLINE void put_fields(u32* to, const Lanes& v) { __builtin_memcpy(to, &v, sizeof v); }
SLUICE_INLINE void put_fields(u64* to, const Lanes& v) {
  const WideLanes low = __builtin_convertvector(__builtin_shufflevector(v, v, 0, 1, 2, 3), WideLanes);
  const WideLanes high = __builtin_convertvector(__builtin_shufflevector(v, v, 4, 5, 6, 7), WideLanes);
  __builtin_memcpy(to, &low, sizeof low);
  __builtin_memcpy(to + 4, &high, sizeof high);
}
SLUICE_INLINE void put_fields(u32* to, const WideLanes& v) {
  const HalfLanes narrow = __builtin_convertvector(v, HalfLanes);
  __builtin_memcpy(to, &narrow, sizeof narrow);
}
SLUICE_INLINE void put_fields(u64* to, const WideLanes& v) { __builtin_memcpy(to, &v, sizeof v); }

// Are fields of so many bits taken? An array of 32 bits holds no more.
template <typename T> SLUICE_INLINE bool unpackable(u64 width) { return width - 1 < (sizeof(T) == 4 ? 32 : kWideLane); }
#if defined(SLUICE_BYTES_MOVE)
// Of fields of `width` bits, of which the first begins at `bit`.
template <bool Msb> SLUICE_INLINE Unpacker<Msb> unpacker(u64 bit, u64 width) {
  static_assert(kNarrowLane <= kFits<u32> && kWideLane <= kFits<unsigned long long>, "what fits a lane of half a vector's fits one of these");
  Unpacker<Msb> made;
  made.edge = bit & 7;
  made.width = width;
  if (width <= kNarrowLane) made.narrow = vector_lifts<Msb, u32>(bit & 7, (u32)width);
  else made.wide = vector_lifts<Msb, unsigned long long>(bit & 7, (u32)width);
  return made;
}
// Half of kUnpacked fields, or a quarter of them, at a time.
template <typename Lane, typename T> SLUICE_INLINE void unpack_parts(const Lifts512<Lane>& by, u64 edge, u64 width, const u8* p, T* fields) {
  constexpr u64 kEach = kVector / sizeof(Lane);
  const u64 bytes = bytes_of_fields(edge, width, kEach);
  for (u64 k = 0; k < kUnpacked; k += kEach, p += kEach / 8 * width) put_elements<sizeof(T), Lane>((u8*)(fields + k), vector_fields<Lane>(by, p, bytes), kEach);
}
// kUnpacked fields, of which the first begins in the byte at p.
template <bool Msb, typename T> SLUICE_INLINE void unpack(const Unpacker<Msb>& by, const u8* p, T* fields) {
  if (by.width <= kNarrowLane) unpack_parts(by.narrow, by.edge, by.width, p, fields);
  else unpack_parts(by.wide, by.edge, by.width, p, fields);
}
#else
// Of fields of `width` bits, of which the first begins at `bit`.
template <bool Msb> SLUICE_INLINE Unpacker<Msb> unpacker(u64 bit, u64 width) {
  const u32 edge = bit & 7, w = (u32)width;
  Unpacker<Msb> made;
  made.width = width;
  if (width <= kNarrowLane) {
    made.lifts[0] = narrow_lifts<Msb>(edge, w);
    made.lifts[1] = made.lifts[0];
  } else {
    made.lifts[0] = wide_lifts<Msb>(edge, w);
    made.lifts[1] = wide_lifts<Msb>(edge + 4 * w, w);
  }
  return made;
}
// kUnpacked fields, of which the first begins in the byte at p.
template <bool Msb, typename T> SLUICE_INLINE void unpack(const Unpacker<Msb>& by, const u8* p, T* fields) {
  if (by.width <= kNarrowLane) {
    for (u64 k = 0; k < kUnpacked; k += 8, p += by.width) put_fields(fields + k, narrow_fields(by.lifts[0], p, by.width));
  } else {
    for (u64 k = 0; k < kUnpacked; k += 8, p += by.width) {
      put_fields(fields + k, wide_fields(by.lifts[0], p, by.width));
      put_fields(fields + k + 4, wide_fields(by.lifts[1], p, by.width));
    }
  }
}
#endif
#else
constexpr bool kUnpacks = false;
template <bool Msb> struct Unpacker {};
template <typename T> SLUICE_INLINE bool unpackable(u64) { return false; }
template <bool Msb> SLUICE_INLINE Unpacker<Msb> unpacker(u64, u64) { return Unpacker<Msb>{}; }
template <bool Msb, typename T> SLUICE_INLINE void unpack(const Unpacker<Msb>&, const u8*, T*) {}
#endif

}  // namespace prim
