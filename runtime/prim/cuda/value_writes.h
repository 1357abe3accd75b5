#pragma once
// Values of records, written a step at a time: note [value records] of value_steps.h.
//   note [packed steps]: of a step of runs and simple lists, of elements of one or two bytes, lanes have four that follow each other and are
//   stored at once: a quarter of the stores, and less code a value. A list is simple where a value is a load or two from a place that is
//   known, and nothing is added to it. Of longer elements a lane has every 32nd: they are stored one by one in either way.

namespace prim {

// The sums of lists of sums, of an element a lane: `sum`, it is of one; `begins`, a part begins with it; `v`: what is added by it.
template <typename Out> SLUICE_INLINE void add_up(ValueStepsOf<Out>& g, bool sum, bool begins, Word& v) {
  Word all = sum ? v : 0;
  const u32 heads = ballot(begins) & (lanes_below() | 1u << lane());
  const u32 from = heads == 0 ? 0 : 31 - (u32)__clz((i32)heads);
  if (heads == 0 && lane() == 0) all += g.last;
  SLUICE_UNROLLED
  for (u32 d = 1; d < kLanes; d *= 2) {
    const Word before = __shfl_up_sync(kAll, all, d);
    if (lane() >= from + d) all += before;
  }
  if (sum) v = all;
  g.last = __shfl_sync(kAll, all, kLanes - 1);
}

// The element at position `at`, if it is to be another.
template <typename Out> SLUICE_INLINE void amend_value(const ValueStepsOf<Out>& g, u32 at, Word& v) {
  SLUICE_ROLLED
  for (u32 a = 0; a < g.amends; ++a) {
    const ValueAmend amend = g.room->amends[a];
    if (amend.at == at) v = amend.value;
  }
}

// What values are added to, of an element a lane. `list`: it is of one; `begins`: a part begins with it.
template <typename List, typename Out>
SLUICE_INLINE void add_start(ValueStepsOf<Out>& g, const ValueEntry& entry, u32 number, bool list, bool begins, Word& v) {
  const u32 from = (u32)(entry.step - kListStep);
  const bool sums = list && List::sums(from);
  if (list && List::added(from) && (begins || !sums)) v += entry.start(g.room->starts, number);
  if constexpr (List::kSums) {
    if (ballot(sums) != 0) add_up(g, sums, begins, v);
  }
}

// Amends of elements up to `end`, where a step has just been written. A sink has been handed amended ones.
template <typename Out> SLUICE_INLINE void write_amends(ValueStepsOf<Out>& g, u32 end) {
  sync();
  const bool mine = lane() < g.amends;
  const ValueAmend amend = mine ? g.room->amends[lane()] : ValueAmend{0, 0};
  const bool now = mine && amend.at < end;
  if constexpr (!StepsTo<Out>::Type::kSink) {
    if (now) store_aligned<kElement>(g.out + (u64)amend.at * kElement, amend.value);
  }
  const u32 kept = ballot(mine && !now);
  sync();
  if (mine && !now) g.room->amends[__popc(kept & lanes_below())] = amend;
  g.amends = __popc(kept);
}

// The step that starts at `block`; and it is written up to `end`, with `parts` that begin behind what was written before. Of its marks
// those are taken away that are known: where it is not all of it, the others have yet to be set.
template <typename Out> SLUICE_INLINE ValueStepMarks* step_at(const ValueStepsOf<Out>& g, u32 block) {
  return g.room->steps + block / kStepValues % (kValueMarks / kStepValues);
}
template <typename Out> SLUICE_INLINE void close_step(ValueStepsOf<Out>& g, ValueStepMarks* step, u32 parts, u32 end) {
  sync();
  if (lane() == 0) *step = {{0, 0, 0, 0}};
  g.begun = (g.begun + parts) % kValueEntries;
  g.done = end;
  sync();
}

// Which of a step's elements are written now.
struct StepPiece {
  u32 known, until;  // from the step's first one on
  SLUICE_METHOD bool whole() const { return until - known == kStepValues; }
  SLUICE_METHOD bool has(u32 k) const { return k - known < until - known; }
  SLUICE_METHOD bool holds(u32 t) const { return has(kLanes * t + lane()); }  // this lane's t-th, of those it has every 32nd
};

// A lane's elements, stored at once; `to` is a multiple of what they have in bytes.
SLUICE_INLINE void store_four(u8* to, const u32 (&v)[4]) {
  if constexpr (kElement == 1) *(u32*)to = __byte_perm(__byte_perm(v[0], v[1], 0x0040), __byte_perm(v[2], v[3], 0x0040), 0x5410);
  else *(u64*)to = (u64)__byte_perm(v[2], v[3], 0x5410) << 32 | __byte_perm(v[0], v[1], 0x5410);
}

// Writes up to `end`, from `done` on, of the step that starts at `block`: note [packed steps]. Runs: all of it, which is of runs alone.
template <bool Runs, typename List, typename Out>
SLUICE_INLINE void write_packed(ValueStepsOf<Out>& g, const ValueTile& tile, u32 block, u32 end) {
  ValueStepRoom* const room = g.room;
  ValueStepMarks* const step = step_at(g, block);
  const ValueStepMarks marks = *step;
  u8* const out = global(held(g.out + (u64)block * kElement));
  const u32 a = __popc(marks.word[0]), b = a + __popc(marks.word[1]), c = b + __popc(marks.word[2]);
  const u32 k = 4 * lane(), in = k / kLanes, bit = k % kLanes;
  const u32 word = in < 2 ? in < 1 ? marks.word[0] : marks.word[1] : in < 3 ? marks.word[2] : marks.word[3];
  // Of a lane's first element, times 8, which is what an entry has in bytes; and of each whether a part begins with it.
  static_assert(!kPacks || sizeof(ValueEntry) == 8, "a number and a place are the same");
  u32 number = (g.begun + (in < 2 ? in < 1 ? 0 : a : in < 3 ? b : c) + __popc(word & ((1u << bit) - 1))) * 8;
  const u32 begins = word >> bit;
  const StepPiece piece = {g.done - block, end - block};
  ValueEntry entry[4];
  u32 v[4];
  bool lists = false;
  SLUICE_UNROLLED
  for (u32 i = 0; i < 4; ++i) {
    number += (begins & 1u << i) * (8 >> i);
    entry[i] = room->entries[number / 8 % kValueEntries];
    v[i] = (u32)entry[i].base + (u32)entry[i].step * (block + k + i);
    lists = lists || entry[i].step >= kListStep;
  }
  if (!Runs && (List::kOften || ballot(lists) != 0)) {
    SLUICE_UNROLLED
    for (u32 i = 0; i < 4; ++i) {
      const bool list = entry[i].step >= kListStep && piece.has(k + i);
      if (list) v[i] = List::simple_value(tile, entry[i].list(), block + k + i, (u32)(entry[i].step - kListStep));
    }
  }
  if (Runs || piece.whole()) {
    store_four(out + k * kElement, v);
  } else {
    SLUICE_UNROLLED
    for (u32 i = 0; i < 4; ++i)
      if (piece.has(k + i)) store_aligned<kElement>(out + (k + i) * kElement, v[i]);
  }
  close_step(g, step, c + __popc(marks.word[3]), end);
}

// The values of a step's lists; of Added ones with what is added to them. Bit i of a word of marks says that a part begins there.
template <bool Added, typename List, typename Out>
SLUICE_INLINE void read_values(ValueStepsOf<Out>& g, const ValueTile& tile, u32 block, StepPiece piece, const ValueEntry (&entry)[kTimes],
                               const u32 (&numbers)[kTimes], const ValueStepMarks& marks, Word (&v)[kTimes]) {
  SLUICE_UNROLLED
  for (u32 t = 0; t < kTimes; ++t) {
    const bool list = piece.holds(t) && entry[t].step >= kListStep;
    if (list) v[t] = (Word)List::template value<Added>(tile, entry[t].list(), block + kLanes * t + lane(), (u32)(entry[t].step - kListStep));
    if constexpr (Added) add_start<List>(g, entry[t], numbers[t], list, (marks.word[t] >> lane() & 1) != 0, v[t]);
  }
}

// Of a run, the value at that position, which has 31 bits.
SLUICE_INLINE Word run_value(const ValueEntry& entry, u32 at) { return entry.base + (Word)((i64)entry.step * (i32)at); }

// Writes up to `end`, from `done` on, of the step that starts at `block`. Runs: all of it, which is of runs alone.
template <bool Runs, typename List, typename Out>
SLUICE_INLINE void write_values(ValueStepsOf<Out>& g, const ValueTile& tile, u32 block, u32 end) {
  ValueStepRoom* const room = g.room;
  ValueStepMarks* const step = step_at(g, block);
  const ValueStepMarks marks = *step;
  const StepPiece piece = {g.done - block, end - block};
  typename StepsTo<Out>::Type place(g.out + (u64)block * kElement);
  const Out out = place.out;
  ValueEntry entry[kTimes];
  Word v[kTimes];
  u32 numbers[kTimes], all = 0;
  bool lists = false;
  SLUICE_UNROLLED
  for (u32 t = 0; t < kTimes; ++t) {
    numbers[t] = (g.begun + all + __popc(marks.word[t] & (lanes_below() | 1u << lane()))) % kValueEntries;
    all += __popc(marks.word[t]);
    entry[t] = room->entries[numbers[t]];
    v[t] = run_value(entry[t], block + kLanes * t + lane());
    lists = lists || entry[t].step >= kListStep;
  }
  if (!Runs && ballot(lists) != 0) {
    if constexpr (List::kSums || List::kArrays) {
      bool added = false;
      SLUICE_UNROLLED
      for (u32 t = 0; t < kTimes; ++t) added = added || (entry[t].step >= kListStep && List::added((u32)(entry[t].step - kListStep)));
      if (ballot(added) == 0) read_values<false, List>(g, tile, block, piece, entry, numbers, marks, v);
      else read_values<true, List>(g, tile, block, piece, entry, numbers, marks, v);
    } else {
      read_values<false, List>(g, tile, block, piece, entry, numbers, marks, v);
    }
  }
  if constexpr (StepsTo<Out>::Type::kSink) {
    SLUICE_UNROLLED
    for (u32 t = 0; t < kTimes; ++t) {
      const u32 k = kLanes * t + lane();
      if (List::kArrays && g.amends != 0) amend_value(g, block + k, v[t]);
      if (piece.holds(t)) store_lane<kElement>(out + (u64)(k + (g.kRuns ? room->offsets[numbers[t]] : 0)) * kElement, v[t]);
    }
  } else if (Runs || piece.whole()) {
    SLUICE_UNROLLED
    for (u32 t = 0; t < kTimes; ++t) store_aligned<kElement>(out + (kLanes * t + lane()) * kElement, v[t]);
  } else {
    SLUICE_UNROLLED
    for (u32 t = 0; t < kTimes; ++t)
      if (piece.holds(t)) store_aligned<kElement>(out + (kLanes * t + lane()) * kElement, v[t]);
  }
  place.done(g.out);
  if constexpr (List::kArrays && !Runs) {
    if (g.amends != 0) write_amends(g, end);
  }
  close_step(g, step, all, end);
}

// Likewise, of steps that could be packed but for lists that are not simple: these are few, and one element of a lane at a time is a quarter of the code.
template <typename List, typename Out> SLUICE_INLINE void write_slowly(ValueStepsOf<Out>& g, const ValueTile& tile, u32 block, u32 end) {
  constexpr bool kMayAdd = List::kSums || List::kArrays;
  ValueStepRoom* const room = g.room;
  ValueStepMarks* const step = step_at(g, block);
  u8* const out = g.out + (u64)block * kElement;
  const StepPiece piece = {g.done - block, end - block};
  u32 all = 0;
  SLUICE_ROLLED
  for (u32 t = 0; t < kTimes; ++t) {
    const u32 word = step->word[t], k = kLanes * t + lane();
    const u32 number = (g.begun + all + __popc(word & (lanes_below() | 1u << lane()))) % kValueEntries;
    all += __popc(word);
    const ValueEntry entry = room->entries[number];
    Word v = run_value(entry, block + k);
    const bool list = piece.holds(t) && entry.step >= kListStep;
    if (list) v = (Word)List::template value<kMayAdd>(tile, entry.list(), block + k, (u32)(entry.step - kListStep));
    if constexpr (kMayAdd) add_start<List>(g, entry, number, list, (word >> lane() & 1) != 0, v);
    if (piece.holds(t)) store_aligned<kElement>(out + k * kElement, v);
  }
  if constexpr (List::kArrays) {
    if (g.amends != 0) write_amends(g, end);
  }
  close_step(g, step, all, end);
}

// Writes all whole steps that are known, one at least, and with `all` what is less than a step, too.
template <typename List, typename Out> SLUICE_INLINE void write_known_values(ValueStepsOf<Out>& g, const ValueTile& tile, bool all) {
  const u32 least = all ? 1 : kStepValues;
  SLUICE_ROLLED
  do {
    const u32 block = g.done / kStepValues * kStepValues;
    const bool ends = g.added - block >= kStepValues;
    const u32 end = ends ? block + kStepValues : g.added;
    if constexpr (StepsTo<Out>::Type::kSink) {
      write_values<false, List>(g, tile, block, end);
    } else if (g.listed <= g.done && g.done == block && ends) {
      SLUICE_ROLLED
      do {
        if constexpr (kPacks) write_packed<true, List>(g, tile, g.done, g.done + kStepValues);
        else write_values<true, List>(g, tile, g.done, g.done + kStepValues);
      } while (g.added - g.done >= kStepValues);
    } else if constexpr (kPacks) {
      if (g.slow <= g.done) write_packed<false, List>(g, tile, block, end);
      else write_slowly<List>(g, tile, block, end);
    } else {
      write_values<false, List>(g, tile, block, end);
    }
  } while (g.added - g.done >= least);
}

}  // namespace prim
