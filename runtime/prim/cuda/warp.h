#pragma once
// The lanes of a warp, or of the block that works on a chunk. Reading and deciding is done by every lane with equal
// values; writing is spread over the *workers*: the 32 lanes of a warp, or all threads of a block (strategy `block`),
// which is what SLUICE_WORKERS says. A hand-over between workers through memory stands on both sides of a sync().
#ifndef SLUICE_WORKERS
#define SLUICE_WORKERS 32
#endif

namespace prim {

constexpr u32 kLanes = 32, kWorkers = SLUICE_WORKERS, kAll = 0xffffffffu;
static_assert(kWorkers % kLanes == 0, "whole warps");

SLUICE_INLINE u32 lane() { return threadIdx.x & (kLanes - 1); }
// Index of this thread among those that share its chunk.
SLUICE_INLINE u32 worker() { return kWorkers == kLanes ? lane() : threadIdx.x % kWorkers; }

// What any worker wrote before, all see behind it.
SLUICE_INLINE void sync() {
  if (kWorkers == kLanes) __syncwarp();
  else __syncthreads();
}

SLUICE_INLINE u32 shfl(u32 v, u32 from) { return __shfl_sync(kAll, v, from); }
SLUICE_INLINE u64 shfl64(u64 v, u32 from) {
  return (u64)__shfl_sync(kAll, (u32)(v >> 32), from) << 32 | __shfl_sync(kAll, (u32)v, from);
}
// Strategy `leader`: one lane reads, and tells the others.
#ifdef SLUICE_LEADER
constexpr bool kLeader = true;
#else
constexpr bool kLeader = false;
#endif
SLUICE_INLINE bool is_reader() { return !kLeader || lane() == 0; }
SLUICE_INLINE u32 broadcast(u32 v) { return kLeader ? shfl(v, 0) : v; }
SLUICE_INLINE u64 told64(u64 v) { return kLeader ? shfl64(v, 0) : v; }

SLUICE_INLINE u32 ballot(bool b) { return __ballot_sync(kAll, b); }
SLUICE_INLINE u32 lanes_below() { return (1u << lane()) - 1; }

// How many lanes from the first one on say yes.
SLUICE_INLINE u32 leading(bool yes) {
  const u32 no = ballot(!yes);
  return no ? (u32)__ffs((i32)no) - 1 : kLanes;
}

// The multiprocessor's clock, to choose between two ways to the same by what they took. On a host it stands still.
SLUICE_INLINE u32 cycles() {
  u32 now = 0;
#if defined(__CUDA_ARCH__)
  asm volatile("mov.u32 %0, %%clock;" : "=r"(now));
#endif
  return now;
}

// The same value, which all lanes have: being a reduction's result it is known to be equal in them, and what follows from
// it is decided for the warp, not lane by lane.
SLUICE_INLINE u32 uniform(u32 v) { return __reduce_max_sync(kAll, v); }
SLUICE_INLINE u64 uniform64(u64 v) { return (u64)uniform((u32)(v >> 32)) << 32 | uniform((u32)v); }
template <typename T> SLUICE_INLINE T* uniform(T* p) { return (T*)uniform64((u64)p); }
// The same of whatever a loop begins with. Places that are no addresses are left as they are.
template <typename T> SLUICE_INLINE T alike(const T& place) { return place; }
SLUICE_INLINE u32 alike(u32 v) { return uniform(v); }
SLUICE_INLINE i32 alike(i32 v) { return (i32)uniform((u32)v); }
SLUICE_INLINE u64 alike(u64 v) { return uniform64(v); }
SLUICE_INLINE i64 alike(i64 v) { return (i64)uniform64((u64)v); }
SLUICE_INLINE u8* alike(u8* p) { return uniform(p); }

// Brings the warp's lanes together, in a way that the compiler believes: where it can't prove them together it tests so
// before every vote and shuffle, and takes nothing for equal. An instruction that a warp does as one says it: a load of
// matrix rows, all of them the unit at `shared`, whose outcome nobody looks at.
SLUICE_INLINE void converge(const void* shared) {
  __syncwarp();
#if defined(__CUDA_ARCH__)
  u32 row;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(row) : "r"((u32)__cvta_generic_to_shared(shared)));
#else
  (void)shared;
#endif
}

// The same where no shared memory is at hand: a matrix in registers is turned.
SLUICE_INLINE void converge() {
  __syncwarp();
#if defined(__CUDA_ARCH__)
  u32 turned;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(turned) : "r"(0));
#endif
}

// The compiler may take it for granted.
SLUICE_INLINE void assume(bool b) {
#if defined(__CUDA_ARCH__)
  __builtin_assume(b);
#else
  (void)b;
#endif
}

// Does any worker say so?
SLUICE_INLINE bool any_worker(bool b) {
  if (kWorkers == kLanes) return ballot(b) != 0;
  return __syncthreads_or(b) != 0;
}

// Sum over the lanes up to and with this one.
SLUICE_INLINE u32 scan_add(u32 v) {
#if defined(__CUDA_ARCH__)
  // The shuffle says itself whether there is a lane to take from.
  asm volatile(
      "{ .reg .pred p; .reg .u32 t;\n"
      "shfl.sync.up.b32 t|p, %0, 1, 0, -1; @p add.u32 %0, %0, t;\n"
      "shfl.sync.up.b32 t|p, %0, 2, 0, -1; @p add.u32 %0, %0, t;\n"
      "shfl.sync.up.b32 t|p, %0, 4, 0, -1; @p add.u32 %0, %0, t;\n"
      "shfl.sync.up.b32 t|p, %0, 8, 0, -1; @p add.u32 %0, %0, t;\n"
      "shfl.sync.up.b32 t|p, %0, 16, 0, -1; @p add.u32 %0, %0, t; }"
      : "+r"(v));
  return v;
#else
  for (u32 d = 1; d < kLanes; d *= 2) {
    const u32 o = __shfl_up_sync(kAll, v, d);
    if (lane() >= d) v += o;
  }
  return v;
#endif
}
SLUICE_INLINE u64 scan_add64(u64 v) {
  for (u32 d = 1; d < kLanes; d *= 2) {
    const u64 o = __shfl_up_sync(kAll, v, d);
    if (lane() >= d) v += o;
  }
  return v;
}

// The same pointer into shared memory, as a value that stays in a register: its address would otherwise be computed
// again at each use, from a special register that takes long to read.
template <typename T> SLUICE_INLINE T* in_register(T* p) {
#if defined(__CUDA_ARCH__)
  u32 at = (u32)__cvta_generic_to_shared(p);
  asm("" : "+r"(at));
  p = (T*)__cvta_shared_to_generic(at);
  __builtin_assume(__isShared(p));
#endif
  return p;
}

// Likewise a number: a loop would otherwise compute it again in each step, to have a register more.
SLUICE_INLINE u32 number_in_register(u32 v) {
#if defined(__CUDA_ARCH__)
  asm("" : "+r"(v));
#endif
  return v;
}

// The same pointer, as each lane's own: it would otherwise be moved from where the warp has it at each use.
template <typename T> SLUICE_INLINE T* held(T* p) {
#if defined(__CUDA_ARCH__)
  asm("" : "+l"(p));
#endif
  return p;
}
// The same number, of which the compiler knows nothing: sums with it are made where they are used, and not kept.
SLUICE_INLINE u32 held(u32 v) {
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+r"(v));
#endif
  return v;
}

// Of a loop that lanes may do side by side: do so many steps cost less by them all, whom a call brings together, than one by one?
SLUICE_INLINE bool worth_lanes(u64 steps) { return steps > 2; }

// Zeroes n bytes from a multiple of 4 on.
SLUICE_COLD void clear(void* p, u64 n) {
  SLUICE_ROLLED
  for (u64 i = worker(); i < n / 4; i += kWorkers) ((u32*)p)[i] = 0;
  for (u64 i = n / 4 * 4 + worker(); i < n; i += kWorkers) ((u8*)p)[i] = 0;
  sync();
}

// The next chunk that nobody has taken.
SLUICE_INLINE u64 next_chunk(unsigned long long* counter) {
  u64 chunk = 0;
  if (kWorkers == kLanes) {
    if (lane() == 0) chunk = atomicAdd(counter, 1ull);
    return shfl64(chunk, 0);
  }
  __shared__ u64 taken;
  __syncthreads();
  if (worker() == 0) taken = atomicAdd(counter, 1ull);
  __syncthreads();
  return taken;
}

// One element of the chunk's arrays in shared memory. Readers before it are done, readers behind it see it.
template <typename T>
SLUICE_INLINE void set(T* array, u64 i, T v) {
  sync();
  if (worker() == 0) array[i] = v;
  sync();
}

}  // namespace prim
