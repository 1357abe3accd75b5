#pragma once
// Output from records of values, kStepValues elements at a time (strategy `speculate`).
//   note [value records]: a record is elements `value`, `value + step`, ...; or so many values of a list that stands in the
//   tile. Where one begins a bit is set in a ring over positions, which count elements, and an entry tells what an element
//   follows from: of a run base + step * position, of a list base + position is the value's number. A lane has a few
//   elements that follow each other: it counts bits up to each of them, fetches the entry, and stores them together.
//   note [values in tiles]: values of a list are read when they are written, so a tile is kept until then.
//   note [small steps]: a run's step has 31 bits with its sign; what has more is the checked path's. The others say that an
//   entry is of a list, and where that begins in the tile.

namespace prim {

// What a token does.
constexpr u32 kRunOfValues = ~0u;
struct ValueRecord {
  u32 count;  // elements
  u32 from;   // of a list: where in the tile; kRunOfValues: they are value, value + step, ...
  u64 value;
  i32 step;

  SLUICE_METHOD void operator+=(u64) {}  // its end in the output is nobody's business here
};

template <bool Wide> struct ValueWord {
  typedef u32 Of;
};
template <> struct ValueWord<true> {
  typedef u64 Of;
};
typedef ValueWord<(kElement > 4)>::Of Word;  // holds an element

struct alignas(2 * sizeof(Word)) ValueEntry {
  Word base;
  i32 step;
};
constexpr i32 kListStep = 1 << 30;  // of a list, and where it begins
static_assert(kValueRoom < kListStep && (u64)64 << 14 < (u64)kListStep, "it has room for that, and for places of bits and how many");

constexpr u32 kStepValues = 128;
constexpr u32 kTogether = kElement == 8 ? 2 : 4;  // elements that a lane stores at once
constexpr u32 kTimes = kStepValues / (kLanes * kTogether);
constexpr u32 kValueMarkWords = 64, kValueMarks = kLanes * kValueMarkWords, kValueEntries = 256;
constexpr u32 kMaxValues = 1u << 23;     // of a token: longer ones are the checked path's
constexpr u32 kMostValues = 1u << 28;    // from then on no more tokens are found, at twice that no record is taken up
static_assert(kStepValues == 4 * kLanes, "four mark words a step");
static_assert(kStepValues + 1 + kLanes <= kValueEntries, "entries that are not done, and those of a batch");
static_assert(2 * kStepValues <= kValueMarks, "a record is taken up while less than a step is to be done: the first one can be");
static_assert(2ull * kMostValues + kLanes * (u64)kMaxValues + 2 * kStepValues < 1ull << 31, "positions");

struct alignas(kUnitBytes) ValueStepMarks {
  u32 word[kStepValues / kLanes];
};
struct ValueStepRoom {
  union {
    ValueStepMarks steps[kValueMarks / kStepValues];
    u32 marks[kValueMarkWords];
  };
  ValueEntry entries[kValueEntries];
};
__shared__ ValueStepRoom value_step_rooms[SLUICE_WARPS];

// Where output goes and what it is made of. Equal in all lanes.
struct ValueSteps {
  ValueStepRoom* room;
  u8* out;     // position 0: a multiple of what a step has in bytes
  u32 first;   // where it began
  u32 limit;   // position behind the room
  u32 done;    // output up to here is written
  u32 added;   // records are known up to here
  u32 listed;  // up to here there may be values of the tile's lists
  u32 begun;   // entries of parts that begin before `done`, modulo kValueEntries
  u32 filled;  // entries there are, likewise

  template <bool Write, typename S> SLUICE_METHOD void open(const S& s) {
    room = in_register(&value_step_rooms[SLUICE_WARPS == 1 ? 0 : threadIdx.x / kLanes]);
    u8* const to = Write ? uniform(s.out + s.produced * kElement) : nullptr;
    first = (u32)((u64)to / kElement % kStepValues);
    out = Write ? global(to) - (u64)first * kElement : nullptr;
    const u64 left = s.out_end - s.produced;
    limit = uniform(first + (left < 2 * kMostValues ? (u32)left : 2 * kMostValues));
    done = added = listed = first;
    begun = 0;
    filled = 1;
    sync();
    if (Write) {
      SLUICE_ROLLED
      for (u32 i = lane(); i < kValueMarkWords; i += kLanes) room->marks[i] = 0;
      if (lane() == 0) room->entries[0] = {0, 0};  // in front of the first part
    }
    sync();
  }
};

// How a batch of records has been taken up: so many of the first lanes' that have any.
struct ValuesTaken {
  u32 records;
  bool refused;    // the next one is not sound, or not for this engine
  u32 left;        // values of the last one that the tile does not hold: note [open lists]
  u32 next;        // where the first of them stands, in the tile
  u32 first;       // position of that record
};

template <bool Write, typename List>
SLUICE_INLINE ValuesTaken add_values(ValueSteps& g, const ValueTile& tile, bool have, bool told, const ValueRecord& r) {
  const bool list = have && r.from != kRunOfValues;
  u32 here = have ? r.count : 0;
  bool sound = told && here < kMaxValues;
  if (list && here != 0) {
    here = List::fit(tile, r.from, r.count);
    sound = sound && here != 0 && List::sound(tile, r.from, here);
  }
  const u32 through = scan_add(here), end = g.added + through, first = end - here;
  sound = sound && first + r.count <= g.limit;
  const bool fits = !Write || first < g.done / kStepValues * kStepValues + kValueMarks;
  const u32 taken = leading(have && sound && fits);
  const bool mine = lane() < taken;
  ValuesTaken made = {taken, ballot(have && !sound && lane() == taken) != 0, 0, 0, 0};
  const bool open = mine && here != r.count;  // the last one, if any
  if (ballot(open) != 0) {
    made.left = uniform(open ? r.count - here : 0);
    made.next = uniform(open ? List::behind(tile, r.from, here) : 0);
    made.first = uniform(open ? first : 0);
  }
  if (Write) {
    const bool part = mine && here != 0;
    const u32 parts = ballot(part), lists = ballot(part && list);
    if (part) {
      ValueEntry entry = {(Word)r.value - (Word)(i64)r.step * first, r.step};
      if (list) entry = {List::base(tile, r.from, first), kListStep + (i32)r.from};
      atomicOr(&g.room->marks[first / kLanes % kValueMarkWords], 1u << first % kLanes);
      g.room->entries[(g.filled + __popc(parts & lanes_below())) % kValueEntries] = entry;
    }
    g.filled = (g.filled + __popc(parts)) % kValueEntries;
    if (lists != 0) g.listed = uniform(part && list ? end : 0);
  }
  g.added += uniform(mine ? through : 0);
  if (!Write) g.done = g.added;
  sync();
  return made;
}

// Elements that follow each other, stored at once: `to` is a multiple of what they have in bytes.
template <u32 Elem, u32 N> SLUICE_INLINE void store_values(u8* to, const Word (&v)[N]) {
  if constexpr (Elem == 1) *(u32*)to = __byte_perm(__byte_perm(v[0], v[1], 0x0040), __byte_perm(v[2], v[3], 0x0040), 0x5410);
  else if constexpr (Elem == 2) *(u64*)to = (u64)__byte_perm(v[2], v[3], 0x5410) << 32 | __byte_perm(v[0], v[1], 0x5410);
  else if constexpr (Elem == 4) *(Unit*)to = {(u64)v[1] << 32 | v[0], (u64)v[3] << 32 | v[2]};
  else *(Unit*)to = {v[0], v[1]};
}

// Writes up to `end`, from `done` on, of the step that starts at `block`. Whole: all of it.
template <bool Whole, typename List> SLUICE_INLINE void write_values(ValueSteps& g, const ValueTile& tile, u32 block, u32 end) {
  ValueStepRoom* const room = g.room;
  ValueStepMarks* const step = room->steps + block / kStepValues % (kValueMarks / kStepValues);
  const ValueStepMarks marks = *step;
  const u32 known = g.done - block, until = end - block;
  u32 before[4], all = 0;  // parts that begin in words before
  SLUICE_UNROLLED
  for (u32 i = 0; i < 4; ++i) {
    before[i] = all;
    all += __popc(marks.word[i]);
  }
  u8* const out = held(g.out + (u64)block * kElement);
  SLUICE_UNROLLED
  for (u32 t = 0; t < kTimes; ++t) {
    const u32 k = kTogether * (kLanes * t + lane()), in = k / kLanes, bit = k % kLanes;
    const u32 word = in < 2 ? in < 1 ? marks.word[0] : marks.word[1] : in < 3 ? marks.word[2] : marks.word[3];
    u32 number = g.begun + (in < 2 ? in < 1 ? before[0] : before[1] : in < 3 ? before[2] : before[3]) + __popc(word & ((1u << bit) - 1));
    Word v[kTogether];
    ValueEntry entry[kTogether];
    bool lists = false;
    SLUICE_UNROLLED
    for (u32 i = 0; i < kTogether; ++i) {
      number += word >> (bit + i) & 1;
      entry[i] = room->entries[number % kValueEntries];
      v[i] = entry[i].base + (Word)(i64)entry[i].step * (block + k + i);
      lists |= entry[i].step >= kListStep && (Whole || (k + i >= known && k + i < until));
    }
    if (ballot(lists) != 0) {
      SLUICE_UNROLLED
      for (u32 i = 0; i < kTogether; ++i)
        if (entry[i].step >= kListStep && (Whole || (k + i >= known && k + i < until)))
          v[i] = (Word)List::value(tile, (u32)entry[i].base, block + k + i, (u32)(entry[i].step - kListStep));
    }
    if (Whole || (k >= known && k + kTogether <= until)) {
      store_values<kElement>(out + k * kElement, v);
    } else {
      SLUICE_UNROLLED
      for (u32 i = 0; i < kTogether; ++i)
        if (k + i >= known && k + i < until) store_aligned<kElement>(out + (k + i) * kElement, v[i]);
    }
  }
  sync();
  // Of the step's marks those of parts that are known: where it is not all of it, the others have yet to be set.
  if (lane() == 0) *step = {{0, 0, 0, 0}};
  g.begun = (g.begun + all) % kValueEntries;
  g.done = end;
  sync();
}

// Writes all whole steps that are known, and with `all` what is less than a step, too.
template <typename List> SLUICE_INLINE void write_known_values(ValueSteps& g, const ValueTile& tile, bool all) {
  // The end of one that is begun, then whole ones, then the beginning of one: the first and the last by the same code.
  SLUICE_ROLLED
  for (;;) {
    SLUICE_ROLLED
    while (g.done % kStepValues == 0 && g.added - g.done >= kStepValues) write_values<true, List>(g, tile, g.done, g.done + kStepValues);
    const u32 block = g.done / kStepValues * kStepValues;
    const bool ends = g.added - block >= kStepValues;
    if (!ends && (!all || g.added == g.done)) return;
    write_values<false, List>(g, tile, block, ends ? block + kStepValues : g.added);
  }
}

}  // namespace prim
