#pragma once
// A buffer of bytes to the output, put back from a shuffle: the names and results of ../unshuffle.h, by all workers of a chunk.
// Buffers are in global memory; those that are no view of the input start at a multiple of kUnitBytes.

namespace prim {

// Four bytes that start anywhere. Where they start at no multiple of 4, up to three on either side of them are read, too.
template <bool Aligned> SLUICE_INLINE u32 word_of_plane(const u8* p) {
  if constexpr (Aligned) return *(const u32*)p;
  const u32 off = (u32)(u64)p & 3;
  const u32* const q = (const u32*)(p - off);
  return __funnelshift_r(q[0], off == 0 ? 0 : q[1], 8 * off);
}
// Four elements a thread, of Size planes of `whole` bytes, to units of the output. Each round puts the words of the lower half of the
// list between those of the upper half, byte by byte, as on a CPU. Loads of a plane by a warp are a line; stores are units, or half
// of one. Aligned: all planes start at a multiple of 4. Else the first four elements, and four to eleven at the end, are read by bytes.
template <u32 Size, bool Aligned> SLUICE_INLINE void join_plane_words(u8* out, const u8* planes, u64 whole) {
  const u64 first = Aligned ? 0 : 4, end = Aligned ? whole : first + (whole < 12 ? 0 : (whole - 8) / 4 * 4);
  SLUICE_ROLLED
  for (u64 j = first + 4 * worker(); j < end; j += 4 * kWorkers) {
    u32 v[Size], w[Size];
SLUICE_UNROLLED
    for (u32 k = 0; k < Size; ++k) v[k] = word_of_plane<Aligned>(planes + k * whole + j);
SLUICE_UNROLLED
    for (u32 round = 1; round < Size; round *= 2) {
SLUICE_UNROLLED
      for (u32 k = 0; k < Size / 2; ++k) {
        w[2 * k] = __byte_perm(v[k], v[k + Size / 2], 0x5140);
        w[2 * k + 1] = __byte_perm(v[k], v[k + Size / 2], 0x7362);
      }
SLUICE_UNROLLED
      for (u32 k = 0; k < Size; ++k) v[k] = w[k];
    }
    u8* const to = out + j * Size;
    if constexpr (Size == 2) {
      *(u64*)to = (u64)v[1] << 32 | v[0];
    } else {
SLUICE_UNROLLED
      for (u32 k = 0; k < Size; k += 4)
        *(Unit*)(to + 4 * k) = {(u64)v[k + 1] << 32 | v[k], (u64)v[k + 3] << 32 | v[k + 2]};
    }
  }
  if constexpr (Aligned) return;
  const u64 rest = whole - (end - first);
  SLUICE_ROLLED
  for (u64 i = worker(); i < rest * Size; i += kWorkers) {
    const u64 j = i / Size < first ? i / Size : i / Size + (end - first), k = i % Size;
    out[j * Size + k] = planes[k * whole + j];
  }
}
template <u32 Size> SLUICE_INLINE void join_any_planes(u8* out, const u8* planes, u64 whole) {
  if ((((u64)planes | whole) & 3) == 0) join_plane_words<Size, true>(out, planes, whole);
  else join_plane_words<Size, false>(out, planes, whole);
}

// Any size, anywhere: an aligned word of the output a thread, its bytes one by one.
SLUICE_COLD void join_bytes(u8* out, const u8* planes, u64 whole, u64 size) {
  const u64 n = whole * size, to_word = (0 - (u64)out) & 3, head = to_word < n ? to_word : n, tail = (n - head) & 3;
  SLUICE_ROLLED
  for (u64 i = worker(); i < head + tail; i += kWorkers) {
    const u64 at = i < head ? i : n - tail + (i - head);
    out[at] = planes[at % size * whole + at / size];
  }
  SLUICE_ROLLED
  for (u64 at = head + 4 * worker(); at + 4 <= n; at += 4 * kWorkers) {
    u32 j = (u32)at / (u32)size, k = (u32)at % (u32)size, word = 0;  // a buffer's limit is 32 bits
SLUICE_UNROLLED
    for (u32 b = 0; b < 4; ++b) {
      word |= (u32)planes[(u64)k * whole + j] << (8 * b);
      if (++k == size) k = 0, ++j;
    }
    *(u32*)(out + at) = word;
  }
}

// p: n bytes; size: 1 or more. 1: no room, and nothing is written.
template <bool Write, typename S> SLUICE_COLD u32 emit_unshuffled(S& s, const u8* p, u64 n, u64 size) {
  if (n > s.out_end - s.produced) return 1;
  if (Write) {
    u8* const d = s.out + s.produced;
    const u64 whole = n / size, done = whole * size;
    sync();
    const bool in_words = ((u64)d & (kUnitBytes - 1)) == 0;
    if (in_words && size == 2) join_any_planes<2>(d, p, whole);
    else if (in_words && size == 4) join_any_planes<4>(d, p, whole);
    else if (in_words && size == 8) join_any_planes<8>(d, p, whole);
    else if (in_words && size == 16) join_any_planes<16>(d, p, whole);
    else if (size <= n) join_bytes(d, p, whole, size);
    copy_bytes(d + done, p + done, n - done);
    sync();  // the buffer may be filled anew
  }
  s.produced += n;
  return 0;
}

// Likewise of bits: plane b of byte k has bit b of it, eight elements a byte. What is less than eight elements stays as it is.
template <bool Write, typename S> SLUICE_COLD u32 emit_bit_unshuffled(S& s, const u8* p, u64 n, u64 size) {
  if (n > s.out_end - s.produced) return 1;
  if (Write) {
    u8* const d = s.out + s.produced;
    const u64 whole = n / size / 8 * 8, stride = whole / 8, done = whole * size;
    sync();
    // Eight elements a thread: one byte of each.
    SLUICE_ROLLED
    for (u64 k = 0; k < size && whole != 0; ++k) {
      SLUICE_ROLLED
      for (u64 g = worker(); g < stride; g += kWorkers) {
        u64 bits = 0;
SLUICE_UNROLLED
        for (u32 b = 0; b < 8; ++b) bits |= (u64)p[(8 * k + b) * stride + g] << (8 * b);
        bits = turn_bits(bits);
SLUICE_UNROLLED
        for (u32 i = 0; i < 8; ++i) d[(8 * g + i) * size + k] = (u8)(bits >> (8 * i));
      }
    }
    copy_bytes(d + done, p + done, n - done);
    sync();
  }
  s.produced += n;
  return 0;
}

}  // namespace prim
