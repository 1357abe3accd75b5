#pragma once
// What fast loops at thread scope read with: aligned units of 16 bytes of the input, staged for each lane (units.h;
// GSST, section 4.3.1) in registers, or in a slice of shared memory of SLUICE_SPLIT_BUFFER bytes. A Cursor counts from the
// unit in which the loop began.
//   note [burst]: tokens of a few bytes are done in bursts, in front of which ready() makes sure of kBurstBytes. The
//   lanes of a warp then stage at the same time; each where its own need arises, they would wait for one another's.

namespace prim {

#if SLUICE_SPLIT_BUFFER == 16
// A unit in registers of the lane, and the next one already on its way.
struct Staged : UnitMemory {
  u32 unit;        // cursor of the unit at hand
  Unit now, then;  // that unit and the next one

  SLUICE_METHOD void start() {
    unit = 0;
    now = load(0);
    then = load(kUnitBytes);
  }
  SLUICE_METHOD void look_at(Cursor c) {
    const u32 want = c & ~(kUnitBytes - 1);
    if (SLUICE_LIKELY(want == unit)) return;
    now = want == unit + kUnitBytes ? then : load(want);
    unit = want;
    then = load(want + kUnitBytes);
  }
  SLUICE_METHOD u32 byte(Cursor c) const { return (u32)((c & 8 ? now.high : now.low) >> (8 * (c & 7))) & 0xff; }
  SLUICE_METHOD u64 eight(Cursor c) const {
    const u32 shift = 8 * (c & 7);
    return (c & 8 ? now.high : now.low) >> shift | (c & 8 ? then.low : now.high) << 1 << (63 - shift);
  }
};

// Three units, and of the first two what a burst may take, moved to the front.
struct StagedBurst : UnitMemory {
  u32 unit;
  Unit now, then, next;
  u32 from_here;  // cursor of the first byte of `ahead`
  Unit ahead;

  SLUICE_METHOD void start() {
    unit = 0;
    now = load(0);
    then = load(kUnitBytes);
    next = load(2 * kUnitBytes);
  }
  SLUICE_METHOD void ready(Cursor c) {  // at most kBurstBytes behind the last one
    if (c - unit >= kUnitBytes) {
      unit += kUnitBytes;
      now = then;
      then = next;
      next = load(unit + 2 * kUnitBytes);
    }
    const u32 shift = 8 * (c & 7);
    const u64 a = c & 8 ? now.high : now.low, b = c & 8 ? then.low : now.high, d = c & 8 ? then.high : then.low;
    ahead.low = a >> shift | b << 1 << (63 - shift);
    ahead.high = b >> shift | d << 1 << (63 - shift);
    from_here = c;
  }
  SLUICE_METHOD void look_at(Cursor) const {}
  SLUICE_METHOD u32 byte(Cursor c) const {
    const u32 k = c - from_here;
    return (u32)((k & 8 ? ahead.high : ahead.low) >> (8 * (k & 7))) & 0xff;
  }
  SLUICE_METHOD u64 eight(Cursor c) const {  // of these, those that belong to the burst
    const u32 k = c - from_here, shift = 8 * (k & 7);
    return k & 8 ? ahead.high >> shift : ahead.low >> shift | ahead.high << 1 << (63 - shift);
  }
};
#else
// A slice of shared memory for each lane, in two halves: the one behind the half at hand is on its way, by asynchronous
// copies where the GPU has them (GSST, section 4.3.3).
//   note [turn]: lanes whose slices begin in the same bank have their units in different orders, so that lanes in step
//   meet in fewer banks.
constexpr u32 kSliceBytes = SLUICE_SPLIT_BUFFER;  // of output
constexpr u32 kHalfBytes = kSliceBytes / 4 > kUnitBytes ? kSliceBytes / 4 : kUnitBytes, kInBytes = 2 * kHalfBytes;
SLUICE_ROOM Unit in_slices[SLUICE_WARPS * kLanes * kInBytes / kUnitBytes];

constexpr u32 kBankBytes = 128;  // of all banks together
template <u32 Bytes> struct Slice {
  u8* start;
  u32 turn;

  static SLUICE_METHOD Slice of(Unit* slices) {
    constexpr u32 kApart = kBankBytes / Bytes;  // lanes to the next slice that begins in the same bank
    return {in_register((u8*)(slices + threadIdx.x * (Bytes / kUnitBytes))),
            threadIdx.x / kApart * kUnitBytes & (Bytes - 1)};
  }
  SLUICE_METHOD u8* place(u32 at) const { return start + ((at & (Bytes - 1)) ^ turn); }
};

SLUICE_INLINE void copy_unit(Unit* to, const u8* from) {
#if defined(SLUICE_BEGIN_COPY)  // a host that runs kernels
  SLUICE_BEGIN_COPY(to, from, kUnitBytes);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const u32 at = (u32)__cvta_generic_to_shared(to);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
#else
  *to = *(const Unit*)from;
#endif
}
SLUICE_INLINE void wait_for_copies() {
#if defined(SLUICE_WAIT_FOR_COPIES)
  SLUICE_WAIT_FOR_COPIES();
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

struct Staged : UnitMemory {
  u32 half;  // cursor of the half at hand
  Slice<kInBytes> slice;

  SLUICE_METHOD void fetch(u32 at) const {
    SLUICE_ROLLED
    for (u32 i = at; i < at + kHalfBytes; i += kUnitBytes) {
      Unit* const to = (Unit*)slice.place(i);
      if (SLUICE_LIKELY(inside(i))) copy_unit(to, memory + i);
      else *to = edge(i);
    }
  }
  SLUICE_METHOD void start() {
    slice = Slice<kInBytes>::of(in_slices);
    half = 0;
    wait_for_copies();  // of the source that had the slice before
    fetch(0);
    fetch(kHalfBytes);
    wait_for_copies();
  }
  SLUICE_METHOD void look_at(Cursor c) {
    const u32 want = c & ~(kHalfBytes - 1);
    if (SLUICE_LIKELY(want == half)) return;
    wait_for_copies();
    if (want != half + kHalfBytes) {
      fetch(want);
      wait_for_copies();
    }
    half = want;
    fetch(want + kHalfBytes);
  }
  SLUICE_METHOD u32 byte(Cursor c) const { return *slice.place(c); }
  SLUICE_METHOD u64 eight(Cursor c) const {
    if (c + 8 > half + kHalfBytes) wait_for_copies();  // some are in the other half
    u64 v = 0;
    SLUICE_ROLLED
    for (u32 i = 0; i < 8; ++i) v |= (u64)byte(c + i) << (8 * i);
    return v;
  }
};

struct StagedBurst : Staged {
  SLUICE_METHOD void ready(Cursor c) {  // at most kBurstBytes behind the last one
    wait_for_copies();
    if (c - half < kHalfBytes) return;
    half += kHalfBytes;
    fetch(half + kHalfBytes);
  }
  SLUICE_METHOD void look_at(Cursor) const {}
};
#endif
constexpr u32 kBurstBytes = kUnitBytes;

template <Input K> SLUICE_INLINE Staged source(const Stream<K>& s) {
  Staged src;
  src.open(s);
  src.start();
  return src;
}
template <Input K> SLUICE_INLINE StagedBurst burst_source(const Stream<K>& s) {
  StagedBurst src;
  src.open(s);
  src.start();
  return src;
}
// For loops that take no input: nothing is staged.
template <Input K> SLUICE_INLINE UnitMemory idle_source(const Stream<K>& s) {
  UnitMemory src;
  src.open(s);
  return src;
}
template <typename T, typename S> SLUICE_INLINE void give_back(T&, const S&) {}
template <typename S> SLUICE_INLINE void ready(S& src, Cursor c) { src.ready(c); }

SLUICE_INLINE Cursor cursor(const UnitMemory& src, u64 byte) {
  const u64 at = byte - src.from;
  return (Cursor)(at < kFarthestCursor ? at : kFarthestCursor);
}
SLUICE_INLINE u64 byte_of(const UnitMemory& src, Cursor c) { return src.from + c; }

template <typename S> SLUICE_INLINE u32 load_byte(S& src, Cursor c) {
  src.look_at(c);
  return src.byte(c);
}
template <typename S> SLUICE_INLINE u64 load_le64(S& src, Cursor c) {
  src.look_at(c);
  return src.eight(c);
}
template <typename S> SLUICE_INLINE u32 load_le32(S& src, Cursor c) { return (u32)load_le64(src, c); }
template <typename S> SLUICE_INLINE u32 load_le16(S& src, Cursor c) { return load_le32(src, c) & 0xffff; }
template <typename S> SLUICE_INLINE u64 load_be64(S& src, Cursor c) { return swap64(load_le64(src, c)); }
template <typename S> SLUICE_INLINE u32 load_be32(S& src, Cursor c) { return swap32(load_le32(src, c)); }
template <typename S> SLUICE_INLINE u32 load_be16(S& src, Cursor c) { return load_be32(src, c) >> 16; }
template <u32 Bits, typename S> SLUICE_INLINE u32 varint(S& src, Cursor c, u64, u64& value, u64& length) {
  bool fits;
  const u32 n = join_varint<Bits>(load_le64(src, c), Bits > 56 ? load_le64(src, c + 8) : 0, value, fits);
  length = n;
  return n <= (Bits + 6) / 7 && fits ? kVarintOk : kVarintTooLong;
}

}  // namespace prim
