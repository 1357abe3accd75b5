#pragma once
// Reading bits at any position, touching no byte outside [in, in + size). Positions and counts are in bits.
// The checked path of every generated decoder reads through these; its fast loops keep a 64-bit buffer instead.

namespace prim {

// n bits (0..64) from bit `pos`, first bit lowest. The caller has checked pos + n <= 8 * size.
SLUICE_INLINE u64 bits_lsb(const u8* in, u64 size, u64 pos, u64 n) {
  const u64 byte = pos >> 3, shift = pos & 7;
  if (SLUICE_LIKELY(n <= 56 && byte + 8 <= size)) return (load_le64(in + byte) >> shift) & mask(n);
  const u64 bytes = (shift + n + 7) >> 3;  // 0..9
  const u64 low = load_le(in + byte, bytes < 8 ? bytes : 8) >> shift;
  const u64 high = bytes > 8 ? (u64)in[byte + 8] << (64 - shift) : 0;  // bytes == 9 only with shift > 0
  return (low | high) & mask(n);
}

// n bits (0..64) from bit `pos`, first bit highest.
SLUICE_INLINE u64 bits_msb(const u8* in, u64 size, u64 pos, u64 n) {
  const u64 byte = pos >> 3, shift = pos & 7;
  if (n == 0) return 0;
  if (SLUICE_LIKELY(n <= 56 && byte + 8 <= size)) return (load_be64(in + byte) << shift) >> (64 - n);
  const u64 bytes = (shift + n + 7) >> 3;
  const u64 first = bytes < 8 ? bytes : 8;
  const u64 high = load_be(in + byte, first) << (64 - 8 * first) << shift;
  const u64 low = bytes > 8 ? (u64)in[byte + 8] >> (8 - shift) : 0;
  return (high | low) >> (64 - n);
}

SLUICE_INLINE u32 one_bit_lsb(const u8* in, u64 pos) { return in[pos >> 3] >> (pos & 7) & 1u; }
SLUICE_INLINE u32 one_bit_msb(const u8* in, u64 pos) { return in[pos >> 3] >> (7 - (pos & 7)) & 1u; }

}  // namespace prim
