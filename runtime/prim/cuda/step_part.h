#pragma once
// A step of which something is not to be written: the first or the last one of a run of records (strategy `speculate`). What records
// and steps are: steps.h.

namespace prim {

// Of a step, which starts at `block`, the bytes from `known` to `until`.
struct StepPart {
  StepRoom* room;
  u8* out;       // Places'
  const u8* in;  // likewise
  u32 block, known, until, begun, window;
};
// How many parts begin in it. Such steps are few, so this is made to be small: each group of 32 is written before the next one
// is looked at, and what is taken from the groups before it comes from the output.
SLUICE_COLD u32 write_part(StepPart p) {
  StepMarks* const step = p.room->steps + p.block / kStepBytes % (kMarkWords / kStepGroups);
  u8* const out = global(p.out + p.block);
  u32 begun = 0;
  SLUICE_ROLLED
  for (u32 u = 0; u < kStepGroups; ++u) {
    const u32 marks = step->word[u], k = kLanes * u + lane();
    const u32 value = entry_value(p.room->entries[p.begun + begun + __popc(marks & (lanes_below() << 1 | 1))]);
    begun += __popc(marks);
    if (kLanes * (u + 1) <= p.known || kLanes * u >= p.until) continue;
    const bool mine = k >= p.known && k < p.until, is_value = kValues && (value & kValue) != 0;
    const u32 at = entry_source(k, value);
    // The lane of this group whose byte it is, if there is one.
    u32 from = mine && !is_value && at >= p.known ? at - kLanes * u : kLanes;
    bool more;
    do {
      const u32 next = shfl(from, from % kLanes);
      more = from < kLanes && next < kLanes;
      if (more) from = next;
    } while (ballot(more) != 0);
    u32 byte = value;
    if (mine && !is_value && from >= kLanes) {
      const u8* source = (kValues || (i32)at < (i32)kStepBytes ? out : p.in + p.block) + (i32)at;
      if (kDictionary && p.block + at < p.window)
        source = dictionary_ends[SLUICE_WARPS == 1 ? 0 : threadIdx.x / kLanes] + (i32)(p.block + at - p.window);
      byte = *global(source);
    }
    const u32 other = shfl(byte, from % kLanes);
    if (mine) out[k] = (u8)(from < kLanes ? other : byte);
    sync();
  }
  sync();  // all have read the marks
  if (lane() == 0) *step = {{0, 0, 0, 0}};
  sync();
  return begun;
}

// Writes what is known of the step at `done`.
SLUICE_INLINE void write_some(Steps& g) {
  const u32 block = g.done / kStepBytes * kStepBytes;
  const u32 end = g.added - block < kStepBytes ? g.added : block + kStepBytes;
  const u32 begun = write_part({g.room, g.out, g.in, block, g.done - block, end - block, g.begun, kDictionary ? g.window : 0});
  converge(g.room->stage);
  g.begun = (g.begun + uniform(begun)) % kEntries;
  g.done = end;
}

}  // namespace prim
