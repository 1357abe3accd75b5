#pragma once
// Records of tokens, taken up: they become marks and entries of the step engine (strategy `speculate`). What these are: steps.h.
//   note [tokens a lane]: a lane's tokens follow each other. Sums, votes and what else a batch costs are then paid once for all of
//   them; which tokens are taken up, and which one is refused, is the same as if they came 32 at a time.
//   note [held]: of a first token by itself the copy may be held back, which is `held` bytes long: it is looked at, and is not taken
//   up. Later it is, by itself and as no token: then lane 0 has a record without literals, and `behind` is its distance. All in
//   one place, for a second one would be as much code, which is seldom run and lies between what is often.

namespace prim {

// The batch of records that is taken up, N a lane.
template <u32 N, typename Own> struct RecordBatch {
  u32 through[N];         // its output up to each token's end
  u32 first[N], copy[N];  // where its parts begin
  u32 taken, made;        // tokens, and their output
};

// The first token that is not sound, or does not fit, and those behind it are not taken up: they become empty. Is it not sound?
// `left` and `held`: as add_records() has them. `late`: what there is to say of this lane's.
template <bool Write, u32 N, typename Own>
SLUICE_INLINE bool cut_batch(const Steps& g, RecordBatch<N, Own>& b, Own (&r)[N], u32 left, bool late, u32 held) {
  bool bad[N], refused = false;
  SLUICE_UNROLLED
  for (u32 i = 0; i < N; ++i) {
    const u32 copied = r[i].length + (lane() == 0 ? held : 0);
    bad[i] = !(late & (copied < kMaxLength) & (g.added + b.through[i] + held <= g.limit) &
               ((copied == 0) | (r[i].distance - 1 < b.copy[i] - g.lowest)));
    const u32 last = r[i].length != 0 ? b.copy[i] : b.first[i];  // part
    const bool fits = !Write || last < g.done / kStepBytes * kStepBytes + kMarks;
    const u32 ok = N * leading(!bad[i] & fits) + i;
    b.taken = ok < b.taken ? ok : b.taken;
  }
  b.made = 0;
  SLUICE_UNROLLED
  for (u32 i = 0; i < N; ++i) {
    const u32 number = N * lane() + i;
    refused |= number == b.taken && bad[i];
    if (number < b.taken) b.made = b.through[i];
    else r[i].literals = r[i].length = 0;
  }
  b.made = uniform(b.made);
  return ballot(refused && b.taken < left) != 0;
}

// Marks where a part begins, without a branch at which lanes would part.
SLUICE_INLINE void mark_part(StepRoom* room, u32 position, bool there) {
  u32* const word = &room->marks[position / kLanes % kMarkWords];
  const u32 bit = 1u << position % kLanes;
#if defined(__CUDA_ARCH__)
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p red.shared.or.b32 [%0], %1; }" ::"r"((u32)__cvta_generic_to_shared(word)),
               "r"(bit), "r"(there ? 1u : 0u)
               : "memory");
#else
  if (there) atomicOr(word, bit);
#endif
}

// The marks and entries of a batch. How many parts it has.
template <u32 N, typename Tokens, typename Own> SLUICE_INLINE u32 put_parts(Steps& g, const Tokens&, const RecordBatch<N, Own>& b, const Own (&r)[N]) {
  bool copies[N], longest = false;  // has it a copy that is a part of its own?
  u32 value[N];                     // a copy's entry
  SLUICE_UNROLLED
  for (u32 i = 0; i < N; ++i) {
    copies[i] = r[i].length != 0;
    value[i] = r[i].distance - kLess;
    longest |= r[i].length == kLongestCopy;
  }
  if (kJoins && ballot(longest) != 0) {
    u32 ends[N];
    SLUICE_UNROLLED
    for (u32 i = 0; i < N; ++i) ends[i] = r[i].length != 0 ? value[i] : ~0u;
    u32 before = __shfl_up_sync(kAll, ends[N - 1], 1);
    if (lane() == 0) before = g.room->entries[(g.filled - 1) % kEntries];
    SLUICE_UNROLLED
    for (u32 i = 0; i < N; ++i) {
      copies[i] = copies[i] && !(r[i].literals == 0 && ends[i] == before);
      before = ends[i];
    }
  }
  constexpr u32 kMost = Tokens::kOnePart ? 1 : 2, kAll = N * kMost;  // parts of a token, and of a lane's tokens
  bool has[kAll];
  u32 at[kAll], entry[kAll], number[kAll];
  SLUICE_UNROLLED
  for (u32 i = 0; i < N; ++i) {
    const bool literals = r[i].literals != 0;
    const u32 k = kMost * i, literal = kValues ? kValue | r[i].from : b.first[i] - (kInput + r[i].from);
    has[k] = literals || (kMost == 1 && copies[i]);
    at[k] = b.first[i];
    entry[k] = literals || kMost != 1 ? literal : value[i];
    if (kMost != 1) {
      has[kAll - 1 - (N - 1 - i) * kMost] = copies[i];
      at[kAll - 1 - (N - 1 - i) * kMost] = b.copy[i];
      entry[kAll - 1 - (N - 1 - i) * kMost] = value[i];
    }
  }
  u32 parts = 0;
  if (Tokens::kEachPart && !kJoins) {  // each token is one
    parts = b.taken;
    SLUICE_UNROLLED
    for (u32 k = 0; k < kAll; ++k) number[k] = g.filled + N * lane() + k;
  } else {
    u32 next = g.filled;
    SLUICE_UNROLLED
    for (u32 k = 0; k < kAll; ++k) {
      const u32 with = ballot(has[k]);
      next += __popc(with & lanes_below());
      parts += __popc(with);
    }
    SLUICE_UNROLLED
    for (u32 k = 0; k < kAll; ++k) {
      number[k] = next;
      next += has[k] ? 1 : 0;
    }
  }
  SLUICE_UNROLLED
  for (u32 k = 0; k < kAll; ++k) {
    mark_part(g.room, at[k], has[k]);
    if (has[k]) g.room->entries[number[k] % kEntries] = (Entry)entry[k];
  }
  // The first ones stand there twice.
  if (g.filled < kStepBytes || g.filled + parts > kEntries) {
    SLUICE_UNROLLED
    for (u32 k = 0; k < kAll; ++k)
      if (has[k] && number[k] % kEntries < kStepBytes) g.room->entries[kEntries + number[k] % kEntries] = (Entry)entry[k];
  }
  return parts;
}

// Is a batch of one period? Then it is written at once, behind what is known: note [periods]. All of it is sound, and has room.
template <u32 N, typename Own> SLUICE_INLINE bool write_periodic(Steps& g, const RecordBatch<N, Own>& b, const Own& r) {
  const bool mine = lane() < b.taken;
  if (ballot(mine && r.distance - 1 >= kLongestPeriod) != 0) return false;  // of most data none is
  const u32 period = shfl(r.distance, 0);
  const bool is_output = !kDictionary || period <= b.copy[0] - g.window;
  const bool one = r.literals <= period && r.literals + r.length >= kWideUnit && r.distance == period && is_output;
  if ((period & (period - 1)) != 0 || ballot(mine && !one) != 0) return false;
  SLUICE_ROLLED
  while (g.done != g.added) write_some(g);
  write_periods({g.out, period, kDictionary ? g.window : g.lowest, b.taken, b.first[0], g.added + b.through[0], r.literals, g.in + (kInput + r.from)});
  converge(g.room->stage);
  return true;
}

// Takes up records of the first `left` tokens, N a lane: where there are no more, they are empty. How many; `refused`: the next one
// is not sound, or not for this engine. `held`, `behind`: note [held].
template <bool Write, typename Tokens, u32 N>
SLUICE_INLINE u32 add_records(Steps& g, Tokens& tokens, u32 left, typename Tokens::Own (&r)[N], bool& refused, u32 held = 0, u32 behind = 0) {
  static_assert(N == 1 || !Tokens::kLate, "a lane's tokens do not wait for each other");
  RecordBatch<N, typename Tokens::Own> b;
  u32 sum = 0;
  SLUICE_UNROLLED
  for (u32 i = 0; i < N; ++i) b.through[i] = sum += r[i].literals + r[i].length;
  const u32 before = scan_add(sum) - sum;
  bool bad = false;
  // Without branches, at which lanes would part and be brought together again.
  SLUICE_UNROLLED
  for (u32 i = 0; i < N; ++i) {
    b.through[i] += before;
    b.copy[i] = g.added + b.through[i] - r[i].length;
    b.first[i] = b.copy[i] - r[i].literals;
  }
  const Late<Tokens> late(tokens, behind == 0 && lane() < left, r[0], b.first[0]);
  if (behind != 0) r[0].distance = behind;
  const bool sound = late.sound | (behind != 0);
  SLUICE_UNROLLED
  for (u32 i = 0; i < N; ++i) {
    const u32 copied = r[i].length + (lane() == 0 ? held : 0);
    bad |= (copied >= kMaxLength) | ((copied != 0) & (r[i].distance - 1 >= b.copy[i] - g.lowest));
  }
  b.taken = uniform(left < N * kLanes ? left : N * kLanes);
  b.made = uniform(b.through[N - 1]);
  const u32 end = g.added + b.made + held, room = g.done / kStepBytes * kStepBytes + kMarks;
  refused = false;
  bool written = false;
  if constexpr (Write && kPeriods && N == 1)
    written = held == 0 && behind == 0 && ballot(bad | !sound | (end > g.limit)) == 0 && write_periodic(g, b, r[0]);
  if (!written && SLUICE_UNLIKELY(ballot(bad | !sound | (end > g.limit) | (Write && end > room)) != 0))
    refused = cut_batch<Write>(g, b, r, left, sound, held);
  if (Write && !written) {
    const u32 parts = put_parts(g, tokens, b, r);
    g.filled = (g.filled + parts) % kEntries;
    bool has_long = false, reaches = false;
    SLUICE_UNROLLED
    for (u32 i = 0; i < N; ++i) {
      const bool copied = r[i].length != 0, output = !kDictionary || r[i].distance <= b.copy[i] - g.window;
      reaches |= copied && !output;
      if (copied && output && r[i].distance > kFar) ask_for(g.out + (b.copy[i] - r[i].distance));
      has_long |= (r[i].literals | r[i].length) >= kLongPart;
    }
    if (kDictionary && ballot(reaches) != 0) g.careful = g.added + b.made;
    if (kLongParts) g.has_long = (kWriter & g.has_long) | (ballot(has_long) != 0);
    if (kWide) g.has_wide = (kWriter && g.has_wide) || b.made >= kWideParts * parts;
  }
  g.blocked = b.taken == 0;
  g.added += b.made;
  if (b.taken != 0 && behind == 0) late.give_back(tokens, b.taken - 1);
  if (!Write || written) g.done = g.added;
  sync();
  return b.taken;
}

}  // namespace prim
