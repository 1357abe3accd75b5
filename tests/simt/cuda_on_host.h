// CUDA C++ for the host's compiler: stands in front of a kernel's text, which then runs on the SIMT layer (simt.h).
//
// Only what generated kernels use is here. __activemask() is missing on purpose: what it returns depends on how the
// hardware happens to schedule lanes. Include this behind every other header: it takes names that libraries use.
//
// __shared__ variables are static ones in a section of their own, which launches fill with 0xa5 before each block.
// Kernels have to stand in an unnamed namespace: GCC can't put static variables of functions with external linkage into
// a section. It ignores the section of static variables of templates altogether; don't write __shared__ there.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tests/simt/lane.h"

// Name of the section of this file's __shared__ variables, an identifier; simt_shared_region() is its extent.
#if !defined(SIMT_SECTION)
#define SIMT_SECTION simt_shared
#endif
#define SIMT_JOIN_(a, b) a##b
#define SIMT_JOIN(a, b) SIMT_JOIN_(a, b)
#define SIMT_TEXT_(a) #a
#define SIMT_TEXT(a) SIMT_TEXT_(a)

extern "C" {
[[gnu::weak]] extern std::byte SIMT_JOIN(__start_, SIMT_SECTION)[];
[[gnu::weak]] extern std::byte SIMT_JOIN(__stop_, SIMT_SECTION)[];
}
// Empty in a program without __shared__ variables.
static inline sluice::simt::Region simt_shared_region() {
  std::byte* const start = SIMT_JOIN(__start_, SIMT_SECTION);
  if (start == nullptr) return {nullptr, 0};
  return {start, static_cast<std::size_t>(SIMT_JOIN(__stop_, SIMT_SECTION) - start)};
}

// ---- Qualifiers and coordinates -----------------------------------------------------------------------------------

#define __device__
#define __host__
#define __global__
#define __grid_constant__
#define __constant__
#define __shared__ static __attribute__((section(SIMT_TEXT(SIMT_SECTION))))
// Shared memory that a launch would give its size: here the variable has it.
#define SLUICE_DYNAMIC_SHARED(type, name, count) __shared__ type name[count]
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) alignas(n)
#define threadIdx (::sluice::simt::place.thread)
#define blockIdx (::sluice::simt::place.block)
#define blockDim (::sluice::simt::place.block_dim)
#define gridDim (::sluice::simt::place.grid_dim)
#define warpSize 32

// ---- Collectives ---------------------------------------------------------------------------------------------------
// Every one takes the line of the call as a default argument.

#define SIMT_LINE unsigned line = __builtin_LINE()

inline void __syncwarp(unsigned mask = 0xffffffffu, SIMT_LINE) {
  sluice::simt::collective(sluice::simt::Op::SyncWarp, mask, 0, 0, 32, line);
}
inline void __syncthreads(SIMT_LINE) { sluice::simt::collective(sluice::simt::Op::SyncThreads, ~0u, 0, 0, 32, line); }
#define SIMT_BARRIER(NAME, OP)                                                                                 \
  inline int NAME(int predicate, SIMT_LINE) {                                                                  \
    return static_cast<int>(sluice::simt::collective(sluice::simt::Op::OP, ~0u, predicate != 0, 0, 32, line)); \
  }
SIMT_BARRIER(__syncthreads_or, SyncThreadsOr)
SIMT_BARRIER(__syncthreads_and, SyncThreadsAnd)
SIMT_BARRIER(__syncthreads_count, SyncThreadsCount)
#undef SIMT_BARRIER
// Named barriers: PTX's bar.arrive and bar.sync.
inline void simt_arrive(unsigned barrier, unsigned threads, SIMT_LINE) {
  sluice::simt::collective(sluice::simt::Op::Arrive, ~0u, barrier, threads, 32, line);
}
inline void simt_await(unsigned barrier, unsigned threads, SIMT_LINE) {
  sluice::simt::collective(sluice::simt::Op::Await, ~0u, barrier, threads, 32, line);
}
#define SLUICE_ARRIVE(barrier, threads) simt_arrive(barrier, threads)
#if !defined(SLUICE_AWAIT)  // a test may have waits of its own
#define SLUICE_AWAIT(barrier, threads) simt_await(barrier, threads)
#endif

#define SIMT_SHUFFLE(TYPE, BITS)                                                                                       \
  inline TYPE __shfl_sync(unsigned mask, TYPE value, int lane, int width = 32, SIMT_LINE) {                            \
    return std::bit_cast<TYPE>(                                                                                        \
        static_cast<BITS>(sluice::simt::collective(sluice::simt::Op::Shuffle, mask, std::bit_cast<BITS>(value),        \
                                                   static_cast<unsigned>(lane), static_cast<unsigned>(width), line))); \
  }                                                                                                                    \
  inline TYPE __shfl_up_sync(unsigned mask, TYPE value, unsigned distance, int width = 32, SIMT_LINE) {                \
    return std::bit_cast<TYPE>(                                                                                        \
        static_cast<BITS>(sluice::simt::collective(sluice::simt::Op::ShuffleUp, mask, std::bit_cast<BITS>(value),      \
                                                   distance, static_cast<unsigned>(width), line)));                    \
  }                                                                                                                    \
  inline TYPE __shfl_down_sync(unsigned mask, TYPE value, unsigned distance, int width = 32, SIMT_LINE) {              \
    return std::bit_cast<TYPE>(                                                                                        \
        static_cast<BITS>(sluice::simt::collective(sluice::simt::Op::ShuffleDown, mask, std::bit_cast<BITS>(value),    \
                                                   distance, static_cast<unsigned>(width), line)));                    \
  }                                                                                                                    \
  inline TYPE __shfl_xor_sync(unsigned mask, TYPE value, int lanes, int width = 32, SIMT_LINE) {                       \
    return std::bit_cast<TYPE>(static_cast<BITS>(                                                                      \
        sluice::simt::collective(sluice::simt::Op::ShuffleXor, mask, std::bit_cast<BITS>(value),                       \
                                 static_cast<unsigned>(lanes), static_cast<unsigned>(width), line)));                  \
  }                                                                                                                    \
  inline unsigned __match_any_sync(unsigned mask, TYPE value, SIMT_LINE) {                                             \
    return static_cast<unsigned>(                                                                                      \
        sluice::simt::collective(sluice::simt::Op::MatchAny, mask, std::bit_cast<BITS>(value), 0, 32, line));          \
  }                                                                                                                    \
  inline unsigned __match_all_sync(unsigned mask, TYPE value, int* all, SIMT_LINE) {                                   \
    const auto same = static_cast<unsigned>(                                                                           \
        sluice::simt::collective(sluice::simt::Op::MatchAll, mask, std::bit_cast<BITS>(value), 0, 32, line));          \
    *all = same != 0;                                                                                                  \
    return same;                                                                                                       \
  }
SIMT_SHUFFLE(int, std::uint32_t)
SIMT_SHUFFLE(unsigned, std::uint32_t)
SIMT_SHUFFLE(long, std::uint64_t)
SIMT_SHUFFLE(unsigned long, std::uint64_t)
SIMT_SHUFFLE(long long, std::uint64_t)
SIMT_SHUFFLE(unsigned long long, std::uint64_t)
SIMT_SHUFFLE(float, std::uint32_t)
SIMT_SHUFFLE(double, std::uint64_t)
#undef SIMT_SHUFFLE

#define SIMT_COMBINE(NAME, RESULT, TYPE, OP)                                                                   \
  inline RESULT NAME(unsigned mask, TYPE value, SIMT_LINE) {                                                   \
    return static_cast<RESULT>(                                                                                \
        sluice::simt::collective(sluice::simt::Op::OP, mask, static_cast<std::uint32_t>(value), 0, 32, line)); \
  }
SIMT_COMBINE(__ballot_sync, unsigned, int, Ballot)
SIMT_COMBINE(__any_sync, int, int, Any)
SIMT_COMBINE(__all_sync, int, int, All)
SIMT_COMBINE(__reduce_add_sync, unsigned, unsigned, Add)
SIMT_COMBINE(__reduce_add_sync, int, int, Add)
SIMT_COMBINE(__reduce_min_sync, unsigned, unsigned, MinUnsigned)
SIMT_COMBINE(__reduce_min_sync, int, int, MinSigned)
SIMT_COMBINE(__reduce_max_sync, unsigned, unsigned, MaxUnsigned)
SIMT_COMBINE(__reduce_max_sync, int, int, MaxSigned)
SIMT_COMBINE(__reduce_and_sync, unsigned, unsigned, And)
SIMT_COMBINE(__reduce_or_sync, unsigned, unsigned, Or)
SIMT_COMBINE(__reduce_xor_sync, unsigned, unsigned, Xor)
#undef SIMT_COMBINE

inline void __trap(SIMT_LINE) { sluice::simt::trap(line); }

// Copies that land when they are waited for (runtime/prim/cuda/thread_source.h). Written here, where kernels are
// instrumented, and not in the layer.
inline void simt_begin_copy(void* to, const void* from, std::size_t bytes, SIMT_LINE) {
  sluice::simt::begin_copy({static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes}, line);
  __builtin_memset(to, static_cast<int>(sluice::simt::kPoison), bytes);
}
inline void simt_wait_for_copies() {
  sluice::simt::AsyncCopy copy;
  while (sluice::simt::take_copy(copy)) __builtin_memcpy(copy.to, copy.from, copy.bytes);
}
#define SLUICE_BEGIN_COPY(to, from, bytes) simt_begin_copy(to, from, bytes)
#define SLUICE_WAIT_FOR_COPIES() simt_wait_for_copies()
#undef SIMT_LINE

// ---- Memory --------------------------------------------------------------------------------------------------------

// Blocks run in sequence and threads on one core, so there is nothing to fence off; it orders nothing for
// ThreadSanitizer either.
inline void __threadfence() { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

template <class T>
inline T __ldg(const T* p) {
  return *p;
}

// Relaxed, as on the device. Another lane may come in between two of them.
#define SIMT_ATOMIC(TYPE)                                                                                    \
  inline TYPE atomicAdd(TYPE* p, TYPE x) {                                                                   \
    sluice::simt::interleave();                                                                              \
    return __atomic_fetch_add(p, x, __ATOMIC_RELAXED);                                                       \
  }                                                                                                          \
  inline TYPE atomicSub(TYPE* p, TYPE x) {                                                                   \
    sluice::simt::interleave();                                                                              \
    return __atomic_fetch_sub(p, x, __ATOMIC_RELAXED);                                                       \
  }                                                                                                          \
  inline TYPE atomicOr(TYPE* p, TYPE x) {                                                                    \
    sluice::simt::interleave();                                                                              \
    return __atomic_fetch_or(p, x, __ATOMIC_RELAXED);                                                        \
  }                                                                                                          \
  inline TYPE atomicAnd(TYPE* p, TYPE x) {                                                                   \
    sluice::simt::interleave();                                                                              \
    return __atomic_fetch_and(p, x, __ATOMIC_RELAXED);                                                       \
  }                                                                                                          \
  inline TYPE atomicXor(TYPE* p, TYPE x) {                                                                   \
    sluice::simt::interleave();                                                                              \
    return __atomic_fetch_xor(p, x, __ATOMIC_RELAXED);                                                       \
  }                                                                                                          \
  inline TYPE atomicExch(TYPE* p, TYPE x) {                                                                  \
    sluice::simt::interleave();                                                                              \
    return __atomic_exchange_n(p, x, __ATOMIC_RELAXED);                                                      \
  }                                                                                                          \
  inline TYPE atomicCAS(TYPE* p, TYPE expected, TYPE x) {                                                    \
    sluice::simt::interleave();                                                                              \
    __atomic_compare_exchange_n(p, &expected, x, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);                 \
    return expected;                                                                                         \
  }                                                                                                          \
  inline TYPE atomicMin(TYPE* p, TYPE x) {                                                                   \
    sluice::simt::interleave();                                                                              \
    TYPE old = __atomic_load_n(p, __ATOMIC_RELAXED);                                                         \
    while (x < old && !__atomic_compare_exchange_n(p, &old, x, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) { \
    }                                                                                                        \
    return old;                                                                                              \
  }                                                                                                          \
  inline TYPE atomicMax(TYPE* p, TYPE x) {                                                                   \
    sluice::simt::interleave();                                                                              \
    TYPE old = __atomic_load_n(p, __ATOMIC_RELAXED);                                                         \
    while (x > old && !__atomic_compare_exchange_n(p, &old, x, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) { \
    }                                                                                                        \
    return old;                                                                                              \
  }
SIMT_ATOMIC(int)
SIMT_ATOMIC(unsigned)
SIMT_ATOMIC(unsigned long long)
#undef SIMT_ATOMIC

// ---- Integers ------------------------------------------------------------------------------------------------------

inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __clz(int x) { return std::countl_zero(static_cast<std::uint32_t>(x)); }
inline int __clzll(long long x) { return std::countl_zero(static_cast<std::uint64_t>(x)); }
inline int __popc(unsigned x) { return std::popcount(x); }
inline int __popcll(unsigned long long x) { return std::popcount(x); }
inline unsigned __brev(unsigned x) {
  x = (x & 0x55555555u) << 1 | (x >> 1 & 0x55555555u);
  x = (x & 0x33333333u) << 2 | (x >> 2 & 0x33333333u);
  x = (x & 0x0f0f0f0fu) << 4 | (x >> 4 & 0x0f0f0f0fu);
  return __builtin_bswap32(x);
}
inline unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
         __brev(static_cast<unsigned>(x >> 32));
}
// The 64 bits high:low moved, their high half (_l) or low half (_r); the distance modulo 32, or at most 32 (_lc, _rc).
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) << (by & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (by & 31));
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned by) {
  return by >= 32 ? low : __funnelshift_l(low, high, by);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned by) {
  return by >= 32 ? high : __funnelshift_r(low, high, by);
}
// The products of the bytes of a and b, added to c.
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (unsigned i = 0; i < 32; i += 8) c += (a >> i & 255) * (b >> i & 255);
  return c;
}
// Byte i of the result is the byte of y:x that digit i of the selector names, or its sign repeated when bit 3 is set.
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned digit = selector >> (4 * i) & 15;
    unsigned byte = static_cast<unsigned>(bytes >> (8 * (digit & 7))) & 255;
    if (digit & 8) byte = byte & 128 ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
inline int __mulhi(int a, int b) { return static_cast<int>(static_cast<long long>(a) * b >> 32); }
__extension__ typedef unsigned __int128 simt_u128;
__extension__ typedef __int128 simt_i128;
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<simt_u128>(a) * b >> 64);
}
inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<simt_i128>(a) * b >> 64);
}
