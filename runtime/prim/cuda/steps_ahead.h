#pragma once
// Steps by a warp that only writes (writer.h), directive `steps_ahead`: it has few others beside it that work while it waits,
// so it waits less often.
//   note [ahead]: the next step's bytes are on their way while one is put together. What is written by then is loaded; what
//   comes from the step that is put together meanwhile is taken from that one's stage, so there are two stages in turn. A step
//   behind none, or behind one of another form, has all that lies before it loaded.
//   note [chains]: sources inside the step are followed in all its groups at once, twice as far each time, by a table of them.
//   Most are followed once: where they lead is nearly always loaded.

namespace prim {

struct AheadRoom {
  union {
    Unit stage[2][kStepBytes / kUnitBytes];
    u8 bytes[2][kStepBytes];
  };
  u8 sources[kStepBytes];
};
static_assert(kStepBytes <= 256, "a source in the step has 8 bits");
__shared__ AheadRoom ahead_room;
// Shared memory of a chunk.
constexpr u64 kAheadBytes = sizeof(ahead_room);

// A step whose bytes are on their way.
struct StepAhead {
  u32 at[kStepGroups], byte[kStepGroups];  // as in fetch_step
  u32 block;
  u32 behind;  // bytes in front of it that are another such step's: a step's, or none
};

// The step at `done`, all of which is known. `behind`: see there.
SLUICE_INLINE void fetch_ahead(Steps& g, StepAhead& s, u32 behind) {
  StepRoom* const room = g.room;
  StepMarks* const step = room->steps + g.done / kStepBytes % (kMarkWords / kStepGroups);
  const StepMarks marks = *step;
  const u32 me = held(lane()), up_to = lanes_below() << 1 | 1;
  const Entry* const entry = room->entries + g.begun;
  const u8 *const out = held(g.out + g.done), *const in = kValues ? out : held(g.in + g.done);
  u32 begun = 0;
  SLUICE_UNROLLED
  for (u32 u = 0; u < kStepGroups; ++u) {
    const u32 value = entry[begun + __popc(marks.word[u] & up_to)], at = kLanes * u + me - kLess - value;
    const bool is_value = kValues && (value & kValue) != 0;
    s.at[u] = is_value ? kInput : at;
    s.byte[u] = load_from(global(((i32)at < 0 ? out : in) + (i32)at), is_value ? 0 : at + behind, kStepBytes + behind);
    if (is_value) s.byte[u] = value;
    begun += __popc(marks.word[u]);
  }
  s.block = g.done;
  s.behind = behind;
  sync();  // all have read the marks
  if (lane() == 0) *step = {{0, 0, 0, 0}};
  g.begun = (g.begun + begun) % kEntries;
  g.done += kStepBytes;
}

// Note [chains].
SLUICE_INLINE void follow_chains(u8* stage, u8* sources, const u32 (&from)[kStepGroups]) {
  const u32 me = lane();
  u32 at[kStepGroups];
  SLUICE_UNROLLED
  for (u32 u = 0; u < kStepGroups; ++u) {
    at[u] = from[u] < kStepBytes ? from[u] : kLanes * u + me;
    sources[kLanes * u + me] = (u8)at[u];
  }
  sync();
  SLUICE_ROLLED
  for (;;) {
    bool more = false;
    u32 next[kStepGroups];
    SLUICE_UNROLLED
    for (u32 u = 0; u < kStepGroups; ++u) {
      next[u] = sources[at[u]];
      more |= next[u] != at[u];
    }
    if (ballot(more) == 0) break;
    sync();  // all have read
    SLUICE_UNROLLED
    for (u32 u = 0; u < kStepGroups; ++u) {
      at[u] = next[u];
      sources[kLanes * u + me] = (u8)at[u];
    }
    sync();
  }
  SLUICE_UNROLLED
  for (u32 u = 0; u < kStepGroups; ++u)
    if (from[u] < kStepBytes) stage[kLanes * u + me] = stage[at[u]];
  sync();
}

// Puts the step together and writes it.
SLUICE_INLINE void finish_ahead(const Steps& g, const StepAhead& s) {
  AheadRoom* const room = in_register(&ahead_room);
  const u32 turn = s.block / kStepBytes % 2, me = held(lane());
  u8 *const stage = room->bytes[turn], *const before = room->bytes[1 - turn];
  bool near = false;
  SLUICE_UNROLLED
  for (u32 u = 0; u < kStepGroups; ++u) {
    u32 byte = s.byte[u];
    if (s.at[u] + s.behind < s.behind) byte = before[s.at[u] + kStepBytes];
    stage[kLanes * u + me] = (u8)byte;
    near |= s.at[u] < kStepBytes;
  }
  const bool some = ballot(near) != 0;
  sync();
  if (some) follow_chains(stage, room->sources, s.at);
  if (me < kStepBytes / kUnitBytes) ((Unit*)held(g.out + s.block))[me] = room->stage[turn][me];
  sync();
}

// What is known of whole steps, and up to `all`, of a packet's, what is less than a step, too.
struct AheadSteps {
  StepAhead now;
  bool pending;  // `now` is to be put together

  SLUICE_METHOD void finish(const Steps& g) {
    if (pending) finish_ahead(g, now);
    pending = false;
  }
  // Writes more of what is known: one step, which may be put together later, or what write_known() does.
  SLUICE_METHOD void write(Steps& g) {
    const bool careful = kDictionary && g.done < g.careful, looks = (kLongParts && g.has_long) || (kWide && g.has_wide);
    if (SLUICE_UNLIKELY(careful || looks || g.done % kStepBytes != 0 || g.added - g.done < kStepBytes)) {
      finish(g);
      write_known(g);
      return;
    }
    StepAhead next;
    fetch_ahead(g, next, pending ? kStepBytes : 0);
    finish(g);
    now = next;
    pending = true;
  }
};

}  // namespace prim
