#pragma once
// Fields bit by bit, what tests of unpacking compare with: included behind runtime/prim/cuda/base.h, in its namespace.

u64 field_of(const std::vector<u8>& in, u64 at, u64 n, bool msb) {
  u64 v = 0;
  for (u64 i = 0; i < n; ++i, ++at) {
    const u64 bit = in[at >> 3] >> (msb ? 7 - (at & 7) : at & 7) & 1;
    v = msb ? v << 1 | bit : v | bit << i;
  }
  return v;
}
