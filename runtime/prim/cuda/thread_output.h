#pragma once
// What fast loops at thread scope write with: the output is put together in registers, or in a slice of shared memory,
// and leaves in aligned units of 16 bytes. The head and the tail of a lane's output share their units with the
// neighbours: they leave byte by byte (GSST, section 4.3.2).

namespace prim {

constexpr u32 kMaxBurst = 8;  // tokens

// Bytes [from, to) of a unit.
SLUICE_COLD void store_part(u8* unit, u64 low, u64 high, u32 from, u32 to) {
  SLUICE_ROLLED
  for (u32 i = from; i < to; ++i) global(unit)[i] = (u8)((i < 8 ? low : high) >> (8 * (i & 7)));
}
// To global memory, which a pointer that went through a slice's arithmetic no longer says.
SLUICE_INLINE void store_whole(u8* to, const Unit& u) {
#if defined(__CUDA_ARCH__)
  asm volatile("st.global.v2.u64 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(to)), "l"(u.low), "l"(u.high) : "memory");
#else
  *(Unit*)to = u;
#endif
}
// Of a unit, what does not lie before `own`.
SLUICE_INLINE void store_unit(u8* unit, const Unit& u, const u8* own) {
  if (SLUICE_LIKELY(unit >= own)) store_whole(unit, u);
  else store_part(unit, u.low, u.high, own - unit < (i64)kUnitBytes ? (u32)(own - unit) : kUnitBytes, kUnitBytes);
}

struct OutPlace {
  u8* at;
  u8* own;  // what lies before belongs to others

  SLUICE_METHOD operator u8*() const { return at; }
};

#if SLUICE_SPLIT_BUFFER == 16
//   note [unit]: `unit` holds the bytes before `at` of the unit that `at` lies in, and zeros from `at` on, as long as
//   no put() is without its `out += n`.
struct Out : OutPlace {
  Unit unit;

  SLUICE_METHOD Out& operator+=(u64 n) {
    at += n;
    return *this;
  }
};
SLUICE_INLINE Out output(u8* at) {
  Out o;
  o.at = o.own = global(at);
  o.unit = {0, 0};
  return o;
}

// What is in the unit goes out; it is the last thing done.
SLUICE_INLINE void flush(Out& o) {
  const u32 to = (u32)(u64)o.at & (kUnitBytes - 1);
  u8* const unit = o.at - to;
  store_part(unit, o.unit.low, o.unit.high, o.own > unit ? (u32)(o.own - unit) : 0, to);
}

// n <= 8 bytes of v, which has no more; the caller adds n.
SLUICE_INLINE void put(Out& o, u64 v, u64 n) {
  const u32 k = (u32)(u64)o.at & (kUnitBytes - 1), shift = 8 * (k & 7);
  const u64 low = v << shift, high = v >> 1 >> (63 - shift);
  if (k < 8) {
    o.unit.low |= low;
    o.unit.high |= high;
  } else {
    o.unit.high |= low;
    if (k + (u32)n >= kUnitBytes) {
      store_unit(o.at - k, o.unit, o.own);
      o.unit.low = high;
      o.unit.high = 0;
    }
  }
}
// Units leave as they fill: a burst is as good as any.
typedef Out BurstOut;
constexpr u32 kBurstOut = 1u << 16;
SLUICE_INLINE BurstOut burst_output(u8* at) { return output(at); }
SLUICE_INLINE void settle(BurstOut&) {}
#else
//   note [slice]: the slice holds what the block of kSliceBytes that `at` lies in has up to the last multiple of 8,
//   `word` the bytes from there to `at`, and zeros behind, as long as no put() is without its `out += n`.
SLUICE_ROOM Unit out_slices[SLUICE_WARPS * kLanes * kSliceBytes / kUnitBytes];

struct SlicePlace : OutPlace {
  Slice<kSliceBytes> slice;
  u64 word;

  SLUICE_METHOD void open(u8* p) {
    at = own = global(p);
    slice = Slice<kSliceBytes>::of(out_slices);
    word = 0;
  }
  SLUICE_METHOD Unit& unit(const u8* p) const { return *(Unit*)slice.place((u32)(u64)p); }
  SLUICE_METHOD void keep() const { *(u64*)slice.place((u32)(u64)at & ~7u) = word; }
  // n <= 8 bytes of v at `at`. Says whether the word is full.
  SLUICE_METHOD bool append(u64 v, u64 n) {
    const u32 k = (u32)(u64)at & 7, shift = 8 * k;
    word |= v << shift;
    if (k + (u32)n < 8) return false;
    keep();
    word = v >> 1 >> (63 - shift);
    return true;
  }
};

struct Out : SlicePlace {
  SLUICE_METHOD Out& operator+=(u64 n) {
    at += n;
    return *this;
  }
};
SLUICE_INLINE Out output(u8* at) {
  Out o;
  o.open(at);
  return o;
}

// The first `to` bytes of the block of kSliceBytes that begins at `block`.
SLUICE_INLINE void store_slice(const Out& o, u8* block, u32 to) {
  SLUICE_ROLLED
  for (u32 i = 0; i < to; i += kUnitBytes) {
    const Unit u = o.unit(block + i);
    u8* const unit = block + i;
    if (to - i >= kUnitBytes) store_unit(unit, u, o.own);
    else store_part(unit, u.low, u.high, o.own > unit ? (u32)(o.own - unit) : 0, to - i);
  }
}
// What is in the slice goes out; it is the last thing done.
SLUICE_INLINE void flush(Out& o) {
  const u32 to = (u32)(u64)o.at & (kSliceBytes - 1);
  o.keep();
  store_slice(o, o.at - to, to);
}

// n <= 8 bytes of v, which has no more; the caller adds n.
SLUICE_INLINE void put(Out& o, u64 v, u64 n) {
  const u32 in_block = (u32)(u64)o.at & (kSliceBytes - 1);
  if (o.append(v, n) && (in_block | 7) == kSliceBytes - 1) store_slice(o, o.at - in_block, kSliceBytes);
}

// The same slice as a ring: what is full leaves behind each burst, all lanes at once (note [burst]).
struct BurstOut : SlicePlace {
  u8* done;  // a multiple of kUnitBytes; what lies before has left, at - done < kUnitBytes in front of a burst

  SLUICE_METHOD BurstOut& operator+=(u64 n) {
    at += n;
    return *this;
  }
};
constexpr u32 kBurstOut = kSliceBytes - kUnitBytes;
SLUICE_INLINE BurstOut burst_output(u8* at) {
  BurstOut o;
  o.open(at);
  o.done = o.at - ((u32)(u64)at & (kUnitBytes - 1));
  return o;
}
SLUICE_INLINE void settle(BurstOut& o) {
  SLUICE_ROLLED
  while ((u32)(o.at - o.done) >= kUnitBytes) {
    store_unit(o.done, o.unit(o.done), o.own);
    o.done += kUnitBytes;
  }
}
SLUICE_INLINE void put(BurstOut& o, u64 v, u64 n) { o.append(v, n); }
SLUICE_INLINE void flush(BurstOut& o) {
  settle(o);
  o.keep();
  const Unit u = o.unit(o.done);
  store_part(o.done, u.low, u.high, o.own > o.done ? (u32)(o.own - o.done) : 0, (u32)(o.at - o.done));
}
template <u32 Elem> SLUICE_INLINE void store(BurstOut& o, u64 v) { put(o, v & mask(8 * Elem), Elem); }
#endif
template <u32 Elem> SLUICE_INLINE void store(Out& o, u64 v) { put(o, v & mask(8 * Elem), Elem); }

// Tokens of a burst, of so many bytes in and out each.
constexpr __device__ u32 burst_tokens(u64 in, u64 out) {
  const u64 a = in ? kBurstBytes / in : kMaxBurst, b = out ? kBurstOut / out : kMaxBurst, n = a < b ? a : b;
  return (u32)(n < kMaxBurst ? n : kMaxBurst);
}

// Several puts, behind which `at` stands where it was: the caller adds n.
template <typename O, typename F> SLUICE_INLINE void put_all(O& o, u64 n, F&& next) {
  u8* const at = o.at;
  SLUICE_ROLLED
  for (u64 i = 0; i < n; i += 8) {
    const u32 k = n - i < 8 ? (u32)(n - i) : 8;
    put(o, next(i) & mask(8 * k), k);
    o.at += k;
  }
  o.at = at;
}
template <typename O, typename S> SLUICE_INLINE void move_short(O& o, S& src, Cursor c, u64 n) {
  put(o, load_le64(src, c) & mask(8 * n), n);
}
template <typename O, typename S> SLUICE_INLINE void literals(O& o, S& src, Cursor c, u64 n) {
  put_all(o, n, [&](u64 i) { return load_le64(src, c + (u32)i); });
}
template <typename O, typename S> SLUICE_INLINE void literals_short(O& o, S& src, Cursor c, u64 n) {
  literals(o, src, c, n);
}
template <typename O> SLUICE_INLINE void fill_wide(O& o, u64 v, u64 n) {
  put_all(o, n, [&](u64) { return (v & 0xff) * 0x0101010101010101ull; });
}
template <u32 Elem, typename O> SLUICE_INLINE void fill(O& o, u64 first, u64 by, u64 n) {
  u8* const at = o.at;
  SLUICE_ROLLED
  for (u64 i = 0; i < n; ++i, o.at += Elem) store<Elem>(o, first + i * by);
  o.at = at;
}

}  // namespace prim
