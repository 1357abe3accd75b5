#pragma once
// Vectors of 64 bytes: what may be done with their bytes, where a machine has the instructions. Compilers have them by different names.

namespace prim {

#if defined(SLUICE_BYTES_MOVE)
constexpr u64 kVector = 64;
typedef char Bytes512 __attribute__((vector_size(64)));
typedef unsigned long long Longs512 __attribute__((vector_size(64)));
template <typename Lane> struct LanesOf { typedef Lane Type __attribute__((vector_size(64))); };
template <typename Lane> using Lanes512 = typename LanesOf<Lane>::Type;

template <typename Lane> SLUICE_INLINE Lanes512<Lane> lane_numbers() {
  Lanes512<Lane> lanes;
  for (u64 k = 0; k < kVector / sizeof(Lane); ++k) lanes[k] = (Lane)k;
  return lanes;
}
#if defined(__clang__)
#define SLUICE_LOAD512(p, bits) __builtin_ia32_loaddquqi512_mask((const Bytes512*)(p), Bytes512{}, bits)
#define SLUICE_MOVE512(v, from) __builtin_ia32_permvarqi512(v, from)
#define SLUICE_MOVE1024(low, high, from) __builtin_ia32_vpermi2varqi512(low, from, high)
#else
#define SLUICE_LOAD512(p, bits) __builtin_ia32_loaddquqi512_mask((const char*)(p), Bytes512{}, bits)
#define SLUICE_MOVE512(v, from) __builtin_shuffle(v, from)
#define SLUICE_MOVE1024(low, high, from) __builtin_shuffle(low, high, from)
#endif
// The first n bytes, which are all that is read, and zeros behind them.
SLUICE_INLINE Bytes512 load_vector(const u8* p, u64 n) { return SLUICE_LOAD512(p, mask(n)); }
// Byte k: the one of `v` that `from` names there, by its lower 6 bits; of two vectors, one behind the other, by 7.
SLUICE_INLINE Bytes512 moved_bytes(const Bytes512& v, const Bytes512& from) { return SLUICE_MOVE512(v, from); }
SLUICE_INLINE Bytes512 moved_bytes(const Bytes512& low, const Bytes512& high, const Bytes512& from) { return SLUICE_MOVE1024(low, high, from); }
// The bytes of which the bit is set, one behind the other, and zeros.
SLUICE_INLINE Bytes512 picked_bytes(const Bytes512& v, u64 bits) { return __builtin_ia32_compressqi512_mask(v, Bytes512{}, bits); }
// The upper bit of each byte.
SLUICE_INLINE u64 upper_bits(const Bytes512& v) { return __builtin_ia32_cvtb2mask512(v); }
// Bits as bytes, and as words of eight, of which all bits are the same.
SLUICE_INLINE Bytes512 bytes_of_bits(u64 bits) { return __builtin_ia32_cvtmask2b512(bits); }
SLUICE_INLINE Longs512 longs_of_bits(u64 bits) { return (Longs512)__builtin_ia32_cvtmask2q512((u8)bits); }
#endif

}  // namespace prim
