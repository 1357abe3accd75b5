#pragma once
// Output from records of values, kStepValues elements at a time (strategy `speculate`).
//   note [value records]: a record is elements `value`, `value + step`, ...; or so many values of a list that stands in the
//   tile. Where one begins a bit is set in a ring over positions, which count elements, and an entry tells what an element
//   follows from: of a run base + step * position, of a list base + position is the value's number. Lanes have elements that
//   follow each other, so the word of bits is the same for all: a lane counts those up to its own and fetches the entry.
//   note [values in tiles]: values of a list are read when they are written, so a tile is kept until then.
//   note [small steps]: a run's step has 31 bits with its sign; what has more is the checked path's. The others say that an
//   entry is of a list, and where that begins in the tile.

//   note [runs]: a sink that takes runs is handed them when they are taken up, a lane each, and they have no positions: those count
//   elements of lists alone, each of which has in its entry by how much its element is ahead of its position.
//   note [added]: a list may go on from a run, which its first value is added to, and each further one to the value before it: lanes add
//   them up, from the last element that a step in front has written. Or one number is added to all of its values, some of
//   which are others (amends): those are written once more, behind the step that holds them.

namespace prim {

// What a token does.
constexpr u32 kRunOfValues = ~0u;
struct ValueRecord {
  u32 count;  // elements
  u32 from;   // of a list: where in the tile; kRunOfValues: they are value, value + step, ...
  u64 value;
  i32 step;
  // Of a list: elements of a run in front of it; what values are added to, and how many are others: note [added].
  u32 lead;
  u64 start;
  u32 amends;

  SLUICE_METHOD void operator+=(u64) {}  // its end in the output is nobody's business here
};

template <bool Wide> struct ValueWord {
  typedef u32 Of;
};
template <> struct ValueWord<true> {
  typedef u64 Of;
};
typedef ValueWord<(kElement > 4)>::Of Word;  // holds an element

#ifdef SLUICE_ADDED
constexpr bool kAdded = true;
#else
constexpr bool kAdded = false;  // no format's lists are added to anything
#endif
// Of a list: where value 0 of the output would stand; and what is added, which has a place of its own where words are short.
template <bool Wide> struct alignas(8) ValueEntryOf {
  Word base;
  i32 step;
  SLUICE_METHOD u32 list() const { return base; }
  SLUICE_METHOD Word start(const Word* starts, u32 number) const { return starts[number]; }
  static SLUICE_METHOD ValueEntryOf of_run(Word base, i32 step) { return {base, step}; }
  static SLUICE_METHOD ValueEntryOf of_list(u32 base, i32 step, Word start, Word* starts, u32 number) {
    if (kAdded) starts[number] = start;
    return {base, step};
  }
};
template <> struct alignas(16) ValueEntryOf<true> {
  Word base;
  i32 step;
  u32 place;
  SLUICE_METHOD u32 list() const { return place; }
  SLUICE_METHOD Word start(const Word*, u32) const { return base; }
  static SLUICE_METHOD ValueEntryOf of_run(Word base, i32 step) { return {base, step, 0}; }
  static SLUICE_METHOD ValueEntryOf of_list(u32 base, i32 step, Word start, Word*, u32) { return {start, step, base}; }
};
typedef ValueEntryOf<(kElement > 4)> ValueEntry;
constexpr i32 kListStep = 1 << 30;  // of a list, and where it begins
static_assert(kValueRoom < kListStep, "it has room for that; and for places of bits, how many, and what is added");
struct ValueAmend {
  Word value;
  u32 at;  // position
};

constexpr u32 kStepValues = 128;
constexpr u32 kTimes = kStepValues / kLanes;  // elements of a step that a lane has
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
#ifdef SLUICE_STORAGE
constexpr bool kHandsRuns = true;  // a sink may take runs: note [runs]
#else
constexpr bool kHandsRuns = false;
#endif
struct ValueStepParts {
  union {
    ValueStepMarks steps[kValueMarks / kStepValues];
    u32 marks[kValueMarkWords];
  };
  ValueEntry entries[kValueEntries];
  Word starts[kAdded && kElement <= 4 ? kValueEntries : 1];
  ValueAmend amends[kAdded ? kLanes : 1];
  u32 offsets[kHandsRuns ? kValueEntries : 1];
};
// Nothing of it is kept while a token is the checked path's, which has arrays there that no other token looks at.
#ifdef SLUICE_LENT
constexpr u32 kLent = SLUICE_LENT;
#else
constexpr u32 kLent = 0;
#endif
struct ValueStepRoom : ValueStepParts {
  u8 more[kLent > sizeof(ValueStepParts) ? kLent - sizeof(ValueStepParts) : 1];
};
#ifdef SLUICE_STORAGE
template <typename S> SLUICE_INLINE ValueStepRoom* value_step_room(const S& s) { return in_register(&s.rooms->steps); }
template <typename S> SLUICE_INLINE u8* lent_memory(const S& s) { return (u8*)&s.rooms->steps; }
#else
__shared__ ValueStepRoom value_step_rooms[SLUICE_WARPS];
template <typename S> SLUICE_INLINE ValueStepRoom* value_step_room(const S&) {
  return in_register(&value_step_rooms[SLUICE_WARPS == 1 ? 0 : threadIdx.x / kLanes]);
}
SLUICE_INLINE u8* lent_memory() { return (u8*)&value_step_rooms[SLUICE_WARPS == 1 ? 0 : threadIdx.x / kLanes]; }
#endif

// What a place in the output makes of steps; a sink's says so itself (sink.h). `open`: where position 0 is of output that begins at
// `at`, and at which position that is: the first multiple of what a step has in bytes before it. `skewed`: elements are not
// at multiples of their size.
struct MemorySteps {
  static constexpr bool kRuns = false, kSink = false;
  static SLUICE_METHOD bool skewed(const u8* at) { return kOutputAlignment % kElement != 0 && uniform((u32)(u64)at % kElement) != 0; }
  static SLUICE_METHOD u32 open(u8*& out, u8* at) {
    at = uniform(at);
    const u32 first = (u32)((u64)at / kElement % kStepValues);
    out = global(at) - (u64)first * kElement;
    return first;
  }
  u8* out;
  SLUICE_METHOD MemorySteps(u8* first) : out(held(first)) {}
  SLUICE_METHOD void done(u8*) {}
};
template <typename Out> struct StepsTo {
  typedef typename Out::Steps Type;
};
template <> struct StepsTo<u8*> {
  typedef MemorySteps Type;
};
template <typename S> SLUICE_INLINE void handed(S&, const u8*) {}

// Output of a token of which the amends alone are asked.
struct ValueAmends {
  ValueAmend* to;
  u32 count;  // so far
  u32 first;  // position of the token's first element

  SLUICE_METHOD void operator+=(u64) {}
};

// Where output goes and what it is made of. Equal in all lanes.
template <typename Out> struct ValueStepsOf {
  static constexpr bool kRuns = StepsTo<Out>::Type::kRuns;  // the sink takes them: they have no positions
  ValueStepRoom* room;
  Out out;     // position 0: of memory a multiple of what a step has in bytes
  u32 first;   // where it began
  u32 limit;   // position behind the room
  u32 done;    // output up to here is written
  u32 added;   // records are known up to here
  u32 listed;  // up to here there may be values of the tile's lists
  u32 begun;   // entries of parts that begin before `done`, modulo kValueEntries
  u32 filled;  // entries there are, likewise
  u32 amends;  // that are yet to be written
  Word last;   // of a list of sums, the element in front of `done`
  u32 made;    // with kRuns: elements that are known

  SLUICE_METHOD u32 known() const { return kRuns ? made : added - first; }  // elements

  template <bool Write, typename S> SLUICE_METHOD void open(const S& s) {
    room = value_step_room(s);
    first = 0;
    if (Write) first = StepsTo<Out>::Type::open(out, s.out + s.produced * kElement);
    else out = Out();
    const u64 left = s.out_end - s.produced;
    limit = uniform(first + (left < 2 * kMostValues ? (u32)left : 2 * kMostValues));
    done = added = listed = first;
    begun = 0;
    filled = 1;
    amends = 0;
    last = 0;
    made = 0;
    sync();
    if (Write) {
      SLUICE_ROLLED
      for (u32 i = lane(); i < kValueMarkWords; i += kLanes) room->marks[i] = 0;
      if (lane() == 0) room->entries[0] = ValueEntry();  // in front of the first part
    }
    sync();
  }
};
typedef ValueStepsOf<u8*> ValueSteps;

// How a batch of records has been taken up: so many of the first lanes' that have any.
struct ValuesTaken {
  u32 records;
  bool refused;    // the next one is not sound, or not for this engine
  u32 left;        // values of the last one that the tile does not hold: note [open lists]
  u32 next;        // where the first of them stands, in the tile
  u32 first;       // that record's first element, counted from where steps began
  u32 amends;      // of all
  u32 at, amend;   // of this lane's: its position, the number of its first amend
};

template <bool Write, typename List, typename Out>
SLUICE_INLINE ValuesTaken add_values(ValueStepsOf<Out>& g, const ValueTile& tile, bool have, bool told, const ValueRecord& r) {
  constexpr bool kRuns = ValueStepsOf<Out>::kRuns;
  const bool list = have && r.from != kRunOfValues;
  const u32 lead = List::kSums ? r.lead : 0;
  u32 here = have ? r.count : 0;
  bool sound = told && here < kMaxValues;
  u32 from = r.from;
  if (list && here != lead) {
    const ListPart part = part_of<List>(tile, from, r.count - lead);
    sound = sound && part.sound;
    here = lead + part.count;
    from = part.place;
  }
  // Positions; and elements, which are as many where runs have positions, too.
  const u32 placed = kRuns ? (list ? here - lead : 0) : here;
  const u32 through = scan_add(placed), end = g.added + through, first = end - placed;
  const u32 all = kRuns ? scan_add(here) : through, element = kRuns ? g.made + all - here : first;
  sound = sound && element + r.count <= g.limit;
  bool fits = !Write || first < g.done / kStepValues * kStepValues + kValueMarks;
  u32 amends = 0;
  if constexpr (List::kArrays) {
    const u32 mine = have && list ? r.amends : 0;
    sound = sound && mine <= kLanes;
    if (Write && ballot(mine != 0) != 0) {
      amends = scan_add(mine);
      fits = fits && g.amends + amends <= kLanes;
    }
  }
  const u32 taken = leading(have && sound && fits);
  const bool mine = lane() < taken;
  ValuesTaken made = {taken, ballot(have && !sound && lane() == taken) != 0, 0, 0, 0, 0, first, 0};
  if constexpr (List::kArrays) {
    made.amends = uniform(mine ? amends : 0);
    made.amend = g.amends + amends - r.amends;
  }
  const bool open = mine && here != r.count;  // the last one, if any
  if (ballot(open) != 0) {
    made.left = uniform(open ? r.count - here : 0);
    made.next = uniform(open ? List::behind(tile, r.from, here - lead) : 0);
    made.first = uniform(open ? element - g.first : 0);
  }
  if (Write) {
    const bool run = mine && (list ? lead != 0 : here != 0), values = mine && list && here != lead;
    const u32 runs = ballot(run), lists = ballot(values);
    const u32 number = g.filled + (kRuns ? 0 : __popc(runs & lanes_below())) + __popc(lists & lanes_below());
    if constexpr (kRuns) {
      if (run) run_lane<kElement>(g.out + (u64)element * kElement, r.value, (u64)(i64)r.step, list ? lead : here);
    } else if (run) {
      atomicOr(&g.room->marks[first / kLanes % kValueMarkWords], 1u << first % kLanes);
      g.room->entries[number % kValueEntries] = ValueEntry::of_run((Word)r.value - (Word)(i64)r.step * first, r.step);
    }
    if (values) {
      const u32 at = first + (kRuns ? 0 : lead), entry = (number + (!kRuns && List::kSums && run ? 1 : 0)) % kValueEntries;
      if (kRuns) g.room->offsets[entry] = element + lead - first;
      atomicOr(&g.room->marks[at / kLanes % kValueMarkWords], 1u << at % kLanes);
      g.room->entries[entry] = ValueEntry::of_list(List::base(tile, from, at), kListStep + (i32)from, (Word)r.start, g.room->starts, entry);
    }
    g.filled = (g.filled + (kRuns ? 0 : __popc(runs)) + __popc(lists)) % kValueEntries;
    if (lists != 0) g.listed = uniform(values ? end : 0);
  }
  g.added += uniform(mine ? through : 0);
  if (kRuns) g.made += uniform(mine ? all : 0);
  if (!Write) g.done = g.added;
  sync();
  return made;
}

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

// note [runs alone]: where no list ends behind the start of a step, lanes have four elements each that follow each other: on an H200 runs of
// 300 bytes are 1.2 times as fast; of elements of 4 and 8 bytes 0.98 times.
constexpr bool kPacksRuns = kElement < 4;
// Stored at once: `to` is a multiple of what they have in bytes.
SLUICE_INLINE void store_four(u8* to, const u32 (&v)[4]) {
  if constexpr (kElement == 1) *(u32*)to = __byte_perm(__byte_perm(v[0], v[1], 0x0040), __byte_perm(v[2], v[3], 0x0040), 0x5410);
  else *(u64*)to = (u64)__byte_perm(v[2], v[3], 0x5410) << 32 | __byte_perm(v[0], v[1], 0x5410);
}
// Writes the whole step that starts at `done`, of runs alone.
template <typename Out> SLUICE_INLINE void write_runs(ValueStepsOf<Out>& g) {
  ValueStepRoom* const room = g.room;
  ValueStepMarks* const step = room->steps + g.done / kStepValues % (kValueMarks / kStepValues);
  const ValueStepMarks marks = *step;
  u8* const out = held(g.out + (u64)g.done * kElement);
  const u32 a = __popc(marks.word[0]), b = a + __popc(marks.word[1]), c = b + __popc(marks.word[2]);
  const u32 k = 4 * lane(), in = k / kLanes, bit = k % kLanes;
  const u32 word = in < 2 ? in < 1 ? marks.word[0] : marks.word[1] : in < 3 ? marks.word[2] : marks.word[3];
  u32 number = g.begun + (in < 2 ? in < 1 ? 0 : a : in < 3 ? b : c) + __popc(word & ((1u << bit) - 1));
  u32 v[4];
  SLUICE_UNROLLED
  for (u32 i = 0; i < 4; ++i) {
    number += word >> (bit + i) & 1;
    const ValueEntry entry = room->entries[number % kValueEntries];
    v[i] = (u32)entry.base + (u32)entry.step * (g.done + k + i);
  }
  store_four(out + k * kElement, v);
  sync();
  if (lane() == 0) *step = {{0, 0, 0, 0}};
  g.begun = (g.begun + c + __popc(marks.word[3])) % kValueEntries;
  g.done += kStepValues;
  sync();
}

// Which of a step's elements are written now.
struct StepPiece {
  u32 known, until;  // from the step's first one on
  SLUICE_METHOD bool holds(u32 t) const { return kLanes * t + lane() - known < until - known; }  // this lane's t-th
};

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

// Writes up to `end`, from `done` on, of the step that starts at `block`.
template <typename List, typename Out> SLUICE_INLINE void write_values(ValueStepsOf<Out>& g, const ValueTile& tile, u32 block, u32 end) {
  ValueStepRoom* const room = g.room;
  ValueStepMarks* const step = room->steps + block / kStepValues % (kValueMarks / kStepValues);
  const ValueStepMarks marks = *step;
  const StepPiece piece = {g.done - block, end - block};
  typename StepsTo<Out>::Type place(g.out + (u64)block * kElement);
  const Out out = place.out;
  ValueEntry entry[kTimes];
  Word v[kTimes];
  u32 numbers[kTimes], all = 0;
  bool lists = false, added = false;
  SLUICE_UNROLLED
  for (u32 t = 0; t < kTimes; ++t) {
    numbers[t] = (g.begun + all + __popc(marks.word[t] & (lanes_below() | 1u << lane()))) % kValueEntries;
    all += __popc(marks.word[t]);
    entry[t] = room->entries[numbers[t]];
    v[t] = entry[t].base + (Word)(i64)entry[t].step * (block + kLanes * t + lane());
    if (entry[t].step < kListStep) continue;
    lists = true;
    if constexpr (List::kSums || List::kArrays) added = added || List::added((u32)(entry[t].step - kListStep));
  }
  if (ballot(lists) != 0) {
    if constexpr (List::kSums || List::kArrays) {
      if (ballot(added) == 0) read_values<false, List>(g, tile, block, piece, entry, numbers, marks, v);
      else read_values<true, List>(g, tile, block, piece, entry, numbers, marks, v);
    } else {
      read_values<false, List>(g, tile, block, piece, entry, numbers, marks, v);
    }
  }
  SLUICE_UNROLLED
  for (u32 t = 0; t < kTimes; ++t) {
    const u32 k = kLanes * t + lane();
    if constexpr (StepsTo<Out>::Type::kSink) {
      if (List::kArrays && g.amends != 0) amend_value(g, block + k, v[t]);
      if (piece.holds(t)) store_lane<kElement>(out + (u64)(k + (g.kRuns ? room->offsets[numbers[t]] : 0)) * kElement, v[t]);
    } else if (piece.holds(t)) {
      store_aligned<kElement>(out + k * kElement, v[t]);
    }
  }
  place.done(g.out);
  if constexpr (List::kArrays) {
    if (g.amends != 0) write_amends(g, end);
  }
  sync();
  // Of the step's marks those of parts that are known: where it is not all of it, the others have yet to be set.
  if (lane() == 0) *step = {{0, 0, 0, 0}};
  g.begun = (g.begun + all) % kValueEntries;
  g.done = end;
  sync();
}

// Writes all whole steps that are known, and with `all` what is less than a step, too.
template <typename List, typename Out> SLUICE_INLINE void write_known_values(ValueStepsOf<Out>& g, const ValueTile& tile, bool all) {
  SLUICE_ROLLED
  for (;;) {
    if constexpr (kPacksRuns && !StepsTo<Out>::Type::kSink) {
      SLUICE_ROLLED
      while (g.done % kStepValues == 0 && g.listed <= g.done && g.added - g.done >= kStepValues) write_runs(g);
    }
    const u32 block = g.done / kStepValues * kStepValues;
    const bool ends = g.added - block >= kStepValues;
    if (!ends && (!all || g.added == g.done)) return;
    write_values<List>(g, tile, block, ends ? block + kStepValues : g.added);
  }
}

}  // namespace prim
