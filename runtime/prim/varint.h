#pragma once
// LEB128: seven bits a byte, lowest first, the top bit says that more follow.

namespace prim {

enum VarintResult : u32 { kVarintOk = 0, kVarintCut = 1, kVarintTooLong = 2 };

// A value of at most `Bits` bits, so of at most ceil(Bits / 7) bytes, from [p, end).
template <u32 Bits>
SLUICE_INLINE u32 varint(const u8* p, u64 available, u64& value, u64& length) {
  constexpr u32 kGroups = (Bits + 6) / 7;
  u64 v = 0;
  for (u32 i = 0; i < kGroups; ++i) {
    if (i >= available) return kVarintCut;
    const u64 byte = p[i];
    v |= (byte & 127) << (7 * i);
    if (byte < 128) {
      // The last group holds only Bits - 7 (kGroups - 1) bits of the value.
      if (i == kGroups - 1 && byte >> (Bits - 7 * (kGroups - 1)) != 0) return kVarintTooLong;
      value = v;
      length = i + 1;
      return kVarintOk;
    }
  }
  return kVarintTooLong;
}

}  // namespace prim
