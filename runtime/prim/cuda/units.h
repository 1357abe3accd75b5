#pragma once
// Input as aligned units of 16 bytes, by the lane that calls. A Cursor counts from the unit in which a loop began. Units
// that stick out of the input are put together from their bytes: nothing outside of it is read.

namespace prim {

constexpr u32 kUnitBytes = 16;
struct alignas(kUnitBytes) Unit {
  u64 low, high;
};

// Where the input's units are: memory, and which cursors of it are input.
struct UnitMemory {
  const u8* memory;  // cursor 0, a multiple of kUnitBytes
  u64 from;          // its byte of the input, modulo 2^64: it may lie before the input's start
  u32 first, last;   // cursors of the input's bytes: [first, last)

  template <typename S> SLUICE_METHOD void open(const S& s) {  // a stream
    const u32 skew = (u32)(u64)(s.in + s.byte()) & (kUnitBytes - 1);
    from = s.byte() - skew;
    memory = global(s.in + s.byte()) - skew;
    first = s.byte() < skew ? skew - (u32)s.byte() : 0;
    const u64 size = s.size - from;
    last = (u32)(size < 2 * kFarthestCursor ? size : 2 * kFarthestCursor);
  }
  SLUICE_METHOD Unit load(u32 at) const { return SLUICE_LIKELY(inside(at)) ? *(const Unit*)(memory + at) : edge(at); }
  SLUICE_METHOD bool inside(u32 at, u32 n = kUnitBytes) const { return at >= first && at + n <= last; }
  SLUICE_METHOD Unit edge(u32 at) const {
    Unit u = {0, 0};
    if (at >= last) return u;
    SLUICE_ROLLED
    for (u32 i = 0; i < kUnitBytes; ++i) {
      if (at + i < first || at + i >= last) continue;
      const u64 byte = (u64)memory[at + i] << (8 * (i & 7));
      if (i < 8) u.low |= byte;
      else u.high |= byte;
    }
    return u;
  }
};

}  // namespace prim
