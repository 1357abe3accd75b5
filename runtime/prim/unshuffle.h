#pragma once
// A buffer of bytes to the output, put back from a shuffle: elements of `size` bytes whose first bytes stand together, then
// all second ones, and so on (planes); or whose bits do. Blosc and bitshuffle write both, Parquet's BYTE_STREAM_SPLIT the first.

// Bytes of two vectors by their numbers among both; GCC has Clang's name for it only from version 12 on.
#if defined(__clang__)
#define SLUICE_PICKED(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SLUICE_PICKED(a, b, ...) __builtin_shuffle(a, b, v16{__VA_ARGS__})
#endif

namespace prim {

// Elements joined at a time: a vector of each plane.
constexpr u64 kPlaneStep = sizeof(v16);

// The bytes of the lower halves of both in turns, and those of the upper halves.
SLUICE_INLINE v16 join_lower(v16 a, v16 b) {
  return SLUICE_PICKED(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
SLUICE_INLINE v16 join_upper(v16 a, v16 b) {
  return SLUICE_PICKED(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

// Elements [0, n) of Size planes, `stride` bytes apart; n is a multiple of kPlaneStep. Each round puts the vectors of the lower half
// of the list between those of the upper half, byte by byte; after log2(Size) of them the bytes of each element stand together.
template <u32 Size> SLUICE_INLINE void join_planes(u8* out, const u8* planes, u64 stride, u64 n) {
  static_assert(Size >= 2 && Size <= 16 && (Size & (Size - 1)) == 0, "rounds of halves");
  SLUICE_ROLLED
  for (u64 i = 0; i < n; i += kPlaneStep) {
    v16 v[Size], w[Size];
SLUICE_UNROLLED
    for (u32 k = 0; k < Size; ++k) __builtin_memcpy(&v[k], planes + k * stride + i, kPlaneStep);
SLUICE_UNROLLED
    for (u32 round = 1; round < Size; round *= 2) {
SLUICE_UNROLLED
      for (u32 k = 0; k < Size / 2; ++k) {
        w[2 * k] = join_lower(v[k], v[k + Size / 2]);
        w[2 * k + 1] = join_upper(v[k], v[k + Size / 2]);
      }
SLUICE_UNROLLED
      for (u32 k = 0; k < Size; ++k) v[k] = w[k];
    }
SLUICE_UNROLLED
    for (u32 k = 0; k < Size; ++k) __builtin_memcpy(out + i * Size + k * kPlaneStep, &v[k], kPlaneStep);
  }
}

// Elements [0, n) of `size` planes.
SLUICE_COLD void join_elements(u8* out, const u8* planes, u64 stride, u64 n, u64 size) {
  if (size == 1) {
    if (n) __builtin_memcpy(out, planes, n);
    return;
  }
  const u64 wide = n / kPlaneStep * kPlaneStep;
  u64 done = wide;
  if (size == 2) join_planes<2>(out, planes, stride, wide);
  else if (size == 4) join_planes<4>(out, planes, stride, wide);
  else if (size == 8) join_planes<8>(out, planes, stride, wide);
  else if (size == 16) join_planes<16>(out, planes, stride, wide);
  else done = 0;
  // One plane after the other, of elements that stay in the nearest cache.
  constexpr u64 kNear = 16384;
  const u64 step = kNear / size + 1;
  SLUICE_ROLLED
  for (; done < n; done += step) {
    const u64 end = n - done < step ? n : done + step;
    SLUICE_ROLLED
    for (u64 k = 0; k < size; ++k) {
      const u8* const plane = planes + k * stride;
      for (u64 j = done; j < end; ++j) out[j * size + k] = plane[j];
    }
  }
}

// p: n bytes; size: 1 or more. 1: no room, and nothing is written.
template <bool Write, typename S> SLUICE_COLD u32 emit_unshuffled(S& s, const u8* p, u64 n, u64 size) {
  if (n > s.out_end - s.produced) return 1;
  if (Write && n) {
    u8* const d = s.out + s.produced;
    const u64 whole = n / size;
    join_elements(d, p, whole, whole, size);
    __builtin_memcpy(d + whole * size, p + whole * size, n - whole * size);
  }
  s.produced += n;
  return 0;
}

// Elements whose bits are turned at a time, and the largest of which the turned bytes have room on the stack.
constexpr u64 kTurned = 128, kTurnedSize = 16;

// Likewise of bits: plane b of byte k has bit b of it, eight elements a byte. What is less than eight elements stays as it is.
template <bool Write, typename S> SLUICE_COLD u32 emit_bit_unshuffled(S& s, const u8* p, u64 n, u64 size) {
  if (n > s.out_end - s.produced) return 1;
  if (Write && n) {
    u8* const d = s.out + s.produced;
    const u64 whole = n / size / 8 * 8, stride = whole / 8;
    u64 done = 0;
    if (size <= kTurnedSize) {
      u64 turned[kTurnedSize * kTurned / 8];
      SLUICE_ROLLED
      for (; whole - done >= kTurned; done += kTurned) {
        SLUICE_ROLLED
        for (u64 k = 0; k < size; ++k) {
          u64* const bytes = turned + k * kTurned / 8;
          join_planes<8>((u8*)bytes, p + 8 * k * stride + done / 8, stride, kTurned / 8);
          for (u64 i = 0; i < kTurned / 8; ++i) bytes[i] = turn_bits(bytes[i]);
        }
        join_elements(d + done * size, (const u8*)turned, kTurned, kTurned, size);
      }
    }
    SLUICE_ROLLED
    for (; done < whole; done += 8)
      SLUICE_ROLLED
      for (u64 k = 0; k < size; ++k) {
        u64 bits = 0;
        for (u64 b = 0; b < 8; ++b) bits |= (u64)p[(8 * k + b) * stride + done / 8] << (8 * b);
        bits = turn_bits(bits);
        for (u64 i = 0; i < 8; ++i) d[(done + i) * size + k] = (u8)(bits >> (8 * i));
      }
    __builtin_memcpy(d + whole * size, p + whole * size, n - whole * size);
  }
  s.produced += n;
  return 0;
}

}  // namespace prim
