#pragma once
// Wide steps: output from records a unit of 8 bytes a lane, where parts are long (strategy `speculate`). What records, marks,
// entries and sources are: steps.h.
//   note [wide steps]: units stand at multiples of 8, and lane k makes the k-th one of a step. It is plain if it is of one
//   part, a copy, and equal to the unit m in front of it, where 8 m is the least multiple of both 8 and the copy's distance: it
//   always is where that is 8 m itself; else where the part holds that unit, too. Plain units are followed from one to
//   the other, in all lanes at once, up to one in front of the step, which is loaded, or known from the step before; or
//   to one of the step that is not plain. Of those, copies from in front of the step are loaded as they lie. All
//   others are mixed, and are put together byte by byte, one after the other, by eight lanes, which follow bytes from one to the
//   other. Then the units that equal it have theirs, too. A step with more than kMixedUnits is no wide one.
//   So a run of a value of 8 bytes costs a mixed unit, wherever it begins, and steps that it fills a shuffle and a store.
//   They are tried while the parts last added are of kWideParts bytes on average (directive `wide_parts`).

namespace prim {

// Of more mixed units a wide step costs what others do (counted in the code, not measured).
constexpr u32 kMixedUnits = 6;
constexpr u32 kUnitMarks = kMarks / kWideUnit;  // the ring's, a byte each
static_assert(kWideBytes % kStepBytes == 0, "whole steps");
static_assert(!kWide || kStepBytes + kWideBytes + kTileRoom < kMarks, "the first record can be taken while less than that is to be done");

// Records that are known, of which some parts are long. Equal in all lanes.
struct LongParts {
  StepRoom* room;
  u8* out;
  const u8* in;
  u32 done, added, begun;
  u32 lowest, window, in_end;  // there is no output in front of the first two, which are equal, and no input from the last on
};

// The mixed unit of lane `which`, those in front of it being known, when it is known. Lanes k, k + 8, ... make byte k of it. `unit`: this lane's; `begins`: its marks,
// and above them the entries of parts that begin in front of it.
SLUICE_INLINE u64 mix_unit(const LongParts& w, u32 which, u32 begins, u64 unit) {
  const u32 k = lane() % kWideUnit, marks = shfl(begins, which);
  const u32 entry = w.room->entries[((marks >> 8) + __popc(marks & ((2u << k) - 1))) % kEntries];
  const u32 from = kWideUnit * which + k - kLess - entry;  // in the step
  const bool literal = is_literal(entry), near = !literal && from < kWideBytes;
  const u32 there = from / kWideUnit % kLanes;
  const u32 low = shfl((u32)unit, there), high = shfl((u32)(unit >> 32), there);
  u32 byte = kValues && literal ? entry : (from % 8 < 4 ? low : high) >> 8 * (from % 4);
  if (!near && !(kValues && literal)) byte = (literal ? global(w.in) : global(w.out))[w.done + from];
  // Bytes of this unit are followed from lane to lane.
  const bool follow = near && there == which;
  if (ballot(follow) != 0) {
    u32 of = follow ? from % kWideUnit : k;
    bool more;
    do {
      const u32 next = shfl(of, of);
      more = next != of;
      of = next;
    } while (ballot(more) != 0);
    byte = shfl(byte, of);
  }
  const u32 placed = (byte & 0xff) << 8 * (k % 4);
  return (u64)__reduce_or_sync(kAll, k < 4 ? 0 : placed) << 32 | __reduce_or_sync(kAll, k < 4 ? placed : 0);
}

// Writes wide steps from `done` on, as far as they are some.
SLUICE_INLINE void write_wide(LongParts& w) {
  const i32 me = (i32)lane();
  const u32 below = lanes_below();
  // Of the step before: this lane's unit, and the entry of its first byte; units that equal the one in front of them.
  u64 last = 0;
  u32 last_first = w.begun - 1, same = 0;
  const u32 before = w.done - kWideBytes + kWideUnit * (u32)me;
  if ((i32)(before - w.lowest) >= 0) last = *(const u64*)(global(w.out) + before);
  SLUICE_ROLLED
  while (w.added - w.done >= kWideBytes) {
    u64* const out = (u64*)(global(w.out) + w.done);
    u8* const mine = (u8*)w.room->marks + (w.done / kWideUnit + (u32)me) % kUnitMarks;
    const u32 marks = *mine;
    if (ballot(marks != 0) == 0 && same >> (kLanes - 1) != 0) {
      last = shfl64(last, kLanes - 1);
      last_first = w.begun;
      out[me] = last;
      w.done += kWideBytes;
      sync();
      continue;
    }
    const u32 number = w.begun + scan_add(__popc(marks)), earlier = number - __popc(marks), first = earlier + (marks & 1);
    const u32 entry = w.room->entries[number % kEntries], distance = entry + kLess;
    i32 at = me;  // the unit that this one equals
    if (marks <= 1 && !is_literal(entry)) at -= (i32)(distance / kWideUnit);
    u64 unit = 0;
    u32 loaded = 0;
    const bool odd = marks <= 1 && !is_literal(entry) && distance % kWideUnit != 0, any_odd = ballot(odd) != 0;
    if (any_odd) {
      const u32 zeros = __clz((i32)__brev(distance)), source = w.done + kWideUnit * (u32)me - distance;
      const i32 there = me - (i32)(distance >> zeros);  // for 8 has no more twos
      const u32 now = shfl(first, (u32)there % kLanes), then = shfl(last_first, (u32)there % kLanes);
      const bool part = there >= -(i32)kLanes && (there >= 0 ? now : then) == first;
      const bool loads = odd && !part && distance >= kWideUnit * ((u32)me + 1) && source - w.lowest >= kWideUnit;
      if (odd) at = part ? there : me;
      if (loads) {  // note [whole words]
        const u64* const words = (const u64*)(global(w.out) + source / kWideUnit * kWideUnit);
        const u32 shift = 8 * (source % kWideUnit);
        unit = words[0] >> shift | words[1] << (kWideUnit * 8 - shift);
      }
      loaded = ballot(loads);
    }
    const u32 plain = ballot(at != me);
    u32 mixed = ~(plain | loaded);
    if (__popc(mixed) > (i32)kMixedUnits) break;
    const bool next = at == me - 1;
    same = ballot(next);
    if (next) at = 31 - __clz((i32)(~same & below));  // in front of the step: -1
    if ((plain & ~same) != 0) {
      bool more;
      do {
        const i32 further = (i32)shfl((u32)at, (u32)at % kLanes);
        more = at >= 0 && further != at;
        if (more) at = further;
      } while (ballot(more) != 0);
      const bool far = at < -(i32)kLanes;
      if (ballot(far) != 0) {
        if (far) unit = out[at];
      }
    }
    const u64 of_last = shfl64(last, (u32)at % kLanes);
    if (at < 0 && at >= -(i32)kLanes) unit = of_last;
    if (loaded != 0) {
      const u64 other = shfl64(unit, (u32)at % kLanes);
      if (at >= 0) unit = other;
    }
    SLUICE_ROLLED
    for (; mixed != 0; mixed &= mixed - 1) {
      const i32 which = __ffs((i32)mixed) - 1;
      const u64 made = mix_unit(w, (u32)which, earlier << 8 | marks, unit);
      if (at == which) unit = made;
    }
    out[me] = unit;
    if (marks != 0) *mine = 0;
    last = unit;
    last_first = first;
    w.begun = uniform(number);
    w.done += kWideBytes;
    sync();
  }
  w.begun %= kEntries;
  sync();
}

}  // namespace prim
