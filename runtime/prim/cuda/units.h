#pragma once
// Input as aligned units of 16 bytes, by the lane that calls. A Cursor counts from the unit in which a loop began. Units
// that stick out of the input are put together from their bytes: nothing outside of it is read.

namespace prim {

constexpr u32 kUnitBytes = 16;
struct alignas(kUnitBytes) Unit {
  u64 low, high;
};

// In words of the stream's own order: the first bit lowest, in msb streams highest.
template <bool Msb> SLUICE_INLINE Unit in_order(const Unit& u) {
  if (!Msb) return u;
  return {(u64)swap32((u32)(u.low >> 32)) << 32 | swap32((u32)u.low), (u64)swap32((u32)(u.high >> 32)) << 32 | swap32((u32)u.high)};
}

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

// Units of the input from cursor `base` on, by so many threads, of which this one is `thread`. Msb: each word's highest byte comes
// first. Of units that stick out of the input the first threads take a byte each, zeros for those that are not its; of units
// that lie outside of it nothing is stored.
template <u32 Units, u32 Threads, bool Msb = false>
SLUICE_INLINE void load_units(Unit* to, const UnitMemory& input, Cursor base, u32 thread) {
  static_assert(Threads >= 2 * kUnitBytes, "a thread for each byte of two units");
  constexpr u32 kLoads = (Units + Threads - 1) / Threads;
  // Those from `low` on and below `high` are the input's.
  const u32 low = input.first > base ? (input.first - base + kUnitBytes - 1) / kUnitBytes : 0;
  const u32 high = input.last > base ? (input.last - base) / kUnitBytes : 0;
  const Unit* const there = (const Unit*)(input.memory + base);
  Unit unit[kLoads] = {};  // all of them on their way at once
  SLUICE_UNROLLED
  for (u32 i = 0; i < kLoads; ++i) {
    const u32 at = i * Threads + thread;
    if (at < Units && at >= low && at < high) unit[i] = there[at];
  }
  SLUICE_UNROLLED
  for (u32 i = 0; i < kLoads; ++i) {
    const u32 at = i * Threads + thread;
    if (at < Units && at >= low && at < high) to[at] = in_order<Msb>(unit[i]);
  }
  if (SLUICE_LIKELY(low == 0 && high >= Units)) return;
  // The unit before the first of those, and the one behind the last: one unit where the input begins and ends in it.
  const u32 edges = low > high ? 1 : 2;
  const u32 edge = thread / kUnitBytes == 0 ? low - 1 : high;
  const u32 byte = thread % kUnitBytes, at = base + edge * kUnitBytes + byte;
  if (thread >= edges * kUnitBytes || edge >= Units) return;
  ((u8*)(to + edge))[Msb ? byte ^ 3 : byte] = at >= input.first && at < input.last ? input.memory[at] : 0;
}

}  // namespace prim
