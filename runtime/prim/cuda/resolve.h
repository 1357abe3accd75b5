#pragma once
// Copies of a fast loop collected, a lane each, and done many at a time (Gompresso, section IV). Tokens are read as ever
// and literals written at once, so what is missing of the output while a batch grows are the targets of its copies.
//   note [batch]: every lane sees every copy as it comes, `first` is the first target of the batch, all below it is
//   written once the lanes have met in a sync(). Lane k holds copy k; targets follow each other without overlap.
// Take the place of PendingCopy (copy.h), with the same calls.

namespace prim {

enum class Resolve : u32 {
  Sequential,   // one copy after the other, by its lane alone, while the others wait: the paper's baseline
  Rounds,       // in each round all copies whose source lies below the first target that is still missing
  Independent,  // all at once: a copy that reads what the batch is to write ends the batch before it
  Together,     // as Rounds, and the bytes of a round are dealt out to the lanes (parts.h)
};

// Bytes that a lane copies by itself. The others would wait for a longer copy; all lanes do it together instead.
constexpr u32 kMaxPerThread = 64;
constexpr u32 kStepAlone = 8;  // loads of one lane that are on their way together

// This lane's copy of this batch.
template <Resolve R> struct Batch {
  static_assert(kWorkers == kLanes, "a warp's lanes hold a batch");
  u8* to;
  const u8* from;
  u32 n;
  // Equal in all lanes.
  const u8* first;
  u32 count;
};

// n bytes from `s`, which lies before d, to d by the lane that calls, as if one by one.
SLUICE_INLINE void copy_alone(u8* d, const u8* s, u32 n) {
  const u64 distance = (u64)(d - s);
  if (SLUICE_LIKELY(distance >= kStepAlone || distance >= n)) {
    SLUICE_ROLLED
    for (u32 i = 0; i < n; i += kStepAlone) {
      u8 v[kStepAlone];
      for (u32 k = 0; k < kStepAlone; ++k) v[k] = i + k < n ? s[i + k] : 0;
      for (u32 k = 0; k < kStepAlone; ++k)
        if (i + k < n) d[i + k] = v[k];
    }
    return;
  }
  u32 at = 0;  // what repeats lies before d: no load waits for a store
  SLUICE_ROLLED
  for (u32 i = 0; i < n; ++i) {
    d[i] = s[at];
    if (++at == distance) at = 0;
  }
}

// The first byte that a copy does not read of what stands before it: its target, when it overlaps that.
SLUICE_INLINE const u8* source_end(const u8* to, const u8* from, u64 n) {
  return (u64)(to - from) >= n ? from + n : to;
}

// Does the batch of `count` copies, of which this lane holds one. Behind it the lanes see what all have written.
template <Resolve R> SLUICE_COLD void resolve(u8* to, const u8* from, u32 n, u32 count) {
  bool missing = lane() < count;
  sync();
  if (R == Resolve::Sequential) {
    SLUICE_ROLLED
    for (u32 k = 0; k < count; ++k) {
      if (lane() == k) copy_alone(to, from, n);
      sync();
    }
  } else if (R == Resolve::Independent) {
    if (missing) copy_alone(to, from, n);
    sync();
  } else {
    const u8* const end = source_end(to, from, n);
    u32 left = ballot(missing);
    SLUICE_ROLLED
    while (left) {  // the first one left can always be done
      const u8* const mark = (const u8*)shfl64((u64)to, (u32)__ffs((i32)left) - 1);  // the paper's high-water mark
      if (missing && end <= mark) {
        copy_alone(to, from, n);
        missing = false;
      }
      left = ballot(missing);
      sync();
    }
  }
}

template <Resolve R> SLUICE_INLINE void flush(Batch<R>& batch) {
  if (batch.count) resolve<R>(batch.to, batch.from, batch.n, batch.count);
  batch.count = 0;
}

template <Resolve R> SLUICE_INLINE void copy_match(Batch<R>& batch, u8* d, u64 distance, u64 n) {
  const u8* const s = d - distance;
  const bool depends = batch.count && source_end(d, s, n) > batch.first;
  const bool per_thread = SLUICE_LIKELY(n <= kMaxPerThread);
  if (depends && (R == Resolve::Independent || !per_thread)) flush(batch);
  if (!per_thread) {  // note [batch]: what it reads is written, and no copy of the batch waits for it in vain
    copy_match(d, distance, n);
    return;
  }
  if (batch.count == 0) batch.first = d;
  if (lane() == batch.count) {
    batch.to = d;
    batch.from = s;
    batch.n = (u32)n;
  }
  if (++batch.count == kLanes) flush(batch);
}

}  // namespace prim
