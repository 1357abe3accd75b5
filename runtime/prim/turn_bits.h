#pragma once
// Eight bytes as a square of bits, turned over. Of every target.

namespace prim {

// Byte i of the result has the bits i of the eight bytes, the first byte's lowest.
SLUICE_INLINE u64 turn_bits(u64 x) {
  u64 t = (x ^ (x >> 7)) & 0x00aa00aa00aa00aaull;
  x ^= t ^ (t << 7);
  t = (x ^ (x >> 14)) & 0x0000cccc0000ccccull;
  x ^= t ^ (t << 14);
  t = (x ^ (x >> 28)) & 0x00000000f0f0f0f0ull;
  return x ^ t ^ (t << 28);
}

}  // namespace prim
