#pragma once
// Whole-buffer stages and symbol tables for a warp: the names and results of ../stages.h. Every function is called by all
// workers of a chunk with equal arguments, and returns the same to all. What decides a result is looked at by every warp
// of a block before anything is changed; the work itself is the first warp's.
//
// Buffers are in global memory, aligned to 8 bytes, and whole words long: the last word may hold bytes that are no element.

namespace prim {

SLUICE_INLINE bool first_warp() { return worker() < kLanes; }

// ---- Output into a buffer ------------------------------------------------------------------------------------------

// Where output went before it was diverted.
struct Sink { u8* out; u64 produced, out_end, promised, window, dictionary_bytes; };

template <typename S> SLUICE_INLINE Sink divert(S& s, u8* buffer, u64 limit) {
  const Sink outer{s.out, s.produced, s.out_end, s.promised, s.window, s.dictionary_bytes};
  sync();  // the buffer's readers are done
  s.real_produced = s.produced;
  s.diverted = true;
  s.out = buffer;
  s.produced = s.window = s.dictionary_bytes = 0;
  s.out_end = s.promised = limit;
  return outer;
}
template <typename S> SLUICE_INLINE void restore(S& s, const Sink& outer) {
  sync();  // whoever reads the buffer now sees all of it
  s.diverted = false;
  s.out = outer.out;
  s.produced = outer.produced;
  s.out_end = outer.out_end;
  s.promised = outer.promised;
  s.window = outer.window;
  s.dictionary_bytes = outer.dictionary_bytes;
}

template <u32 Elem> SLUICE_INLINE u64 element(const u8* p, u64 i) {
  p += i * Elem;
  if (Elem == 1) return *p;
  if (Elem == 2) return *(const u16*)p;
  if (Elem == 4) return *(const u32*)p;
  return *(const u64*)p;
}

// Element i of a buffer, 0 past its count.
template <u32 Elem> SLUICE_INLINE u64 buffer_element(const u8* p, u64 count, u64 i) {
  return i < count ? element<Elem>(p, i) : 0;
}

// A buffer's elements in order, 32 at a time, one a lane; the words behind them are on their way.
template <u32 Elem>
struct Rows {
  static constexpr u32 kRows = Elem < 4 ? 4 / Elem : 1;  // that a word of each lane holds
  static constexpr u32 kUnit = Elem < 4 ? 4 : Elem;     // bytes of a lane's load
  const u8* p;
  u32 n;  // elements: a buffer's limit is 32 bits
  u64 word, next;

  SLUICE_METHOD u64 load(u32 base) const {
    const u32 i = base / kRows + lane();
    return i <= (n - 1) / kRows && n > 0 ? element<kUnit>(p, i) : 0;
  }
  SLUICE_METHOD Rows(const u8* buffer, u32 count) : p(buffer), n(count), word(0), next(load(0)) {}
  // Past all rows that the words on their way hold. base: a multiple of so many elements.
  SLUICE_METHOD void skip(u32 base) { next = load(base + kRows * kLanes); }
  // Element base + lane(), anything past the end. Called with base = 0, 32, 64, ...
  SLUICE_METHOD u64 row(u32 base) {
    const u32 r = base / kLanes % kRows;
    if (r == 0) {
      word = next;
      next = load(base + kRows * kLanes);
    }
    if (Elem >= 4) return word;
    const u32 at = r * kLanes + lane();  // of the elements in the lanes' words
    return shfl((u32)word, at / kRows) >> (8 * Elem * (at % kRows)) & (u32)mask(8 * Elem);
  }
};

// Bytes to any place: of the words that lanes have side by side the first n bytes. All lanes call it.
SLUICE_COLD void put_words(u8* to, u32 word, u32 n) {
  const u32 skew = (u32)(u64)to & 3, before = shfl(word, (lane() - 1) & (kLanes - 1));
  // What the lane stores: bytes [at, at + 4) of all, an aligned word. The first and the last such word are others', too.
  const u32 own = __funnelshift_l(lane() == 0 ? 0 : before, word, 8 * skew);
  const i32 at = (i32)(4 * lane()) - (i32)skew;
  if (at >= 0 && at + 4 <= (i32)n) {
    *(u32*)(to + at) = own;
  } else {
SLUICE_UNROLLED
    for (i32 b = 0; b < 4; ++b)
      if (at + b >= 0 && at + b < (i32)n) to[at + b] = (u8)(own >> (8 * b));
  }
  if (lane() == kLanes - 1) {  // what sticks out behind the last one
SLUICE_UNROLLED
    for (u32 b = 0; b < 3; ++b)
      if (b < skew && 4 * kLanes - skew + b < n) to[4 * kLanes - skew + b] = (u8)(word >> (8 * (4 - skew + b) & 31));
  }
  __syncwarp();  // note [convergent return]
}

// ---- Symbols: byte strings of 1..8 bytes (FSST) -------------------------------------------------------------------

// In shared memory.
template <u32 Count>
struct Symbols {
  u8 length[Count];  // 0: never read
  u64 text[Count];   // first byte lowest
};

// 1: no such symbol, 2: no room.
template <bool Write, u32 Count, typename S>
SLUICE_INLINE u32 emit_symbol(S& s, const Symbols<Count>& symbols, u64 index) {
  const u64 n = symbols.length[index];
  if (n == 0) return 1;
  if (s.out_end - s.produced < n) return 2;
  if (Write) put(s.out + s.produced, symbols.text[index], n);
  s.produced += n;
  return 0;
}

// ---- Prefix sum, frame of reference, gather ---------------------------------------------------------------------------

template <u32 Elem> SLUICE_COLD void prefix_sum(u8* p, u64 n, u64 sum) {
  constexpr u32 kRows = 4;  // of 32 elements; their scans don't wait for each other
  sync();
  if (first_warp()) {
    SLUICE_ROLLED
    for (u64 base = 0; base < n; base += kRows * kLanes) {
      u64 v[kRows];
SLUICE_UNROLLED
      for (u32 r = 0; r < kRows; ++r) {
        const u64 i = base + r * kLanes + lane();
        const u64 e = i < n ? element<Elem>(p, i) : 0;
        v[r] = Elem == 8 ? scan_add64(e) : scan_add((u32)e);  // modulo 2^32 is enough for what is stored in less
      }
SLUICE_UNROLLED
      for (u32 r = 0; r < kRows; ++r) {
        const u64 i = base + r * kLanes + lane();
        if (i < n) store_aligned<Elem>(p + i * Elem, sum + v[r]);
        sum += Elem == 8 ? shfl64(v[r], kLanes - 1) : shfl((u32)v[r], kLanes - 1);
      }
    }
  }
  sync();
}

template <u32 Elem> SLUICE_COLD void add_each(u8* p, u64 n, u64 value) {
  sync();
  SLUICE_ROLLED
  for (u64 i = worker(); i < n; i += kWorkers) store_aligned<Elem>(p + i * Elem, element<Elem>(p, i) + value);
  sync();
}

// Whether some of n elements is at least `size`.
template <u32 Elem> SLUICE_COLD bool any_at_least(const u8* p, u64 n, u64 size) {
  constexpr u32 kAhead = 8;
  bool found = false;
  SLUICE_ROLLED
  for (u64 base = lane(); base < n; base += kAhead * kLanes) {
    u64 v[kAhead];
SLUICE_UNROLLED
    for (u32 k = 0; k < kAhead; ++k) v[k] = base + k * kLanes < n ? element<Elem>(p, base + k * kLanes) : 0;
SLUICE_UNROLLED
    for (u32 k = 0; k < kAhead; ++k) found |= v[k] >= size && base + k * kLanes < n;
  }
  return ballot(found) != 0;
}

// 1: an index past the buffer gathered from.
template <u32 Elem> SLUICE_COLD u32 gather(u8* p, u64 n, const u8* from, u64 size) {
  sync();
  const bool bad = any_at_least<Elem>(p, n, size);
  sync();
  if (bad) return 1;
  SLUICE_ROLLED
  for (u64 i = worker(); i < n; i += kWorkers)
    store_aligned<Elem>(p + i * Elem, element<Elem>(from, element<Elem>(p, i)));
  sync();
  return 0;
}

// ---- A buffer to the output ---------------------------------------------------------------------------------------------

// 1: no room, and nothing is written.
template <bool Write, u32 Elem, typename S> SLUICE_INLINE u32 emit_all(S& s, const u8* p, u64 n) {
  if (n > s.out_end - s.produced) return 1;
  if (Write) {
    sync();
    copy_bytes(s.out + s.produced * Elem, p, n * Elem);
    sync();  // the buffer may be filled anew
  }
  s.produced += n;
  return 0;
}

// Which of 32 elements are counts: those that follow four equal ones. `equal`: which elements equal the one before;
// `run`: how many equal ones there were at the end of what came before, 0 behind a count, 4 in front of one. Changes
// `run` to what holds behind `live` elements. The loop runs once a count.
SLUICE_INLINE u32 find_counts(u32 equal, u32 live, u32& run) {
  u32 counts = 0;
  SLUICE_ROLLED
  for (u32 at = 0;;) {
    if (run == 4) {
      if (at == live) return counts;
      counts |= 1u << at++;
      run = 0;
    }
    if (at == live) return counts;
    // Bit k of each: of the element at + k, of the one before it, and of the one before that.
    const u32 rest = live - at, own = equal >> at & (run == 0 ? ~1u : ~0u);
    const u32 before = own << 1 | (run >= 2), earlier = before << 1 | (run == 3);
    const u32 fourth = own & before & earlier & ~0u >> (32 - rest);
    if (fourth == 0) {
      run = (own >> (rest - 1) & 1) == 0 ? 1 : (before >> (rest - 1) & 1) == 0 ? 2 : 3;
      return counts;
    }
    at += (u32)__ffs((int)fourth);
    run = 4;
  }
}

// The sum of `v` over the lanes, in every lane. v < 2^43.
SLUICE_INLINE u64 sum_lanes64(u64 v) {
  return ((u64)__reduce_add_sync(kAll, (u32)(v >> 16)) << 16) + __reduce_add_sync(kAll, (u32)v & 0xffff);
}

// A buffer of runs, row by row.
template <u32 Elem>
struct RunRows {
  Rows<Elem> rows;
  u64 value, before;  // this lane's element, and the one before
  u32 run;

  SLUICE_METHOD RunRows(const u8* p, u32 n) : rows(p, n), value(0), before(0), run(0) {}
  SLUICE_METHOD u64 from_lane(u64 v, u32 l) const { return Elem == 8 ? shfl64(v, l) : shfl((u32)v, l); }
  // Of bytes: whether there is no count among the next rows, as many as a word of each lane holds. Then they are behind us, and
  // `word` has them.
  SLUICE_METHOD bool plain(u32 base, u32& word) {
    word = rows.next;
    const u32 earlier = word << 8 | (from_before(word) >> 24), unlike = word ^ earlier;
    // The highest bit of each byte that equals the one before it. That may be a count: then a row that is plain may seem not to be.
    const u32 equal = ~((unlike & 0x7f7f7f7f) + 0x7f7f7f7f | unlike | 0x7f7f7f7f);
    const u32 below = shfl(equal, (lane() - 1) & (kLanes - 1));
    const u32 before_it = lane() != 0 ? below : (run >= 2 ? 0x80000000u : 0) | (run == 3 ? 0x800000u : 0);
    const u32 fourth = equal & (equal << 8 | before_it >> 24) & (equal << 16 | before_it >> 16);
    if (run == 4 || ballot(fourth != 0) != 0) return false;
    const u32 last = shfl(equal, kLanes - 1);
    run = last >> 31 == 0 ? 1 : (last >> 23 & 1) == 0 ? 2 : 3;
    value = word >> 24;
    rows.skip(base);
    return true;
  }
  // The word of the lane before, whose last element the row follows.
  SLUICE_METHOD u32 from_before(u32 word) const {
    const u32 below = shfl(word, (lane() - 1) & (kLanes - 1)), last = shfl((u32)value, kLanes - 1);
    return lane() == 0 ? last << 24 : below;
  }
  // Which lanes' elements are counts, `live` of them.
  SLUICE_METHOD u32 counts(u32 base, u32 live) {
    const u64 last = value;
    value = rows.row(base);
    before = from_lane(lane() == kLanes - 1 ? last : value, lane() - 1 & (kLanes - 1));
    return find_counts(ballot(value == before), live, run);
  }
};

// Runs: after 4 equal elements the next says how many more follow (bzip2's first stage).
// 1: no room, 2: the buffer ends where a count should stand; nothing is written then.
template <bool Write, u32 Elem, typename S> SLUICE_COLD u32 emit_runs(S& s, const u8* p, u64 count) {
  const u32 n = (u32)count;
  sync();
  u8* d = nullptr;  // where the row goes, once its place is known
  // The same rows twice, for the size and to write: one loop, since two of them would be twice as much to compile.
  SLUICE_ROLLED
  for (bool writing = false;; writing = true) {
    RunRows<Elem> runs(p, n);
    u64 more = 0;  // what this lane's counts say
    u32 counts = 0;
    SLUICE_ROLLED
    for (u32 base = 0, live; base < n; base += live) {
      constexpr u32 kPlain = 4 * kLanes;  // bytes
      u32 word;
      if (Elem == 1 && base % kPlain == 0 && n - base >= kPlain && runs.plain(base, word)) {
        live = kPlain;
        if (!writing) continue;
        put_words(d, word, kPlain);
        d += kPlain;
        continue;
      }
      live = n - base < kLanes ? n - base : kLanes;
      const u32 found = runs.counts(base, live);
      const bool counted = found >> lane() & 1;
      if (!writing) {
        counts += (u32)__popc(found);
        if (counted) more += runs.value & 0xff;
        continue;
      }
      // Where a lane's element goes: behind those of the lanes below that are no counts, and what the counts there make.
      u32 at = (u32)__popc(~found & lanes_below()), made = 0;
      SLUICE_ROLLED
      for (u32 left = found; left != 0; left &= left - 1) {
        const u32 from = (u32)__ffs((int)left) - 1, length = shfl((u32)runs.value, from) & 0xff;
        const u32 start = (u32)__popc(~found & ((1u << from) - 1)) + made;
        const u64 v = runs.from_lane(runs.before, from);
        SLUICE_ROLLED
        for (u32 k = lane(); k < length; k += kLanes) store_lane<Elem>(d + (u64)(start + k) * Elem, v);
        if (lane() > from) at += length;
        made += length;
      }
      if (lane() < live && !counted) store_lane<Elem>(d + (u64)at * Elem, runs.value);
      d += (u64)((u32)__popc(~found) + made) * Elem;
    }
    if (writing) break;
    if (runs.run == 4) return 2;
    const u64 size = n - counts + sum_lanes64(more);
    if (size > s.out_end - s.produced) return 1;
    if (Write) d = s.out + s.produced * Elem;
    s.produced += size;
    if (!Write || !first_warp()) break;
  }
  sync();
  return 0;
}

}  // namespace prim
