#pragma once
// Long parts of records, and which form a step takes (strategy `speculate`). What records and steps are: steps.h.
//   note [long parts]: whole steps of one part need no looking up. They are looked for while records with a long part are
//   at work, and are written a word a lane (copy_steps). Where there may be wide steps (wide_steps.h), those go first, and
//   both have a function of their own, which the warp leaves when what is known next is for neither.

namespace prim {

// n bytes of whole steps, to the start of a step, by so many warps, a word a lane at a time: those from `from` on, which lie a
// step of each or more in front of where they go. Or, with a period, less than that: what repeats so many bytes from `from`
// to `to`.
//   note [whole words]: words of four bytes are read that hold a byte asked for. What is asked for lies so that they are
//   of the same buffer.
template <u32 Warps> SLUICE_COLD void copy_steps(u8* to, const u8* from, u32 n, u32 period) {
  constexpr u32 kBytes = Warps * kLanes * 4;
  const u32 thread = Warps == 1 ? lane() : threadIdx.x;
  n = uniform(n);
  period = uniform(period);
  // Of several warps each sees what the others wrote: where they read none of that, they need not wait.
  const bool behind = Warps == 1 || (u64)to - (u64)from < n;
  to = global(to) + 4 * thread;
  from = global(from);
  if (period == 0) {
    const u32 shift = (u32)(u64)from % 4, second = shift == 0 ? 0 : 4;
    from = from - shift + 4 * thread;
    SLUICE_ROLLED
    for (u32 i = 0; i < n; i += kBytes) {
      *(u32*)(to + i) = __funnelshift_r(*(const u32*)(from + i), *(const u32*)(from + i + second), 8 * shift);
      if (Warps == 1) sync();  // the next step may read it
      else if (behind) __syncthreads();
    }
  } else {
    const u32 by = kBytes % period;
    u32 at = 4 * thread % period, bytes = 0;
    SLUICE_ROLLED
    for (u32 i = 0; i < n; i += kBytes) {
      if (i == 0 || by != 0) {
        bytes = 0;
        u32 next = at;
        SLUICE_UNROLLED
        for (u32 k = 0; k < 4; ++k) {
          bytes |= (u32)from[next] << 8 * k;
          next = next + 1 == period ? 0 : next + 1;
        }
        at = at + by < period ? at + by : at + by - period;
      }
      *(u32*)(to + i) = bytes;
    }
  }
  if (Warps == 1) sync();
  else __syncthreads();
}

// Writes whole steps from `done` on, the start of a step, if they are all of one part. `g`: Steps, or LongParts.
template <typename G> SLUICE_INLINE bool write_long(G& g) {
  StepRoom* const room = g.room;
  const u32 here = g.done / kLanes, begins = uniform(room->marks[here % kMarkWords] & 1);
  // Up to the next part. Of the last words more may become known meanwhile: note [writer].
  u32 n = (g.added - g.done) / kLanes * kLanes;
  const u32 words = n / kLanes < kMarkWords ? n / kLanes : kMarkWords;
  SLUICE_ROLLED
  for (u32 i = lane(); i < words; i += kLanes) {
    const u32 word = room->marks[(here + i) % kMarkWords] & (i == 0 ? ~1u : ~0u);
    const u32 next = kLanes * i + (u32)__ffs((i32)word) - 1;
    if (word != 0 && next < n) n = next;
  }
  n = __reduce_min_sync(kAll, n);
  const u32 entry = uniform(room->entries[g.begun + begins] + kLess), source = g.done - entry;
  const bool periodic = entry < kStepBytes, input = source >= kInput;
  // note [whole words]: where a word might stick out, it is for a step like all others.
  const u32 edge = input ? kInput : kDictionary ? g.window : g.lowest, left = g.in_end - source;
  if (input && left < n + 4) n = left < 4 ? 0 : left - 4;
  n = n / kStepBytes * kStepBytes;
  if (n == 0 || (!periodic && source - edge < kUnitBytes)) return false;
  copy_steps<1>(g.out + g.done, (input ? g.in : g.out) + source, n, periodic ? entry : 0);
  if (begins != 0) {
    if (lane() == 0) room->marks[here % kMarkWords] &= ~1u;
    g.begun = (g.begun + 1) % kEntries;
  }
  g.done += n;
  sync();
  return true;
}

// Long parts and wide steps from `done` on, as far as one follows the other. How far, and which entries are done with.
struct LongDone {
  u32 done, begun;
};
SLUICE_COLD LongDone write_long_and_wide(LongParts w, bool has_long, bool has_wide) {
  converge(w.room->stage);
  w.room = in_register(w.room);
  w.out = uniform(w.out);
  if (!kValues) w.in = uniform(w.in);
  w.done = uniform(w.done);
  w.added = uniform(w.added);
  w.begun = uniform(w.begun);
  w.lowest = w.window = uniform(w.lowest);
  if (!kValues) w.in_end = uniform(w.in_end);
  const u32 forms = uniform((has_long ? 1u : 0u) | (has_wide ? 2u : 0u));
  bool more = false;
  SLUICE_ROLLED
  do {
    if ((forms & 2) != 0) write_wide(w);
    more = kLongParts && (forms & 1) != 0 && w.added - w.done >= kStepBytes && write_long(w);
    if (kLongParts) converge(w.room->stage);  // note [convergent return]
  } while (more);
  return {w.done, w.begun};
}

// The same for steps. False: there are none.
SLUICE_INLINE bool write_long_parts(Steps& g) {
  const u32 lowest = kDictionary ? g.window : g.lowest;
  const LongDone to =
      write_long_and_wide({g.room, g.out, g.in, g.done, g.added, g.begun, lowest, lowest, g.in_end}, g.has_long, g.has_wide);
  converge(g.room->stage);
  const u32 done = uniform(to.done);
  if (done == g.done) return false;
  g.done = done;
  g.begun = uniform(to.begun);
  return true;
}

// Writes what is known: all whole steps of it, and what is less than a step only if nothing else is. Of the first and the
// last step of a run of records something lies outside. Or one step, of those that note [dictionary] is about, or while long
// parts are looked for.
SLUICE_INLINE void write_known(Steps& g) {
  const bool careful = kDictionary && g.done < g.careful;
  if (SLUICE_UNLIKELY(careful || g.done % kStepBytes != 0 || g.added - g.done < kStepBytes)) {
    write_some(g);
    return;
  }
  const bool looks = (kLongParts && g.has_long) || (kWide && g.has_wide);
  if (SLUICE_UNLIKELY(looks) && (kWide ? write_long_parts(g) : write_long(g))) return;
  const u32 least = looks ? ~0u : kStepBytes;
  SLUICE_ROLLED
  do write_step<true>(g, g.done, g.done + kStepBytes);
  while (g.added - g.done >= least);
}

}  // namespace prim
