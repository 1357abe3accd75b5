#pragma once
// Output from records, kStepBytes at a time: a lane looks up which record its byte belongs to, fetches that byte, and the
// step leaves in units of 16 bytes (strategy `speculate`).
//   note [records]: a record is literals out of the input, then a copy; its non-empty parts cover the output without a gap.
//   Where a part begins, a bit is set in a ring over positions, and an entry tells what to take from a position for its
//   source: a copy's distance, or what leads to the input. So a byte's entry is found by counting bits, and all of a step's
//   bytes are fetched by one load each, wherever they come from.
//   note [near]: a source inside the step itself is not written yet, and is never loaded: such a load would bring a line of
//   output in that nobody has filled. It is taken from the step's stage, group by group of 32, and inside a group by
//   following sources from lane to lane until one is not of the group or is no copy. Overlapping copies are no special case.
//   note [values]: where tokens begin at bits, what they put out by themselves is no piece of the input but a value of one
//   byte. Its entry is that byte, and a tag; nothing is fetched for it. All literals of a kernel are of one kind.

namespace prim {

#ifdef SLUICE_VALUES
constexpr bool kValues = true;
#else
constexpr bool kValues = false;
#endif

// What a token does. `from` and the lengths are bytes.
struct Record {
  u32 literals, from;    // input that goes to the output, and where it stands; or 1 value, and which
  u32 length, distance;  // and then a copy

  SLUICE_METHOD void operator+=(u64) {}  // its end in the output is nobody's business here
};

constexpr u32 kStepGroups = 4, kStepBytes = kLanes * kStepGroups;
constexpr u32 kMarkWords = 64, kMarks = kLanes * kMarkWords;
constexpr u32 kEntries = 256;
// Positions start here, so that sources before the first one have positions, too; from kInput on a source is input.
constexpr u32 kOrigin = 1u << 30, kInput = 1u << 31;
constexpr u32 kValue = 1u << 30;  // tag of an entry
constexpr u32 kMaxLength = 1u << 23;    // of a copy: longer ones are the checked path's
constexpr u32 kMaxDistance = 1u << 29;  // likewise
constexpr u32 kMaxOutput = 1u << 28;    // from then on no more tokens are found, at twice that no record is taken up
static_assert(kOrigin > kMaxDistance + kStepBytes, "a source has a position");
static_assert(kValue > kMaxDistance, "a value is no copy's distance");
static_assert(kOrigin + 2 * kMaxOutput + kLanes * (kMaxLength + kTileRoom) + 2 * kStepBytes < kInput,
              "a position is none of the input's, whatever a batch of records adds");
static_assert(kFarthestCursor + kTileRoom <= kInput, "every cursor has a source");
// A record is taken up while less than a step is to be done, so the first one's copy begins inside the ring.
static_assert(2 * kStepBytes + kTileRoom < kMarks, "the first record can be taken");
static_assert(kStepBytes + 1 + 2 * kLanes < kEntries, "entries that are not done, and those of a batch");

struct StepRoom {
  union {
    Unit stage[kStepBytes / kUnitBytes];
    u8 bytes[kStepBytes];
  };
  union {
    Unit mark_units[kMarkWords / 4];  // a step's marks each
    u32 marks[kMarkWords];
  };
  u32 entries[kEntries];
};
static_assert(kStepGroups == 4, "a step's marks are a unit");
__shared__ StepRoom step_rooms[SLUICE_WARPS];

// Equal in all lanes.
struct Steps {
  StepRoom* room;
  u8* out;         // position 0: a multiple of kUnitBytes
  const u8* in;    // source kInput: the input's cursor 0
  u32 first;       // where it began
  u32 limit;       // position behind the room
  u32 reach;       // bytes before `first` that copies may see
  u32 done;        // output up to here is written
  u32 added;       // records are known up to here
  u32 begun;       // entries of parts that begin before `done`
  u32 filled;      // entries there are

  template <bool Write, typename S> SLUICE_METHOD void open(const S& s, const u8* input) {
    room = in_register(&step_rooms[SLUICE_WARPS == 1 ? 0 : threadIdx.x / kLanes]);
    u8* const to = s.out + s.produced;
    first = kOrigin + (Write ? (u32)(u64)to & (kUnitBytes - 1) : 0);
    out = Write ? global(to) - first : nullptr;
    in = input - kInput;
    const u64 left = s.out_end - s.produced, before = s.produced - s.window;
    limit = first + (left < 2 * kMaxOutput ? (u32)left : 2 * kMaxOutput);
    reach = before < kMaxDistance ? (u32)before : kMaxDistance;
    done = added = first;
    begun = 0;
    filled = 1;
    sync();
    if (Write) {
      for (u32 i = lane(); i < kMarkWords; i += kLanes) room->marks[i] = 0;
      if (lane() == 0) room->entries[0] = 0;  // in front of the first part
    }
    sync();
  }
};

SLUICE_INLINE void put_entry(StepRoom* room, u32 number, u32 position, u32 entry) {
  atomicOr(&room->marks[position / kLanes % kMarkWords], 1u << position % kLanes);
  room->entries[number % kEntries] = entry;
}

// Takes up records of the first lanes, one each of those that have any. How many; `refused`: the next one is not sound,
// or not for this engine.
template <bool Write, typename Tokens>
SLUICE_INLINE u32 add_records(Steps& g, Tokens& tokens, bool have, typename Tokens::Own& r, bool& refused) {
  const u32 through = scan_add(have ? r.literals + r.length : 0);
  const u32 end = g.added + through, copy = end - r.length, first = copy - r.literals;
  const u32 seen = copy - g.first + g.reach;
  const Late<Tokens> late(tokens, have, r, first);
  const bool sound = late.sound && r.length < kMaxLength && end <= g.limit &&
                     (r.length == 0 || (r.distance - 1 < seen && r.distance <= kMaxDistance));
  const u32 last = r.length != 0 ? copy : first;  // part
  const bool fits = !Write || last < g.done / kStepBytes * kStepBytes + kMarks;
  const u32 taken = leading(have && sound && fits);
  refused = taken < kLanes && shfl(have && !sound, taken) != 0;
  if (Write) {
    const bool mine = lane() < taken, literals = mine && r.literals != 0, copies = mine && r.length != 0;
    const u32 with_literals = ballot(literals), with_copies = ballot(copies);
    const u32 number = g.filled + __popc(with_literals & lanes_below()) + __popc(with_copies & lanes_below());
    if (literals) put_entry(g.room, number, first, kValues ? kValue | r.from : first - (kInput + r.from));
    if (copies) put_entry(g.room, number + (literals ? 1 : 0), copy, r.distance);
    g.filled += __popc(with_literals) + __popc(with_copies);
  }
  if (taken != 0) {
    g.added += shfl(through, taken - 1);
    late.give_back(tokens, taken - 1);
  }
  if (!Write) g.done = g.added;
  sync();
  return taken;
}

// Bytes of the step that are taken from the step itself: note [near].
SLUICE_INLINE void resolve_near(u8* stage, const u32 (&at)[kStepGroups], const bool (&near)[kStepGroups]) {
  bool inside = false;  // is a source in its byte's own group?
  SLUICE_UNROLLED
  for (u32 u = 0; u < kStepGroups; ++u) inside |= near[u] && at[u] >= kLanes * u;
  const bool chains = ballot(inside) != 0;
  SLUICE_UNROLLED
  for (u32 u = 0; u < kStepGroups; ++u) {
    u32 from = at[u];
    if (chains) {
      const u32 all = ballot(near[u]);
      for (;;) {
        const bool again = near[u] && from >= kLanes * u && (all >> from % kLanes & 1) != 0;
        if (ballot(again) == 0) break;
        const u32 next = shfl(from, from % kLanes);
        if (again) from = next;
      }
    } else if (u == 0) {
      continue;  // nothing of the step is before it
    }
    if (near[u]) stage[kLanes * u + lane()] = stage[from];
    sync();
  }
}

// Writes up to `end`, from `done` on, of the step that starts at `block`. Whole: all of it.
template <bool Whole> SLUICE_INLINE void write_step(Steps& g, u32 block, u32 end) {
  StepRoom* const room = g.room;
  u8* const stage = room->bytes;
  const Unit marks = room->mark_units[block / kStepBytes % (kMarkWords / kStepGroups)];
  const u32 up_to = lanes_below() << 1 | 1, first = block + lane();
  u32 source[kStepGroups], at[kStepGroups], begun = g.begun;
  bool near[kStepGroups], value[kStepGroups], any = false;
  u8 byte[kStepGroups];
  SLUICE_UNROLLED
  for (u32 u = 0; u < kStepGroups; ++u) {
    const u32 word = (u32)((u < 2 ? marks.low : marks.high) >> kLanes * (u & 1));
    const u32 entry = room->entries[(begun + __popc(word & up_to)) % kEntries];
    source[u] = first + kLanes * u - entry;
    value[u] = kValues && (entry & kValue) != 0;
    byte[u] = kValues ? (u8)entry : 0;
    begun += __popc(word);
  }
  SLUICE_UNROLLED
  for (u32 u = 0; u < kStepGroups; ++u) {
    const u32 position = first + kLanes * u;
    const bool on = Whole || (position >= g.done && position < end);
    at[u] = source[u] - block;
    near[u] = on && (Whole ? at[u] : source[u] - g.done) < kStepBytes;
    any |= near[u];
    if (on && !near[u] && !value[u]) byte[u] = *global(((source[u] & kInput) != 0 ? g.in : g.out) + source[u]);
  }
  SLUICE_UNROLLED
  for (u32 u = 0; u < kStepGroups; ++u) stage[kLanes * u + lane()] = byte[u];
  const bool some = ballot(any) != 0;
  sync();
  if (lane() == 0) room->mark_units[block / kStepBytes % (kMarkWords / kStepGroups)] = {0, 0};
  if (some) resolve_near(stage, at, near);
  if (Whole) {
    if (lane() < kStepBytes / kUnitBytes) *(Unit*)(g.out + block + lane() * kUnitBytes) = room->stage[lane()];
  } else {
    SLUICE_UNROLLED
    for (u32 u = 0; u < kStepGroups; ++u) {
      const u32 position = first + kLanes * u;
      if (position >= g.done && position < end) g.out[position] = stage[kLanes * u + lane()];
    }
  }
  g.begun = begun;
  g.done = end;
  sync();
}
// Writes up to the end of the step's bytes, or of what is known. Of the first and the last step of a run of records
// something lies outside. Both in place: whoever is handed `g` by its address keeps it in memory.
SLUICE_INLINE void step(Steps& g) {
  const u32 block = g.done / kStepBytes * kStepBytes;
  const u32 end = g.added - block < kStepBytes ? g.added : block + kStepBytes;
  if (SLUICE_LIKELY(g.done == block && end == block + kStepBytes)) write_step<true>(g, block, end);
  else write_step<false>(g, block, end);
}

}  // namespace prim
