#pragma once
// Moving many bytes with the threads of a block. Kernels in which a warp does a chunk have none of this: there the loads of others hide
// a word's latency, and all that might call it would keep fewer registers (zstd's C++ text 6 % slower).
//   note [wide copies]: a worker moves 16 bytes at a time, and asks for all that it moves next before it stores any. The bytes around
//   these, fewer than there are workers, are moved one each; the first 16 are among them, so that no word in front of the source is read.

namespace prim {

struct alignas(16) Quad {
  u32 word[4];
};
constexpr u32 kAround = 16 + 15;
static_assert(kAround <= kWorkers, "a byte each");
template <u32 AtOnce, bool Aligned> SLUICE_INLINE void copy_quads(Quad* d, const u32* s, u32 shift, u64 quads) {
  SLUICE_ROLLED
  for (u64 first = worker(); first < quads; first += AtOnce * kWorkers) {
    u32 w[AtOnce][5];
    SLUICE_UNROLLED
    for (u32 k = 0; k < AtOnce; ++k) {
      const u64 i = first + k * kWorkers;
      if (i >= quads) continue;
      if (Aligned) {
        const Quad q = ((const Quad*)s)[i];
        for (u32 j = 0; j < 4; ++j) w[k][j] = q.word[j];
      } else {
        for (u32 j = 0; j < 5; ++j) w[k][j] = s[4 * i + j];
      }
    }
    SLUICE_UNROLLED
    for (u32 k = 0; k < AtOnce; ++k) {
      const u64 i = first + k * kWorkers;
      if (i >= quads) continue;
      Quad q;
      for (u32 j = 0; j < 4; ++j) q.word[j] = Aligned ? w[k][j] : __funnelshift_r(w[k][j], w[k][j + 1], shift);
      d[i] = q;
    }
  }
}
constexpr u64 kManyBytes = 64 * kWorkers;
static_assert(kManyBytes > 2 * kAround, "there are some between");
// n bytes, no overlap.
SLUICE_COLD void copy_many(u8* d, const u8* s, u64 n) {
  const u64 front = 16 + ((0 - (u64)d) & 15), quads = (n - front - 4) / 16, behind = front + 16 * quads;
  const u8* const from = s + front;
  const u32 over = (u32)(u64)from & 3;
  if (worker() < front) d[worker()] = s[worker()];
  if (((u64)from & 15) == 0) copy_quads<4, true>((Quad*)(d + front), (const u32*)from, 0, quads);
  else copy_quads<2, false>((Quad*)(d + front), (const u32*)(from - over), 8 * over, quads);
  if (worker() < n - behind) d[behind + worker()] = s[behind + worker()];
}

}  // namespace prim
