#pragma once
// Words, loads and arithmetic for generated kernels. The names and meanings are those of ../base.h, so that one emitter writes for both.
// GPU loads must be aligned: a word at any address is put together from aligned words around it, in the same 4-byte units as its bytes.
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
// note [convergent return]: all lanes leave a function that is not inlined together; a loop that some finish before others ends by a vote. Else
// a full mask waits for who has returned, which is undefined. To return one by one is right in itself (tests/gpu/convergence.cu, sm_90).
#define SLUICE_INLINE static __device__ __forceinline__
#define SLUICE_METHOD __device__ __forceinline__
#define SLUICE_COLD static __device__ __noinline__
#define SLUICE_TABLE static __device__ const
#define SLUICE_ALIKE_TABLE static __constant__ const  // that all lanes look up alike
#if !defined(SLUICE_ROOM)  // of an object: note [objects] of compiler/emit/objects.h
#define SLUICE_ROOM __shared__
#endif
// In front of a loop: keep it one loop; unrolling is what makes kernels slow to compile. And of a loop over a lane's registers: a copy each.
#if defined(__CUDACC__)
#define SLUICE_ROLLED _Pragma("unroll 1")
#define SLUICE_UNROLLED _Pragma("unroll")
#else
#define SLUICE_ROLLED
#define SLUICE_UNROLLED
#endif

namespace prim {

// Says that a pointer is into global memory, so that loads and stores need not find out. The host has one memory.
template <typename T> SLUICE_INLINE T* global(T* p) {
#if defined(__CUDA_ARCH__)
  __builtin_assume(__isGlobal(p));
#endif
  return p;
}

// A byte at a time: for the few bytes at the edges, and for bytes whose address decides nothing.
SLUICE_INLINE u64 load_le(const u8* p, u64 n) {
  u64 v = 0;
  SLUICE_ROLLED
  for (u32 i = 0; i < (u32)n; ++i) v |= (u64)p[i] << (8 * i);
  return v;
}
SLUICE_INLINE u64 load_be(const u8* p, u64 n) {
  u64 v = 0;
  SLUICE_ROLLED
  for (u32 i = 0; i < (u32)n; ++i) v = v << 8 | p[i];
  return v;
}

SLUICE_INLINE u32 swap32(u32 v) { return __byte_perm(v, 0, 0x0123); }
SLUICE_INLINE u64 swap64(u64 v) { return (u64)swap32((u32)v) << 32 | swap32((u32)(v >> 32)); }

// The low n bits set, 0 <= n <= 64.
SLUICE_INLINE u64 mask(u64 n) { return n >= 64 ? ~0ull : (1ull << n) - 1; }

// Bit width-1 becomes the sign, 1 <= width <= 64.
SLUICE_INLINE i64 sign_extend(u64 x, u64 width) { return (i64)(x << (64 - width)) >> (64 - width); }

SLUICE_INLINE i64 zigzag(u64 x) { return (i64)((x >> 1) ^ (0 - (x & 1))); }

// Division as the IR defines it: the one quotient that does not fit wraps.
SLUICE_INLINE i64 div_i(i64 a, i64 b) { return b == -1 ? (i64)(0 - (u64)a) : a / b; }
SLUICE_INLINE i64 rem_i(i64 a, i64 b) { return b == -1 ? 0 : a % b; }

SLUICE_INLINE bool add_ok_u(u64 a, u64 b) { return a + b >= a; }
SLUICE_INLINE bool sub_ok_u(u64 a, u64 b) { return a >= b; }
SLUICE_INLINE bool mul_ok_u(u64 a, u64 b) { return __umul64hi(a, b) == 0; }
SLUICE_INLINE bool add_ok_i(i64 a, i64 b) {
  const u64 r = (u64)a + (u64)b;
  return (i64)(((u64)a ^ r) & ((u64)b ^ r)) >= 0;
}
SLUICE_INLINE bool sub_ok_i(i64 a, i64 b) {
  const u64 r = (u64)a - (u64)b;
  return (i64)(((u64)a ^ (u64)b) & ((u64)a ^ r)) >= 0;
}
SLUICE_INLINE bool mul_ok_i(i64 a, i64 b) {
  const u64 x = a < 0 ? 0 - (u64)a : (u64)a, y = b < 0 ? 0 - (u64)b : (u64)b;
  const u64 most = (a < 0) != (b < 0) ? 1ull << 63 : (1ull << 63) - 1;
  return __umul64hi(x, y) == 0 && x * y <= most;
}

}  // namespace prim
