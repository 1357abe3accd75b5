#pragma once
// Moving bytes with all workers of a chunk. Every store stays inside [d, d + n) and every load inside the source: the
// buffers beside belong to others.

// The directive output_alignment: bytes of which every chunk's output starts at a multiple.
#ifndef SLUICE_OUTPUT_ALIGNMENT
#define SLUICE_OUTPUT_ALIGNMENT 1
#endif

namespace prim {

constexpr u32 kOutputAlignment = SLUICE_OUTPUT_ALIGNMENT;
// note [aligned output]: chunks that break the promise are refused before anything is written, and a stage's buffers
// keep it, too. So elements of the output are aligned to their size when kOutputAlignment is a multiple of that. More
// than an element a lane and store would not pay: runs are a few times 32 elements long, and finding a run's head and
// tail takes more instructions than there are stores to save.
template <u32 Elem> constexpr bool kAligned = kOutputAlignment % Elem == 0;

// One element at a multiple of its size, by the thread that calls.
template <u32 Elem> SLUICE_INLINE void store_aligned(u8* p, u64 v) {
  if (Elem == 1) *p = (u8)v;
  if (Elem == 2) *(u16*)p = (u16)v;
  if (Elem == 4) *(u32*)p = (u32)v;
  if (Elem == 8) *(u64*)p = v;
}
// One element of the output, by the thread that calls.
template <u32 Elem> SLUICE_INLINE void store_lane(u8* p, u64 v) {
  if (kAligned<Elem> || ((u64)p & (Elem - 1)) == 0) return store_aligned<Elem>(p, v);
  for (u32 i = 0; i < Elem; ++i) p[i] = (u8)(v >> (8 * i));
}
// One element of the output; all workers call with equal values.
template <u32 Elem> SLUICE_INLINE void store(u8* p, u64 v) {
  if (kAligned<Elem>) {
    if (worker() == 0) store_aligned<Elem>(p, v);
  } else if (worker() < Elem) {
    p[worker()] = (u8)(v >> (8 * worker()));
  }
}
// n <= 8 bytes of v, lowest first.
SLUICE_INLINE void put(u8* p, u64 v, u64 n) {
  if (worker() < n) p[worker()] = (u8)(v >> (8 * worker()));
}

// Where lanes guess where tokens begin (strategy `speculate`) a warp moves bytes for one token only where those lanes can't: then
// it is compiled once, whoever asks for it.
#ifdef SLUICE_GUESSES
#define SLUICE_SELDOM SLUICE_COLD
constexpr bool kGuesses = true;
#else
#define SLUICE_SELDOM SLUICE_INLINE
constexpr bool kGuesses = false;
#endif

// The aligned word that starts at `at`, which may stick out of [s, s + n).
SLUICE_SELDOM u32 edge_word(const u8* s, u64 n, const u8* at) {
  u32 v = 0;
  SLUICE_ROLLED
  for (u32 i = 0; i < 4; ++i)
    if (at + i >= s && at + i < s + n) v |= (u32)at[i] << (8 * i);
  return v;
}

// n bytes, no overlap. The target is aligned first; words of the source come by funnel shifts of aligned loads (CODAG,
// section IV-D, algorithm 2).
SLUICE_COLD void copy_words(u8* d, const u8* s, u64 n) {
#if SLUICE_WORKERS > 32
  if (n >= kManyBytes) return copy_many(d, s, n);  // wide_copy.h
#endif
  u64 head = (0 - (u64)d) & 3;
  if (head > n) head = n;
  if (worker() < head) d[worker()] = s[worker()];
  const u64 words = (n - head) >> 2;
  const u8* const from = s + head;
  const u32 shift = ((u32)(u64)from & 3) * 8;
  const u8* const aligned = from - (shift >> 3);
  SLUICE_ROLLED
  for (u64 i = worker(); i < words; i += kWorkers) {
    const u8* const at = aligned + 4 * i;
    u32 v;
    if (shift == 0) {
      v = *(const u32*)at;
    } else {
      const u32 low = at >= s ? *(const u32*)at : edge_word(s, n, at);
      const u32 high = at + 8 <= s + n ? *(const u32*)(at + 4) : edge_word(s, n, at + 4);
      v = __funnelshift_r(low, high, shift);
    }
    *(u32*)(d + head + 4 * i) = v;
  }
  const u64 done = head + 4 * words;
  if (worker() < n - done) d[done + worker()] = s[done + worker()];
}

SLUICE_SELDOM void copy_bytes(u8* d, const u8* s, u64 n) {
  if (SLUICE_LIKELY(n <= kWorkers)) {
    if (worker() < n) d[worker()] = s[worker()];
  } else {
    copy_words(d, s, n);
  }
}

// n bytes that repeat the `period` bytes before d, period < n: the circular window of algorithm 2. What is read lies
// before d, so no lane waits for another.
SLUICE_COLD void copy_periodic(u8* d, u32 period, u64 n) {
  const u8* const s = d - period;
  if (period == 1) {
    const u8 v = *s;
    SLUICE_ROLLED
    for (u64 i = worker(); i < n; i += kWorkers) d[i] = v;
    return;
  }
  u32 at = worker() % period;
  const u32 by = kWorkers % period;
  SLUICE_ROLLED
  for (u64 i = worker(); i < n; i += kWorkers) {
    d[i] = s[at];
    at += by;
    if (at >= period) at -= period;
  }
}

// A back-reference: n bytes from d - distance to d as if copied one by one.
SLUICE_SELDOM void copy_match(u8* d, u64 distance, u64 n) {
  sync();  // what it reads was written by other workers
  while (SLUICE_UNLIKELY(distance < n && distance >> 31 != 0)) {  // a period of gigabytes: one at a time
    copy_words(d, d - distance, distance);
    sync();
    d += distance;
    n -= distance;
  }
  if (SLUICE_LIKELY(distance >= n)) copy_bytes(d, d - distance, n);
  else copy_periodic(d, (u32)distance, n);
}

// Does a copy reach behind `window`? T holds the distance. Past 2^32 bytes of output the short form says yes too often,
// which the checked path then clears up.
template <typename T> SLUICE_INLINE bool too_far(u64 distance, const u8* out, const u8* window) {
  return (T)distance - 1 >= (T)(out - window);
}

// The last short copy of a fast loop, loaded and not yet stored: what it waits for comes while the next token is decoded.
struct PendingCopy {
  u8* to;
  u32 n;  // bytes, at most kWorkers
  u8 byte;
};
SLUICE_INLINE void flush(const PendingCopy& pending) {
  if (worker() < pending.n) pending.to[worker()] = pending.byte;
}
SLUICE_INLINE void copy_match(PendingCopy& pending, u8* d, u64 distance, u64 n) {
  flush(pending);
  sync();
  if (SLUICE_LIKELY(n <= kWorkers && distance >= n)) {
    pending.to = d;
    pending.n = (u32)n;
    if (worker() < n) pending.byte = (d - distance)[worker()];
    return;
  }
  pending.n = 0;
  copy_match(d, distance, n);
}

// n elements of the output: first, first + by, ...
template <u32 Elem> SLUICE_INLINE void fill(u8* d, u64 first, u64 by, u64 n) {
  SLUICE_ROLLED
  for (u64 i = worker(); i < n; i += kWorkers) store_lane<Elem>(d + Elem * i, first + i * by);
}

SLUICE_INLINE void fill_wide(u8* d, u64 v, u64 n) { fill<1>(d, v, 0, n); }

}  // namespace prim
