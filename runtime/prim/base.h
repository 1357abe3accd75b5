#pragma once
// Primitives for generated decoders: words, loads, stores. Header-free: this text stands at the head of every
// generated translation unit. Memory is read and written through memcpy, so no alignment is asked of anyone.
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;

#define SLUICE_LIKELY(x) __builtin_expect(!!(x), 1)
#define SLUICE_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define SLUICE_INLINE static inline __attribute__((always_inline))
#define SLUICE_METHOD inline __attribute__((always_inline))  // of a struct
#define SLUICE_COLD static __attribute__((noinline))
// In front of a loop: keep it one loop. Unrolling short ones costs compile time and gains nothing.
#if defined(__clang__)
#define SLUICE_ROLLED _Pragma("clang loop unroll(disable)")
#else
#define SLUICE_ROLLED _Pragma("GCC unroll 1")
#endif
// Vectors of 64 bytes of which any byte goes anywhere (vectors.h): what Ice Lake and Zen 4 have beyond AVX-512's first processors.
#if defined(__AVX512VBMI__) && defined(__AVX512VBMI2__) && defined(__AVX512DQ__) && (defined(__clang__) || __GNUC__ >= 12)
#define SLUICE_BYTES_MOVE
#endif

namespace prim {

SLUICE_INLINE u64 load_le64(const u8* p) { u64 v; __builtin_memcpy(&v, p, 8); return v; }
SLUICE_INLINE u32 load_le32(const u8* p) { u32 v; __builtin_memcpy(&v, p, 4); return v; }
SLUICE_INLINE u32 load_le16(const u8* p) { u16 v; __builtin_memcpy(&v, p, 2); return v; }
SLUICE_INLINE u64 load_be64(const u8* p) { return __builtin_bswap64(load_le64(p)); }
SLUICE_INLINE u32 load_be32(const u8* p) { return __builtin_bswap32(load_le32(p)); }
SLUICE_INLINE u32 load_be16(const u8* p) { return __builtin_bswap16((u16)load_le16(p)); }

// n bytes, 0 <= n <= 8, nothing past p + n is read.
SLUICE_INLINE u64 load_le(const u8* p, u64 n) {
  u64 v = 0;
  for (u64 i = 0; i < n; ++i) v |= (u64)p[i] << (8 * i);
  return v;
}
SLUICE_INLINE u64 load_be(const u8* p, u64 n) {
  u64 v = 0;
  for (u64 i = 0; i < n; ++i) v = v << 8 | p[i];
  return v;
}

// The low n bits set, 0 <= n <= 64.
SLUICE_INLINE u64 mask(u64 n) { return n >= 64 ? ~0ull : (1ull << n) - 1; }

// Bit width-1 becomes the sign, 1 <= width <= 64.
SLUICE_INLINE i64 sign_extend(u64 x, u64 width) { return (i64)(x << (64 - width)) >> (64 - width); }

SLUICE_INLINE i64 zigzag(u64 x) { return (i64)((x >> 1) ^ (0 - (x & 1))); }

// Division as the IR defines it: the one quotient that does not fit wraps.
SLUICE_INLINE i64 div_i(i64 a, i64 b) { return b == -1 ? (i64)(0 - (u64)a) : a / b; }
SLUICE_INLINE i64 rem_i(i64 a, i64 b) { return b == -1 ? 0 : a % b; }

SLUICE_INLINE bool add_ok_u(u64 a, u64 b) { u64 r; return !__builtin_add_overflow(a, b, &r); }
SLUICE_INLINE bool sub_ok_u(u64 a, u64 b) { return a >= b; }
SLUICE_INLINE bool mul_ok_u(u64 a, u64 b) { u64 r; return !__builtin_mul_overflow(a, b, &r); }
SLUICE_INLINE bool add_ok_i(i64 a, i64 b) { i64 r; return !__builtin_add_overflow(a, b, &r); }
SLUICE_INLINE bool sub_ok_i(i64 a, i64 b) { i64 r; return !__builtin_sub_overflow(a, b, &r); }
SLUICE_INLINE bool mul_ok_i(i64 a, i64 b) { i64 r; return !__builtin_mul_overflow(a, b, &r); }

}  // namespace prim
