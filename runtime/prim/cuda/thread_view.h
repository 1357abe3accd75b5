#pragma once
// Buffers that are views of the input, as lanes read them: the codes of interleaved parts, where the lanes of a warp read
// neighbouring bytes (GSST, section 4.3.3). Bytes are too small for asynchronous copies, so what comes is asked for early
// instead: the line of the element kFarSteps ahead goes to the cache, the next two elements to registers.

namespace prim {

constexpr u32 kFarSteps = 16;

SLUICE_INLINE void prefetch(const u8* p) {
#if defined(__CUDA_ARCH__)
  asm volatile("prefetch.global.L1 [%0];" ::"l"(p));
#endif
}

// One place of a loop that reads. It mostly goes on by equal steps; where it does not, the elements ahead are loaded anew.
// Indices stay 64 bits wide: cut to 32 they cost a quarter of the speed where few warps share an SM.
struct View {
  const u8* start;
  u64 count;
  u64 at, by;      // index read last, and the step that led there
  u32 next, then;  // the elements one and two steps on

  SLUICE_METHOD u32 load(u64 i) const { return i < count ? start[i] : 0; }
};
template <typename S> SLUICE_INLINE View view(const S& s, u32 buffer) {
  return {global(s.in) + s.buffer_from[buffer], s.buffer_count[buffer], 0, ~0ull, 0, 0};
}
// Element i, 0 past the count.
SLUICE_INLINE u64 element(View& v, u64 i) {
  if (SLUICE_UNLIKELY(i != v.at + v.by)) {
    v.by = i - v.at;
    v.next = v.load(i);
    v.then = v.load(i + v.by);
  }
  const u32 value = v.next;
  v.at = i;
  v.next = v.then;
  v.then = v.load(i + 2 * v.by);
  const u64 far = i + kFarSteps * v.by;
  if (far < v.count) prefetch(v.start + far);
  return value;
}

}  // namespace prim
