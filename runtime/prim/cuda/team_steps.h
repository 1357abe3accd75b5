#pragma once
// Output from records by a team: several warps, a block, that decode one chunk together (strategy `speculate`, directive
// `chunk_warps`). What a record is, how marks and entries lead a byte to its source, and what sources are: steps.h.
//   note [team round]: a round writes kTeamRound, warp w its w-th step. A byte's source is told from the round's start: it
//   is written, or input, or of the round itself. All but the last kind are loaded at once, and stand in the round's stage
//   when the barrier is passed. The others have left there which byte is theirs, and follow that from byte to byte, of all
//   warps at once and twice as far each time, until one that was loaded. A warp whose step is whole writes it to memory
//   before the next barrier, so that the one at which nobody waits any more also is the round's end.
//   Barriers: one a round without near sources, two where each leads to a loaded byte, and one more each time that chains
//   are twice as long: at most 1 + log2(kTeamRound). One batch of records: two, and one in front of the rounds.
// Everything that decides where a team goes is the same in all of its warps: read behind a barrier, or computed from that.

namespace prim {

static_assert(kTeam == 2 || kTeam == 4 || kTeam == 8, "rings wrap by powers of two; and a round's marks are a word a lane");

constexpr u32 kTeamRound = kTeam * kStepBytes;
constexpr u32 kTeamTileBytes = kTeam * kTileBytes, kTeamTileRoom = kTeamTileBytes + kTileAhead;
constexpr u32 kTeamMarkWords = kTeam * kMarkWords, kTeamMarks = kLanes * kTeamMarkWords;
constexpr u32 kTeamEntries = kTeam * kEntries;
constexpr u32 kLongRounds = 2 * kTeamRound;  // wherever a part of it begins, it holds a whole round
constexpr u16 kLoaded = 0xffff;               // in the place of a source: the byte is there
static_assert(kTeam * kStepGroups <= kLanes, "a lane looks at each word of a round's marks");
static_assert(kOrigin % kTeamRound == 0 && kOrigin > kMaxDistance + kTeamRound, "a source has a position");
static_assert(kTeamRound < kLoaded, "a source in the round has 16 bits");
static_assert(kOrigin + 2 * kMaxOutput + 3 * kTeamRound < kInput, "note [sources]: of positions that are taken up");
static_assert((u64)kOrigin + 2 * kMaxOutput + 2 * kTeamRound + (u64)kTeamThreads * (kMaxLength + kTeamTileRoom) < 1ull << 32,
              "and whatever a batch of records adds, its end is no small number");
// A record is taken up while less than a round is to be done, so the first one's copy begins inside the ring.
static_assert(2 * kTeamRound + kTeamTileRoom < kTeamMarks, "the first record can be taken");
static_assert(kTeamRound + 1 + 2 * kTeamThreads < kTeamEntries, "entries that are not done, and those of a batch");

// What a warp's share of a batch comes to if all of it is taken up.
struct TeamShare {
  u32 bytes, parts;
};
// What of it can be: so many records, up to which there are so much output and so many entries.
struct TeamTaken {
  u32 records, added, filled;
  bool refused, has_long;  // the one behind them; one of them
};
struct TeamStepRoom {
  static constexpr u32 kWords = kTeamMarkWords, kParts = kTeamEntries;
  typedef u32 Of;
  union {
    Unit stage[kTeamRound / kUnitBytes];
    u8 bytes[kTeamRound];
  };
  union {
    StepMarks steps[kTeamMarkWords / kStepGroups];
    u32 marks[kTeamMarkWords];
  };
  u32 entries[kTeamEntries + kStepBytes];  // the first ones stand behind the last one again
  u16 sources[2][kTeamRound];             // of the round's bytes, in it: read from one, written to the other
  TeamShare shares[kTeam];
  TeamTaken taken[kTeam];
};
SLUICE_ROOM TeamStepRoom team_step_room;

// Equal in all threads of the team.
struct TeamSteps : Places {
  TeamStepRoom* room;

  template <bool Write, typename S> SLUICE_METHOD void open(const S& s, const u8* input, u32 last) {
    room = in_register(&team_step_room);
    place<Write>(s, input, last);
    if (Write) {
      SLUICE_ROLLED
      for (u32 i = threadIdx.x; i < kTeamMarkWords; i += kTeamThreads) room->marks[i] = 0;
      if (threadIdx.x == 0) room->entries[0] = room->entries[kTeamEntries] = 0;  // in front of the first part
    }
    __syncthreads();
  }
};

// Takes up records of the first threads, one each of those that have any. How many; `refused`: the next one is not sound,
// or not for this engine.
template <bool Write> SLUICE_INLINE u32 add_team_records(TeamSteps& g, bool have, const Record& r, bool& refused) {
  TeamStepRoom* const room = g.room;
  const u32 warp = team_warp();
  const u32 with_literals = ballot(have && r.literals != 0), with_copies = ballot(have && r.length != 0);
  const u32 through = scan_add(have ? r.literals + r.length : 0);
  if (lane() == kLanes - 1) room->shares[warp] = {through, (u32)(__popc(with_literals) + __popc(with_copies))};
  __syncthreads();
  const TeamShare share = room->shares[lane() % kTeam];
  const u32 bytes = __reduce_add_sync(kAll, lane() < warp ? share.bytes : 0);
  const u32 parts = g.filled + __reduce_add_sync(kAll, lane() < warp ? share.parts : 0);

  const u32 end = g.added + bytes + through, copy = end - r.length, first = copy - r.literals;
  const bool sound = r.length < kMaxLength && end <= g.limit && (r.length == 0 || r.distance - 1 < copy - g.lowest);
  const u32 last = r.length != 0 ? copy : first;  // part
  const bool fits = !Write || last < g.done / kTeamRound * kTeamRound + kTeamMarks;
  const u32 records = leading(have && sound && fits), those = records == kLanes ? kAll : (1u << records) - 1;
  const u32 unsound = ballot(have && !sound), with_long = ballot(have && (r.literals >= kLongRounds || r.length >= kLongRounds));
  const u32 up_to = shfl(end, records == 0 ? 0 : records - 1);
  if (lane() == 0)
    room->taken[warp] = {records, records == 0 ? g.added + bytes : up_to,
                         parts + __popc(with_literals & those) + __popc(with_copies & those),
                         records != kLanes && (unsound >> records & 1) != 0, (with_long & those) != 0};
  __syncthreads();
  // All of those before the first warp that takes up less than it might, and what that one does.
  const TeamTaken taken = room->taken[lane() % kTeam];
  const u32 whole = leading(lane() < kTeam && taken.records == kLanes), least = whole == kTeam ? kTeam - 1 : whole;
  const u32 count = kLanes * least + shfl(taken.records, least);
  refused = shfl(taken.refused ? 1 : 0, least) != 0;
  if (Write && threadIdx.x < count) {
    u32 number = parts + __popc(with_literals & lanes_below()) + __popc(with_copies & lanes_below());
    if (r.literals != 0) put_entry(room, number++, first, first - (kInput + r.from));
    if (r.length != 0) put_entry(room, number, copy, r.distance);
  }
  g.added = uniform(shfl(taken.added, least));
  g.filled = uniform(shfl(taken.filled, least)) % kTeamEntries;
  g.has_long = ballot(lane() <= least && taken.has_long) != 0;
  if (!Write) g.done = g.added;
  return uniform(count);
}

// Writes a warp's step to memory, all of which is in the stage: note [team round].
template <bool Whole> SLUICE_INLINE void put_step(const TeamSteps& g, u32 block, u32 step, u32 end) {
  u8* const out = g.out + block;
  if (Whole) {
    sync();
    if (lane() < kStepBytes / kUnitBytes)
      ((Unit*)(out + step))[lane()] = g.room->stage[step / kUnitBytes + lane()];
  } else {
    SLUICE_UNROLLED
    for (u32 u = 0; u < kStepGroups; ++u) {
      const u32 k = step + kLanes * u + lane();
      if (k >= g.done - block && k < end - block) out[k] = g.room->bytes[k];
    }
  }
}

// Writes up to `end`, from `done` on, of the round that starts at `block`. Whole: all of it.
template <bool Whole> SLUICE_INLINE void write_round(TeamSteps& g, u32 block, u32 end) {
  TeamStepRoom* const room = g.room;
  const u32 warp = team_warp(), step = warp * kStepBytes, words = block / kLanes % kTeamMarkWords;
  StepMarks* const mine = room->steps + words / kStepGroups + warp;
  const StepMarks marks = *mine;
  const u32 begins = lane() < kTeam * kStepGroups ? __popc(room->marks[words + lane()]) : 0;
  const u32 before = __reduce_add_sync(kAll, lane() < kStepGroups * warp ? begins : 0), all = __reduce_add_sync(kAll, begins);
  const u32* const entry = room->entries + (g.begun + before) % kTeamEntries;
  const u32 me = held(step + lane()), up_to = lanes_below() << 1 | 1;
  u32 at[kStepGroups], byte[kStepGroups], value[kStepGroups], begun = 0;
  SLUICE_UNROLLED
  for (u32 u = 0; u < kStepGroups; ++u) {
    value[u] = entry[begun + __popc(marks.word[u] & up_to)];
    at[u] = kLanes * u + me - value[u];
    begun += __popc(marks.word[u]);
  }
  const bool near = fetch_step<Whole, kTeamRound>(held(g.out + block), held(g.in + block), block, g.done - block, end, me, 0,
                                                  value, at, byte);
  SLUICE_UNROLLED
  for (u32 u = 0; u < kStepGroups; ++u) {
    room->bytes[kLanes * u + me] = (u8)byte[u];
    room->sources[0][kLanes * u + me] = at[u] < kTeamRound ? (u16)at[u] : kLoaded;
  }
  bool waits = ballot(near) != 0;  // this warp
  if (!waits) put_step<Whole>(g, block, step, end);
  u32 from = 0;
  bool more = __syncthreads_or(waits) != 0;
  if (lane() == 0) *mine = {{0, 0, 0, 0}};  // all have looked
  SLUICE_ROLLED
  while (more) {
    bool again = false;
    if (waits) {
      SLUICE_UNROLLED
      for (u32 u = 0; u < kStepGroups; ++u) {
        if (at[u] >= kTeamRound) continue;
        const u32 next = room->sources[from][at[u]];
        if (next == kLoaded) room->bytes[kLanes * u + me] = room->bytes[at[u]];
        else at[u] = next, again = true;
      }
    }
    SLUICE_UNROLLED
    for (u32 u = 0; u < kStepGroups; ++u)
      room->sources[1 - from][kLanes * u + me] = at[u] < kTeamRound ? (u16)at[u] : kLoaded;
    from = 1 - from;
    const bool whole = waits && ballot(again) == 0;
    if (whole) put_step<Whole>(g, block, step, end);
    waits = waits && !whole;
    more = __syncthreads_or(waits) != 0;
  }
  g.begun = (g.begun + all) % kTeamEntries;
  g.done = end;
}

// Writes whole rounds from `done` on, the start of a round, if they are all of one part: note [long parts]. Behind a barrier.
SLUICE_INLINE bool write_long_rounds(TeamSteps& g) {
  TeamStepRoom* const room = g.room;
  const u32 here = g.done / kLanes % kTeamMarkWords, begins = uniform(room->marks[here] & 1);
  u32 n = g.added - g.done;  // up to the next part
  SLUICE_ROLLED
  for (u32 i = lane(); i < kTeamMarkWords; i += kLanes) {
    const u32 word = room->marks[(here + i) % kTeamMarkWords] & (i == 0 ? ~1u : ~0u);
    const u32 next = kLanes * i + (u32)__ffs((i32)word) - 1;
    if (word != 0 && next < n) n = next;
  }
  n = __reduce_min_sync(kAll, n);
  const u32 entry = uniform(room->entries[(g.begun + begins) % kTeamEntries]), source = g.done - entry;
  const bool periodic = entry < kTeamRound, input = source >= kInput;
  // note [whole words]: where a word might stick out, it is for a round like all others.
  const u32 edge = input ? kInput : g.lowest, left = g.in_end - source;
  if (input && left < n + 4) n = left < 4 ? 0 : left - 4;
  n = n / kTeamRound * kTeamRound;
  if (n == 0 || (!periodic && source - edge < kUnitBytes)) return false;
  __syncthreads();  // all have looked at the marks
  if (begins != 0) {
    if (threadIdx.x == 0) room->marks[here] &= ~1u;
    g.begun = (g.begun + 1) % kTeamEntries;
  }
  copy_steps<kTeam>(g.out + g.done, (input ? g.in : g.out) + source, n, periodic ? entry : 0);
  g.done += n;
  return true;
}

// Writes what is known: all whole rounds of it, and what is less than a round only if nothing else is.
SLUICE_INLINE void write_known_rounds(TeamSteps& g) {
  __syncthreads();  // marks and entries are there
  if (SLUICE_UNLIKELY(g.done % kTeamRound != 0 || g.added - g.done < kTeamRound)) {
    const u32 block = g.done / kTeamRound * kTeamRound;
    write_round<false>(g, block, g.added - block < kTeamRound ? g.added : block + kTeamRound);
    return;
  }
  bool first = true;
  SLUICE_ROLLED
  do {
    if (SLUICE_UNLIKELY(g.has_long)) {
      if (!first) __syncthreads();  // the round before is done with its marks
      if (write_long_rounds(g)) continue;
    }
    write_round<true>(g, g.done, g.done + kTeamRound);
    first = false;
  } while (g.added - g.done >= kTeamRound);
}

}  // namespace prim
