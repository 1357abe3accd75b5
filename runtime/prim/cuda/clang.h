#pragma once
// What kernels use of CUDA C++, for Clang: the words of the language, threads' numbers, and the functions over a warp,
// each by the compiler's own built-in. NVRTC has all of this built in; with it this file is not used.
//
// Of the functions there are the forms that the primitives and the emitted code call, for 32 and 64 bits.
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __grid_constant__
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define memcpy __builtin_memcpy

#define SLUICE_BUILT_IN static __device__ __forceinline__

// threadIdx.x reads the register: a member whose value is what a function returns.
#define SLUICE_REGISTER(TYPE, NAME, REGISTER)                                          \
  struct TYPE {                                                                        \
    __declspec(property(get = get_x)) unsigned x;                                      \
    SLUICE_BUILT_IN unsigned get_x() { return __nvvm_read_ptx_sreg_##REGISTER##_x(); } \
  };                                                                                   \
  extern const __device__ __attribute__((weak)) TYPE NAME;
SLUICE_REGISTER(SluiceThread, threadIdx, tid)
SLUICE_REGISTER(SluiceBlock, blockIdx, ctaid)
SLUICE_REGISTER(SluiceBlockSize, blockDim, ntid)
SLUICE_REGISTER(SluiceGridSize, gridDim, nctaid)
#undef SLUICE_REGISTER

// ---- barriers; __syncthreads is a built-in of that name ----
SLUICE_BUILT_IN void __syncwarp(unsigned mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }
SLUICE_BUILT_IN int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
SLUICE_BUILT_IN int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
SLUICE_BUILT_IN int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
SLUICE_BUILT_IN void __threadfence() { __nvvm_membar_gl(); }
SLUICE_BUILT_IN void __threadfence_block() { __nvvm_membar_cta(); }

// ---- shuffles; the last operand of the instruction says where a shuffle's source stops ----
#define SLUICE_SHUFFLE(NAME, KIND, LANE, CLAMP)                                                            \
  SLUICE_BUILT_IN unsigned NAME(unsigned mask, unsigned v, LANE lane) {                                    \
    return (unsigned)__nvvm_shfl_sync_##KIND##_i32(mask, (int)v, lane, CLAMP);                             \
  }                                                                                                        \
  SLUICE_BUILT_IN int NAME(unsigned mask, int v, LANE lane) { return (int)NAME(mask, (unsigned)v, lane); } \
  SLUICE_BUILT_IN unsigned long long NAME(unsigned mask, unsigned long long v, LANE lane) {                \
    const unsigned high = NAME(mask, (unsigned)(v >> 32), lane);                                           \
    return (unsigned long long)high << 32 | NAME(mask, (unsigned)v, lane);                                 \
  }                                                                                                        \
  SLUICE_BUILT_IN long long NAME(unsigned mask, long long v, LANE lane) {                                  \
    return (long long)NAME(mask, (unsigned long long)v, lane);                                             \
  }
SLUICE_SHUFFLE(__shfl_sync, idx, int, 0x1f)
SLUICE_SHUFFLE(__shfl_up_sync, up, unsigned, 0)
SLUICE_SHUFFLE(__shfl_down_sync, down, unsigned, 0x1f)
SLUICE_SHUFFLE(__shfl_xor_sync, bfly, int, 0x1f)
#undef SLUICE_SHUFFLE

// ---- votes, matches, reductions ----
SLUICE_BUILT_IN unsigned __ballot_sync(unsigned mask, int p) { return __nvvm_vote_ballot_sync(mask, p != 0); }
SLUICE_BUILT_IN int __any_sync(unsigned mask, int p) { return __nvvm_vote_any_sync(mask, p != 0); }
SLUICE_BUILT_IN int __all_sync(unsigned mask, int p) { return __nvvm_vote_all_sync(mask, p != 0); }
SLUICE_BUILT_IN unsigned __match_any_sync(unsigned mask, unsigned v) { return __nvvm_match_any_sync_i32(mask, v); }
SLUICE_BUILT_IN unsigned __match_any_sync(unsigned mask, unsigned long long v) {
  return __nvvm_match_any_sync_i64(mask, v);
}
SLUICE_BUILT_IN unsigned __reduce_add_sync(unsigned mask, unsigned v) {
  return (unsigned)__nvvm_redux_sync_add((int)v, (int)mask);
}
SLUICE_BUILT_IN unsigned __reduce_min_sync(unsigned mask, unsigned v) { return __nvvm_redux_sync_umin(v, (int)mask); }
SLUICE_BUILT_IN unsigned __reduce_max_sync(unsigned mask, unsigned v) { return __nvvm_redux_sync_umax(v, (int)mask); }
SLUICE_BUILT_IN unsigned __reduce_and_sync(unsigned mask, unsigned v) {
  return (unsigned)__nvvm_redux_sync_and((int)v, (int)mask);
}
SLUICE_BUILT_IN unsigned __reduce_or_sync(unsigned mask, unsigned v) {
  return (unsigned)__nvvm_redux_sync_or((int)v, (int)mask);
}
SLUICE_BUILT_IN unsigned __reduce_xor_sync(unsigned mask, unsigned v) {
  return (unsigned)__nvvm_redux_sync_xor((int)v, (int)mask);
}

// ---- bits ----
SLUICE_BUILT_IN int __ffs(int v) { return __builtin_ffs(v); }
SLUICE_BUILT_IN int __ffsll(long long v) { return __builtin_ffsll(v); }
SLUICE_BUILT_IN int __clz(int v) { return v == 0 ? 32 : __builtin_clz((unsigned)v); }
SLUICE_BUILT_IN int __clzll(long long v) { return v == 0 ? 64 : __builtin_clzll((unsigned long long)v); }
SLUICE_BUILT_IN int __popc(unsigned v) { return __builtin_popcount(v); }
SLUICE_BUILT_IN int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
SLUICE_BUILT_IN unsigned __brev(unsigned v) { return __builtin_bitreverse32(v); }
SLUICE_BUILT_IN unsigned long long __brevll(unsigned long long v) { return __builtin_bitreverse64(v); }
#define SLUICE_FUNNEL(NAME, HOW)                                                    \
  SLUICE_BUILT_IN unsigned NAME(unsigned low, unsigned high, unsigned n) {          \
    unsigned r;                                                                     \
    asm("shf." HOW ".b32 %0, %1, %2, %3;" : "=r"(r) : "r"(low), "r"(high), "r"(n)); \
    return r;                                                                       \
  }
SLUICE_FUNNEL(__funnelshift_l, "l.wrap")
SLUICE_FUNNEL(__funnelshift_r, "r.wrap")
SLUICE_FUNNEL(__funnelshift_lc, "l.clamp")
SLUICE_FUNNEL(__funnelshift_rc, "r.clamp")
#undef SLUICE_FUNNEL
SLUICE_BUILT_IN unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  unsigned r;
  asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
  return r;
}
SLUICE_BUILT_IN unsigned __byte_perm(unsigned a, unsigned b, unsigned s) { return __nvvm_prmt(a, b, s); }
SLUICE_BUILT_IN unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
SLUICE_BUILT_IN unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return __nvvm_mulhi_ull(a, b);
}

// ---- atomics, on any memory ----
#define SLUICE_ATOMIC(NAME, KIND)                                                        \
  SLUICE_BUILT_IN unsigned NAME(unsigned* p, unsigned v) {                               \
    return (unsigned)__nvvm_atom_##KIND##_gen_i((int*)p, (int)v);                        \
  }                                                                                      \
  SLUICE_BUILT_IN unsigned long long NAME(unsigned long long* p, unsigned long long v) { \
    return (unsigned long long)__nvvm_atom_##KIND##_gen_ll((long long*)p, (long long)v); \
  }
SLUICE_ATOMIC(atomicAdd, add)
SLUICE_ATOMIC(atomicOr, or)
SLUICE_ATOMIC(atomicAnd, and)
SLUICE_ATOMIC(atomicExch, xchg)
#undef SLUICE_ATOMIC
#define SLUICE_ATOMIC(NAME, KIND)                                                                      \
  SLUICE_BUILT_IN unsigned NAME(unsigned* p, unsigned v) { return __nvvm_atom_##KIND##_gen_ui(p, v); } \
  SLUICE_BUILT_IN unsigned long long NAME(unsigned long long* p, unsigned long long v) {               \
    return __nvvm_atom_##KIND##_gen_ull(p, v);                                                         \
  }
SLUICE_ATOMIC(atomicMin, min)
SLUICE_ATOMIC(atomicMax, max)
#undef SLUICE_ATOMIC
SLUICE_BUILT_IN unsigned atomicCAS(unsigned* p, unsigned expected, unsigned v) {
  return (unsigned)__nvvm_atom_cas_gen_i((int*)p, (int)expected, (int)v);
}
SLUICE_BUILT_IN unsigned long long atomicCAS(unsigned long long* p, unsigned long long expected, unsigned long long v) {
  return (unsigned long long)__nvvm_atom_cas_gen_ll((long long*)p, (long long)expected, (long long)v);
}

// ---- kinds of memory ----
SLUICE_BUILT_IN unsigned __isGlobal(const void* p) { return __nvvm_isspacep_global(p); }
SLUICE_BUILT_IN unsigned __isShared(const void* p) { return __nvvm_isspacep_shared(p); }
// Addresses of shared memory are 32 bits wide.
SLUICE_BUILT_IN unsigned long long __cvta_generic_to_shared(const void* p) {
  return (unsigned)(unsigned long long)(const __attribute__((address_space(3))) char*)p;
}
SLUICE_BUILT_IN void* __cvta_shared_to_generic(unsigned long long at) {
  return (void*)(__attribute__((address_space(3))) char*)at;
}
SLUICE_BUILT_IN unsigned long long __cvta_generic_to_global(const void* p) {
  return (unsigned long long)(const __attribute__((address_space(1))) char*)p;
}
