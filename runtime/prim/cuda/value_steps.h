#pragma once
// Output from records of values, kStepValues elements at a time (strategy `speculate`).
//   note [value records]: a record is elements `value`, `value + step`, ...; or so many values of a list that stands in the
//   tile. Where one begins a bit is set in a ring over positions, which count elements, and an entry tells what an element
//   follows from: of a run base + step * position, of a list base + position is the value's number. A lane counts the bits up to
//   its own element's and fetches the entry (value_writes.h).
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

// What a token does whose numbers have a byte each: note [one byte each] of value_tile.h.
struct BriefRecord : ValueRecord {
  bool longer;  // some number has more: this is none
};

// Output of a token of which the size alone is asked, without its numbers: note [numbers apart] of speculate_values.h.
struct TokenSize : NoOutput {
  u32 numbers = 0;  // so many,
  Cursor at = 0;    // and where they stand
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

constexpr bool kPacks = kElement < 4;  // note [packed steps] of value_writes.h

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
SLUICE_ROOM ValueStepRoom value_step_rooms[SLUICE_WARPS];
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
  SLUICE_METHOD MemorySteps(u8* first) : out(global(held(first))) {}
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
  u32 slow;    // and of those that are not simple (value_writes.h), to the end of a batch that has one
  u32 begun;   // entries of parts that begin before `done`, modulo kValueEntries
  u32 filled;  // entries there are, likewise
  u32 amends;  // that are yet to be written
  Word last;   // of a list of sums, the element in front of `done`
  u32 made;    // with kRuns: elements that are known

  SLUICE_METHOD u32 known() const { return kRuns ? made : added - first; }  // elements
  // A part begins at that position; and of a list its entry.
  SLUICE_METHOD void mark(u32 at) const { atomicOr(&room->marks[at / kLanes % kValueMarkWords], 1u << at % kLanes); }
  // `at`: where it begins. Of a list: the place of its value 0, how far they are from each other, and what is said of it.
  SLUICE_METHOD void list(u32 origin, u32 stride, u32 place, u64 start, u32 at, u32 entry) const {
    room->entries[entry] = ValueEntry::of_list(origin - stride * at, kListStep + (i32)place, (Word)start, room->starts, entry);
  }
  // Or a run, where it is none. Short words have one form: there are no two ways.
  SLUICE_METHOD void part(bool lists, u32 origin, u32 stride, u32 place, const ValueRecord& r, u32 at, u32 entry) const {
    if constexpr (kElement <= 4) {
      const u32 base = (lists ? origin : (u32)r.value) - (lists ? stride : (u32)r.step) * at;
      room->entries[entry] = ValueEntry::of_list(base, lists ? kListStep + (i32)place : r.step, (Word)r.start, room->starts, entry);
    } else if (lists) {
      list(origin, stride, place, r.start, at, entry);
    } else {
      room->entries[entry] = ValueEntry::of_run((Word)r.value - (Word)(i64)r.step * at, r.step);
    }
  }

  template <bool Write, typename S> SLUICE_METHOD void open(const S& s) {
    room = value_step_room(s);
    first = 0;
    if (Write) first = StepsTo<Out>::Type::open(out, s.out + s.produced * kElement);
    else out = Out();
    const u64 left = s.out_end - s.produced;
    limit = uniform(first + (left < 2 * kMostValues ? (u32)left : 2 * kMostValues));
    done = added = listed = slow = first;
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
  bool all;        // these are all, and none goes on behind the tile
  bool refused;    // the next one is not sound, or not for this engine
  u32 left;        // values of the last one that the tile does not hold: note [open lists]
  u32 next;        // where the first of them stands, in the tile
  u32 first;       // that record's first element, counted from where steps began
  u32 amends;      // of all
  u32 at, amend;   // of this lane's: its position, the number of its first amend
};

// `haves`: so many lanes have a record each, the first ones. A record of kMaxValues is none.
template <bool Write, typename List, typename Out>
SLUICE_INLINE ValuesTaken add_values(ValueStepsOf<Out>& g, ValueTile& tile, u32 haves, const ValueRecord& r) {
  constexpr bool kRuns = ValueStepsOf<Out>::kRuns;
  constexpr bool kListed = kPacks && List::kOften;  // steps of runs alone gain less than it costs to know which are
  const bool have = lane() < haves, list = have && r.from != kRunOfValues;
  const u32 lead = List::kSums ? r.lead : 0;
  u32 here = have ? r.count : 0;
  bool sound = here < kMaxValues;
  u32 from = r.from;
  const bool listed = list && here != lead;
  bool by_count = true;  // note [one byte each]: some list's values are found so
  if constexpr (List::kMayBePlain) {
    const u32 place = listed ? from : 0;
    const bool each = List::plain(tile, place, here - lead), others = listed && !each;
    by_count = ballot(others) != 0;
    if (by_count) need_counts<List>(tile);
    if (by_count && others) {
      const ListPart part = part_of<List>(tile, from, here - lead);
      sound = sound && part.sound;
      here = lead + part.count;
    }
    if (listed && each) from |= List::kPlain;
  } else if (listed) {
    const ListPart part = part_of<List>(tile, from, here - lead);
    sound = sound && part.sound;
    here = lead + part.count;
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
  const bool open = by_count && ballot(have && here != r.count) != 0;
  ValuesTaken made = {taken, taken == haves && !open, false, 0, 0, 0, 0, first, 0};
  if constexpr (List::kArrays) {
    made.amends = uniform(mine ? amends : 0);
    made.amend = g.amends + amends - r.amends;
  }
  if (SLUICE_UNLIKELY(!made.all)) {
    made.refused = ballot(have && !sound && lane() == taken) != 0;
    if (open) {
      const bool more = mine && here != r.count;  // the last one, if any
      made.left = uniform(more ? r.count - here : 0);
      made.next = uniform(more ? List::behind(tile, r.from, here - lead) : 0);
      made.first = uniform(more ? element - g.first : 0);
    }
  }
  bool slow = false;
  if (Write) {
    const bool run = mine && (list ? lead != 0 : here != 0), values = mine && list && here != lead;
    // A run, or a list; or a list behind a run, which has an entry of its own then.
    const bool one = kRuns ? values : mine && here != 0, two = !kRuns && List::kSums && run && values;
    const u32 ones = ballot(one), twos = List::kSums ? ballot(two) : 0, lists = List::kNone ? 0 : ballot(values);
    const u32 number = g.filled + __popc(ones & lanes_below()) + (List::kSums ? __popc(twos & lanes_below()) : 0);
    if constexpr (kRuns) {
      if (run) run_lane<kElement>(g.out + (u64)element * kElement, r.value, (u64)(i64)r.step, list ? lead : here);
    }
    if (one) {
      const u32 entry = number % kValueEntries;
      if (kRuns) g.room->offsets[entry] = element + lead - first;
      g.mark(first);
      const bool lists_first = kRuns || (!List::kNone && !run);
      const u32 place = lists_first ? from : 0;
      g.part(lists_first, List::origin(tile, place, by_count), List::stride(place), place, r, first, entry);
    }
    if (two) {
      g.mark(first + lead);
      g.list(List::origin(tile, from, by_count), List::stride(from), from, r.start, first + lead, (number + 1) % kValueEntries);
    }
    g.filled = (g.filled + __popc(ones) + __popc(twos)) % kValueEntries;
    slow = kPacks && lists != 0 && (List::kMayBePlain ? by_count : ballot(values && !List::simple(from)) != 0);
    if (lists != 0) g.listed = kListed ? g.added + uniform(mine ? through : 0) : uniform(values ? end : 0);
  }
  g.added += uniform(mine ? through : 0);
  if (slow) g.slow = g.added;
  if (kRuns) g.made += uniform(mine ? all : 0);
  if (!Write) g.done = g.added;
  sync();
  return made;
}

}  // namespace prim
