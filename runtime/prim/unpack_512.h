#pragma once
// Fields of one width, one behind the other, as lanes of 64 bytes: note [unpack]'s vectors, where any byte goes anywhere (vectors.h).
//
//   note [one load]: all fields of a vector come from one load, which takes their bytes and no others; so nothing in front of a field or
// behind it need be there, and lanes of any size are made alike: a permutation of bytes, a shift by lanes, a mask.

namespace prim {

#if defined(SLUICE_BYTES_MOVE)
// Fewer fields that fit lanes of 32 bits take less time by halves of a vector: what is worked out once is less (Zen 4, Clang 19 and GCC 12).
constexpr u64 kManyFields = 128;
// Bits of a field that fits a lane, wherever in a byte it begins.
template <typename Lane> constexpr u64 kFits = 8 * sizeof(Lane) - 7;
static_assert((7 + kVector / 8 * kFits<u64> + 7) / 8 <= kVector && kFits<u32> * 2 < kFits<u64>, "the fields of a vector lie in one");

template <typename Lane> struct Lifts512 {
  Bytes512 bytes;
  Lanes512<Lane> shifts, mask;
};

// `edge`: bits in front of the first field in its byte.
template <bool Msb, typename Lane> SLUICE_INLINE Lifts512<Lane> vector_lifts(u32 edge, u32 width) {
  constexpr u32 kBits = 8 * sizeof(Lane);
  constexpr Lane kOnes = (Lane)0x0101010101010101ull, kUp = (Lane)0x0706050403020100ull, kDown = (Lane)(0x0001020304050607ull >> (64 - kBits));
  const Lanes512<Lane> bit = lane_numbers<Lane>() * (Lane)width + (Lane)edge;
  Lifts512<Lane> lifts;
  lifts.bytes = (Bytes512)((bit >> 3) * kOnes + (Msb ? kDown : kUp));
  lifts.shifts = Msb ? (Lane)(kBits - width) - (bit & 7) : bit & 7;
  lifts.mask = Lanes512<Lane>{} + (Lane)mask(width);
  return lifts;
}
// Of the bytes from the first field's on.
template <typename Lane> SLUICE_INLINE Lanes512<Lane> vector_fields(const Lifts512<Lane>& lifts, const u8* p, u64 bytes) {
  return (Lanes512<Lane>)moved_bytes(load_vector(p, bytes), lifts.bytes) >> lifts.shifts & lifts.mask;
}
// Bytes in which n fields lie.
SLUICE_INLINE u64 bytes_of_fields(u64 edge, u64 width, u64 n) { return (edge + n * width + 7) / 8; }

template <typename Put, typename V> SLUICE_INLINE void put_part(u8* out, const V& v, u64 meant) {
  const Put put = __builtin_convertvector(v, Put);
  if (sizeof put <= kVector / 2 || SLUICE_LIKELY(meant > kVector / 2)) __builtin_memcpy(out, &put, sizeof put);
  else __builtin_memcpy(out, &put, kVector / 2);
}
// Lanes as elements, of which `left` are meant: half a vector is the least that is stored.
template <u32 Elem, typename Lane> SLUICE_INLINE void put_elements(u8* out, const Lanes512<Lane>& v, u64 left) {
  constexpr u64 kEach = kVector / sizeof(Lane);
  typedef u8 Ones __attribute__((vector_size(kEach)));
  typedef u16 Twos __attribute__((vector_size(2 * kEach)));
  typedef u32 Fours __attribute__((vector_size(4 * kEach)));
  typedef unsigned long long Eights __attribute__((vector_size(8 * kEach)));
  if constexpr (Elem == 1) put_part<Ones>(out, v, left);
  else if constexpr (Elem == 2) put_part<Twos>(out, v, 2 * left);
  else if constexpr (Elem == 4) put_part<Fours>(out, v, 4 * left);
  else put_part<Eights>(out, v, 8 * left);
}
#endif

}  // namespace prim
