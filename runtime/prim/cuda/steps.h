#pragma once
// Output from records, kStepBytes at a time: a lane looks up which record its byte belongs to, fetches that byte, and the
// step leaves in units of 16 bytes (strategy `speculate`).
//   note [records]: a record is literals out of the input, then a copy; its non-empty parts cover the output without a gap.
//   Where a part begins, a bit is set in a ring over positions, and an entry tells what to take from a position for its
//   source: a copy's distance, or what leads to the input. So a byte's entry is found by counting bits, and all of a step's
//   bytes are fetched by one load each, wherever they come from.
//   note [sources]: in a step a source is an offset from the step's start. Less than zero: output that is written; from
//   zero on less than kStepBytes: the step's own; more: input.
//   note [near]: a source inside the step itself is not written yet, and is never loaded: such a load would bring a line of
//   output in that nobody has filled. It is taken from the step's stage, group by group of 32. Inside a group sources are
//   first followed from lane to lane, in all groups at once and twice as far each time, until one is not of the group or
//   is no copy of the step. Overlapping copies are no special case.
//   note [links]: or else the stage has 16 bits a byte, which are the byte or lead to the one that it equals. All groups follow
//   theirs at once, and what a lane finds goes to the stage, byte or link: so each time leads twice as far.
//   note [values]: where tokens begin at bits, what they put out by themselves is no piece of the input but a value of one
//   byte. Its entry is that byte, and a tag; nothing is fetched for it. All literals of a kernel are of one kind. Where copies
//   reach no farther than 2^15, an entry has 16 bits: a distance less one, or the tag and the byte.
//   note [signed entries]: of slots' short entries, a copy's is its distance below zero and a value's lies above what a step has:
//   so a source, a number with a sign, tells by itself whether it is output that is written, the step's own or no source.
//   note [far sources]: what a copy takes from a place that is not near is asked for when its record is taken up, so that it
//   is on its way from memory to the L2 cache before the step that wants it.
//   note [dictionary]: of a format that takes one, sources in front of the window are the dictionary's bytes. Batches of
//   records that have any are written by the careful form of the step, which tests every byte; the others know nothing of it.
//   note [joined copies]: of formats whose copies have a greatest length, a longer one comes as several of the same
//   distance. Where a batch has one of that length, and there may be wide steps, a copy that goes on with what the part before
//   it does is no part of its own.

namespace prim {

#ifdef SLUICE_VALUES
constexpr bool kValues = true;
#else
constexpr bool kValues = false;
#endif

#ifdef SLUICE_SLICES
constexpr bool kSlices = true;  // note [slices] of chain.h: some literals come out of a buffer
#else
constexpr bool kSlices = false;
#endif

#ifdef SLUICE_DICTIONARY
constexpr bool kDictionary = true;
#else
constexpr bool kDictionary = false;
#endif

#ifdef SLUICE_WRITER
constexpr bool kWriter = true;  // note [writer] of writer.h
#else
constexpr bool kWriter = false;
#endif

#ifdef SLUICE_SHORT_ENTRIES
constexpr bool kShortEntries = true;  // note [values]: no copy reaches farther than 2^15
static_assert(kValues, "of literals that are input an entry has more bits");
#else
constexpr bool kShortEntries = false;
#endif

#ifdef SLUICE_PART_ENTRIES
constexpr bool kSlots = true;  // note [slots] of part_steps.h
constexpr u32 kSlotEntries = SLUICE_PART_ENTRIES, kSlotWords = SLUICE_PART_WORDS;
static_assert(kValues, "parts make values of their own");
#else
constexpr bool kSlots = false;
constexpr u32 kSlotEntries = 0, kSlotWords = 0;
#endif

// note [links]: of literals that are input
#ifdef SLUICE_LINKS
constexpr bool kLinks = !kValues;
#else
constexpr bool kLinks = false;
#endif

// Tokens of a lane that are taken up together, where another warp walks ahead.
#ifdef SLUICE_TOKENS_A_LANE
constexpr u32 kTokensALane = kWalker ? SLUICE_TOKENS_A_LANE : 1;
#else
constexpr u32 kTokensALane = 1;
#endif

#ifdef SLUICE_LONGEST_COPY
constexpr u32 kLongestCopy = SLUICE_LONGEST_COPY;  // of a token, in elements: bytes, or none is joined
#else
constexpr u32 kLongestCopy = ~0u;
#endif

#ifdef SLUICE_WIDE_PARTS
constexpr u32 kWideParts = SLUICE_WIDE_PARTS;  // bytes of a part, on average, from which on wide steps are tried: wide_steps.h
#else
constexpr u32 kWideParts = 0;  // they never are
#endif

// What a token does. `from` and the lengths are bytes.
struct Record {
  u32 literals, from;    // input that goes to the output, and where it stands; or 1 value, and which
  u32 length, distance;  // and then a copy

  SLUICE_METHOD void operator+=(u64) {}  // its end in the output is nobody's business here
};

// Bytes of a lane in a step: a larger one waits less often, and takes more shared memory, which short entries leave.
constexpr u32 kStepGroups = kShortEntries || kWriter ? 8 : 4, kStepBytes = kLanes * kStepGroups;
#ifdef SLUICE_MARK_WORDS
constexpr u32 kMarkWords = SLUICE_MARK_WORDS;  // for a batch of long parts
#else
constexpr u32 kMarkWords = kSlots ? kStepGroups + kLanes * kSlotWords : kWriter || kSegment != 32 ? 128 : 64;
#endif
constexpr u32 kMarks = kLanes * kMarkWords;
constexpr u32 kSlotsFrom = 2;  // entries in front of the slots
constexpr u32 kEntries = kSlots ? kSlotsFrom + kLanes * kSlotEntries : kWriter ? 1024 : 64 * kStepGroups;
// Wherever it begins, it holds a whole step. Beside chains (kSlices) shorter ones are not looked for: zstd's C++ text is 2 % faster.
constexpr u32 kLongPart = (kSlices ? 4 : 2) * kStepBytes;
static_assert((kLongPart & (kLongPart - 1)) == 0, "lengths are compared with it all at once");
constexpr bool kLongParts = !kValues || kLongestCopy >= kLongPart;  // of a token
constexpr bool kWide = kWideParts != 0, kJoins = kWide && kLongestCopy != ~0u;  // note [joined copies]
constexpr u32 kWideUnit = 8, kWideBytes = kLanes * kWideUnit;
// Positions start here, so that sources before the first one have positions, too; from kInput on a source is input.
constexpr u32 kOrigin = 1u << 30, kInput = 1u << 31;
constexpr bool kSigned = kSlots && kShortEntries;                                 // note [signed entries]
constexpr u32 kValue = kSigned ? 1u << 14 : kShortEntries ? 1u << 15 : 1u << 30;  // tag of an entry
constexpr u32 kLess = kShortEntries && !kSigned ? 1 : 0;           // by which a distance is less in an entry
constexpr u32 kMaxLength = 1u << 23;                               // of a copy: longer ones are the checked path's
constexpr u32 kMaxDistance = kShortEntries ? 1u << 15 : 1u << 29;  // likewise
constexpr u32 kFar = 1024;                                         // note [far sources]: what is farther away
// From then on no more tokens are found, at twice that no record is taken up.
constexpr u32 kMaxOutput = kTokensALane == 1 ? 1u << 28 : 1u << 27;
constexpr u32 kMostPosition = kOrigin + 2 * kMaxOutput + kTokensALane * kLanes * (kMaxLength + kTileRoom) + 2 * kStepBytes;
static_assert(kOrigin > kMaxDistance + kStepBytes, "a source has a position");
static_assert(kSigned || kValue > kMaxDistance - kLess, "a value is no copy's distance");
static_assert(!kShortEntries || (kValue | 0xff) < 1u << 16, "and an entry has room for it");
static_assert(kMostPosition + kStepBytes < kInput && kMostPosition - kOrigin + kMaxDistance < 1u << 31 &&
                  kInput - kOrigin + kFarthestCursor + kTileRoom < 1u << 31,
              "note [sources]: 32 bits tell the three apart, whatever a batch of records adds");
// Of literals that come out of a buffer: more of them are a record of their own, or the mark of the copy behind them had no room in the ring.
constexpr u32 kMostSlice = 1024;
static_assert(!kSlices || 2 * kStepBytes + kMostSlice < kMarks, "the first record can be taken");
// A record is taken up while less than a step is to be done, so the first one's copy begins inside the ring.
static_assert(kSlots || 2 * kStepBytes + kTileRoom < kMarks, "the first record can be taken");
static_assert(kSlots || kStepBytes + 1 + 2 * kTokensALane * kLanes < kEntries, "entries that are not done, and those of a batch");
static_assert(kMarkWords % kStepGroups == 0, "whole steps");

template <bool Short> struct EntryOf {
  typedef u32 Type;
};
template <> struct EntryOf<true> {
  typedef u16 Type;
};
typedef EntryOf<kShortEntries>::Type Entry;

struct alignas(kUnitBytes) StepMarks {
  u32 word[kStepGroups];
};
constexpr u32 kLink = 512;  // note [links]: what is less is a byte; a link is this and two times the place of a byte in the step
struct StepRoom {
  static constexpr u32 kWords = kMarkWords, kParts = kEntries;  // of its rings
  typedef Entry Of;
  union {
    Unit stage[(kLinks ? 2 : 1) * kStepBytes / kUnitBytes];
    u8 bytes[kStepBytes];
    u16 links[kLinks ? kStepBytes : 1];
  };
  union {
    StepMarks steps[kMarkWords / kStepGroups];
    u32 marks[kMarkWords];
  };
  Entry entries[kEntries + (kSlots ? 0 : kStepBytes)];  // the first ones stand behind the last one again: a step's need no wrap
};
SLUICE_ROOM StepRoom step_rooms[SLUICE_WARPS];
SLUICE_ROOM const u8* dictionary_ends[SLUICE_WARPS];
// Shared memory of a warp.
constexpr u64 kStepsBytes = sizeof(step_rooms[0]) + (kDictionary ? sizeof(dictionary_ends[0]) : 0);

// Where output goes and what it is made of. Equal in all lanes.
struct Places {
  u8* out;        // position 0: a multiple of kStepBytes
  const u8* in;   // source kInput: the input's cursor 0. Where literals are values: nothing
  u32 first;      // where it began
  u32 in_end;     // source behind the input
  u32 limit;      // position behind the room
  u32 lowest;     // the first position that copies may see
  u32 window;     // the first one of them that is output: what is before is the dictionary's. Where there may be one
  u32 careful;    // up to here note [dictionary] holds. Likewise
  u32 done;       // output up to here is written
  u32 added;      // records are known up to here
  u32 begun;      // entries of parts that begin before `done`, modulo kEntries
  u32 filled;     // entries there are, likewise
  bool has_long;  // of what was added last: note [long parts]
  bool has_wide;  // likewise: note [wide steps]

  // `input`: its cursor 0; `last`: the cursor behind it.
  template <bool Write, typename S> SLUICE_METHOD void place(const S& s, const u8* input, u32 last) {
    u8* const to = uniform(s.out + s.produced);
    first = kOrigin + (Write ? (u32)(u64)to % kStepBytes : 0);
    out = Write ? global(to) - first : nullptr;
    in = kValues ? nullptr : uniform(input) - kInput;
    in_end = uniform(kInput + last);
    const u64 left = s.out_end - s.produced, before = s.produced - s.window;
    limit = uniform(first + (left < 2 * kMaxOutput ? (u32)left : 2 * kMaxOutput));
    lowest = uniform(first - (before < kMaxDistance ? (u32)before : kMaxDistance));
    if constexpr (kDictionary) {
      const u64 more = s.dictionary_bytes, most = kMaxDistance - (first - lowest);
      window = lowest;
      careful = first;
      lowest = uniform(window - (more < most ? (u32)more : (u32)most));
      if (lane() == 0) dictionary_ends[SLUICE_WARPS == 1 ? 0 : threadIdx.x / kLanes] = more != 0 ? s.dictionary + s.dictionary_size : nullptr;
    }
    done = added = first;
    begun = 0;
    filled = 1;
    has_long = has_wide = false;
  }
};

struct Steps : Places {
  StepRoom* room;
  // Note [writer]. Records up to here have been given to it, and entries up to here it has done with; packets given and done with.
  u32 given, unread, sent, freed;
  bool blocked;  // the next record waits for room in the rings
  bool opened;   // the writer knows of this loop

  template <bool Write, typename S> SLUICE_METHOD void open(const S& s, const u8* input, u32 last) {
    room = in_register(&step_rooms[SLUICE_WARPS == 1 ? 0 : threadIdx.x / kLanes]);
    place<Write>(s, input, last);
    given = first;
    unread = sent = freed = 0;
    blocked = opened = false;
    sync();
    if (Write) {
      SLUICE_ROLLED
      for (u32 i = lane(); i < kMarkWords; i += kLanes) room->marks[i] = 0;
      if (lane() == 0) room->entries[0] = room->entries[kEntries] = 0;  // in front of the first part
    }
    sync();
  }
};

// Asks for a byte of global memory, as far as the L2 cache. Where three warps do a chunk, its latency is hidden behind them, and
// asking costs 1 to 4 %.
SLUICE_INLINE void ask_for(const u8* p) {
#if defined(__CUDA_ARCH__)
  if (!kWalker) asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
#else
  (void)p;
#endif
}

template <typename Room> SLUICE_INLINE void put_entry(Room* room, u32 number, u32 position, u32 entry) {
  atomicOr(&room->marks[position / kLanes % Room::kWords], 1u << position % kLanes);
  number %= Room::kParts;
  room->entries[number] = (typename Room::Of)entry;
  if (number < kStepBytes) room->entries[Room::kParts + number] = (typename Room::Of)entry;
}

// A copy's entry, and what is read of any.
SLUICE_INLINE u32 copy_entry(u32 distance) { return kSigned ? 0 - distance : distance - kLess; }
SLUICE_INLINE u32 entry_value(Entry e) { return kSigned ? (u32)(i32)(i16)e : e; }
// Of the byte `k` of a step: note [sources].
SLUICE_INLINE u32 entry_source(u32 k, u32 value) { return kSigned ? k + value : k - kLess - value; }

// Does an entry stand for literals?
SLUICE_INLINE bool is_literal(u32 entry) { return kValues ? (entry & kValue) != 0 : (i32)entry < 0; }

// Bytes of the step that are taken from the step itself: note [near].
SLUICE_INLINE void resolve_near(u8* stage, const u32 (&value)[kStepGroups], u32 (&at)[kStepGroups]) {
  bool inside = false;  // is a source in its byte's own group?
  const u32 others = ~held(lane());
  SLUICE_UNROLLED
  for (u32 u = 0; u < kStepGroups; ++u) inside |= kSigned ? value[u] > others : at[u] - kLanes * u < kLanes;
  if (ballot(inside) != 0) {
    bool more;
    do {
      more = false;
      SLUICE_UNROLLED
      for (u32 u = 0; u < kStepGroups; ++u) {
        const u32 next = shfl(at[u], at[u] % kLanes);
        const bool again = at[u] - kLanes * u < kLanes && next < kStepBytes;
        if (again) at[u] = next;
        more |= again;
      }
    } while (ballot(more) != 0);
    if (at[0] < kStepBytes) stage[lane()] = stage[at[0]];
    sync();
  }
  SLUICE_UNROLLED
  for (u32 u = 1; u < kStepGroups; ++u) {
    if (at[u] < kStepBytes) stage[kLanes * u + lane()] = stage[at[u]];
    sync();
  }
}

// The same of note [links]. `v`: of this lane's bytes.
SLUICE_INLINE void follow_links(u16* links, u32 (&v)[kStepGroups]) {
  u16* const mine = links + held(lane());
  u32 all;
  SLUICE_ROLLED
  do {
    SLUICE_UNROLLED
    for (u32 u = 0; u < kStepGroups; ++u)
      if (v[u] >= kLink) v[u] = *(const u16*)((const u8*)links + (v[u] - kLink));
    sync();
    all = 0;
    SLUICE_UNROLLED
    for (u32 u = 0; u < kStepGroups; ++u) {
      mine[kLanes * u] = (u16)v[u];
      all |= v[u];
    }
    sync();
  } while (ballot(all >= kLink) != 0);
}

// A byte of global memory; where `at` is less than `least` nothing is loaded, and it is `v`.
SLUICE_INLINE u32 load_from(const u8* p, u32 at, u32 least, u32 v) {
#if defined(__CUDA_ARCH__)
  asm volatile("{ .reg .pred p; setp.ge.u32 p, %2, %3; @p ld.global.u8 %0, [%1]; }"
               : "+r"(v)
               : "l"(p), "r"(at), "r"(least)
               : "memory");
#else
  if (at >= least) v = *p;
#endif
  return v;
}

// The same of what lies before the step; else `v` stays.
SLUICE_INLINE void load_before(const u8* p, u32 at, u32& v) {
#if defined(__CUDA_ARCH__)
  asm volatile("{ .reg .pred p; setp.lt.s32 p, %2, 0; @p ld.global.u8 %0, [%1]; }" : "+r"(v) : "l"(p), "r"(at) : "memory");
#else
  if ((i32)at < 0) v = *p;
#endif
}

// This lane's bytes of one step, but for those whose source is near: one of the Bytes that are written together, from `out`
// on, position `block`. From there count: `me`, the lane's first byte, `at`, its sources, and `known`, up to which all is written.
// Up to position `end` it is to be. Whole: nothing is, and all is to be. `window`: note [dictionary]. Is there a near source? Links:
// such a byte is a link then.
template <bool Whole, u32 Bytes, bool Links = false>
SLUICE_INLINE bool fetch_step(u8* out, const u8* in, u32 block, u32 known, u32 end, u32 me, u32 window,
                              const u32 (&value)[kStepGroups], u32 (&at)[kStepGroups], u32 (&byte)[kStepGroups]) {
  bool near = false;
  SLUICE_UNROLLED
  for (u32 u = 0; u < kStepGroups; ++u) {
    const u32 k = kLanes * u + me;
    const u8* const from = ((i32)at[u] < 0 ? out : in) + (i32)at[u];
    const bool is_value = kSigned ? (i32)value[u] >= 0 : kValues && (value[u] & kValue) != 0;
    if (Whole && kSigned) {
      byte[u] = value[u];
      load_before(global(from), at[u], byte[u]);
    } else if (Whole) {
      byte[u] = load_from(global(from), is_value ? 0 : at[u], Bytes, Links ? 2 * at[u] + kLink : 0);
      if (is_value) byte[u] = value[u];
    } else if (k >= known && k < end - block) {
      byte[u] = kValues ? value[u] : 0;
      if (is_value) at[u] = kInput;
      else if (kDictionary && block + at[u] < window)
        byte[u] = global(dictionary_ends[SLUICE_WARPS == 1 ? 0 : threadIdx.x / kLanes])[(i32)(block + at[u] - window)];
      else if (at[u] < known) byte[u] = global(out)[at[u]];
      else if (at[u] >= Bytes) byte[u] = *global(from);
      if (at[u] < known) at[u] = kInput;
    } else {
      byte[u] = 0;
      at[u] = kInput;
    }
    if (!Whole && Links && at[u] < Bytes) byte[u] = 2 * at[u] + kLink;
    near |= Links ? byte[u] >= kLink : at[u] < Bytes;
  }
  return near;
}

// The low bytes of eight numbers of 16 bits, of which the high ones are zero.
SLUICE_INLINE u64 packed_bytes(Unit u) {
  const u32 low = __byte_perm((u32)u.low, (u32)(u.low >> 32), 0x6420), high = __byte_perm((u32)u.high, (u32)(u.high >> 32), 0x6420);
  return (u64)high << 32 | low;
}

// Writes up to `end`, from `done` on, of the step that starts at `block`. Whole: all of it.
template <bool Whole> SLUICE_INLINE void write_step(Steps& g, u32 block, u32 end) {
  StepRoom* const room = g.room;
  u8 *const stage = room->bytes, *const mine = stage + held(lane());
  u16* const links = room->links + held(lane());
  StepMarks* const step = room->steps + (kSlots ? (block - kOrigin) / kStepBytes : block / kStepBytes % (kMarkWords / kStepGroups));
  const StepMarks marks = *step;
  const u32 me = held(lane()), up_to = lanes_below() << 1 | 1, known = g.done - block;
  const Entry* entry = room->entries + g.begun;
  u32 at[kStepGroups], byte[kStepGroups], value[kStepGroups], begun = 0;
  SLUICE_UNROLLED
  for (u32 u = 0; u < kStepGroups; ++u) {
    value[u] = entry_value(entry[begun + __popc(marks.word[u] & up_to)]);
    at[u] = entry_source(kLanes * u + me, value[u]);
    begun += __popc(marks.word[u]);
  }
  u8* const out = held(g.out + block);
  const u8* const in = kValues ? out : held(g.in + block);
  const bool near = fetch_step<Whole, kStepBytes, kLinks>(out, in, block, known, end, me, kDictionary ? g.window : 0, value, at, byte);
  sync();  // or bytes would go to the stage as they come, the last ones being asked for only then
  SLUICE_UNROLLED
  for (u32 u = 0; u < kStepGroups; ++u) {
    if (kLinks) links[kLanes * u] = (u16)byte[u];
    else mine[kLanes * u] = (u8)byte[u];
  }
  const bool some = ballot(near) != 0;
  sync();
  if (!kSlots && lane() == 0) *step = {{0, 0, 0, 0}};
  if (some && kLinks) follow_links(room->links, byte);
  else if (some) resolve_near(stage, value, at);
  if (Whole && kLinks) {
    if (me < kStepBytes / 8) ((u64*)out)[me] = packed_bytes(room->stage[me]);
  } else if (Whole) {
    if (me < kStepBytes / kUnitBytes) ((Unit*)out)[me] = room->stage[me];
  } else {
    SLUICE_UNROLLED
    for (u32 u = 0; u < kStepGroups; ++u) {
      const u32 k = kLanes * u + me;
      if (k >= known && k < end - block) out[k] = kLinks ? (u8)room->links[k] : stage[k];
    }
  }
  g.begun = kSlots ? g.begun + begun : (g.begun + begun) % kEntries;
  g.done = end;
  sync();
}

}  // namespace prim
