#pragma once
// Output of parts that lanes decode side by side, in steps (strategy `split`, `resolve steps`): each lane goes through its
// part once and leaves entries and marks; where the parts go is known when all have done so, and then all lanes together
// write the output as steps.h does.
//   note [slots]: a lane's slot is a share of the memory of entries and marks. A piece of its part, a value or a copy, is an
//   entry there, and a bit at its first output, counted from the part's. When the parts' places are known, slots are pushed
//   together in their order, and stand as entries and marks of one run of records: what is pushed never moves up, so nothing
//   is overwritten that has yet to move. Position kOrigin is word 0 of the marks, entry 0 lies in front of the first piece.
//   note [spare]: the last entry and the last word of a slot take what does not fit, so that nothing is asked before a piece is put.
//   note [few parts]: what does not fit a slot has more room when fewer lanes share all of it: `width` of them, a power of two.

namespace prim {

static_assert(!kSlots || (kMarks < 1u << 16 && kEntries < 1u << 16), "positions of all slots, and numbers of entries, have 16 bits");
static_assert(kStepBytes <= kLanes * kStepGroups, "a step's marks lie before the slots': what is pushed moves down");

struct PartSlot {
  Entry* entries;
  u32* marks;
  u32 most, words;  // entries and words that it has room for: the one behind them is spare
};

SLUICE_INLINE StepRoom* part_room() { return in_register(&step_rooms[SLUICE_WARPS == 1 ? 0 : threadIdx.x / kLanes]); }

// This lane's, of `width` that share the room.
SLUICE_INLINE PartSlot slot_of(u32 width) {
  StepRoom* const room = part_room();
  const u32 share = kLanes / width, part = lane() * share;
  return {room->entries + 1 + part * kSlotEntries, room->marks + kStepGroups + part * kSlotWords, share * kSlotEntries - 1,
          share * kSlotWords - 1};
}

// Before lanes fill their slots. Behind it all see that none has a mark.
SLUICE_INLINE void clear_slots() {
  StepRoom* const room = part_room();
  constexpr u32 kUnits = kMarkWords * 4 / kUnitBytes;
  sync();
  SLUICE_ROLLED
  for (u32 i = lane(); i < kUnits; i += kLanes) ((Unit*)room->marks)[i] = {0, 0};
  if (lane() == 0) room->entries[0] = 0;
  sync();
}

// n entries from `from` down to `to`.
SLUICE_INLINE void push_entries(Entry* to, const Entry* from, u32 n) {
  constexpr u32 kEach = 4;
  SLUICE_ROLLED
  for (u32 base = 0; base < n; base += kEach * kLanes) {
    Entry v[kEach] = {};
    SLUICE_UNROLLED
    for (u32 u = 0; u < kEach; ++u)
      if (base + kLanes * u + lane() < n) v[u] = from[base + kLanes * u + lane()];
    sync();
    SLUICE_UNROLLED
    for (u32 u = 0; u < kEach; ++u)
      if (base + kLanes * u + lane() < n) to[base + kLanes * u + lane()] = v[u];
  }
}

// Marks of so many words from `from` down to bit `at` of `marks`. What lies before that bit in its word stays; the words up to
// the one that the last of them ends in are set.
SLUICE_INLINE void push_marks(u32* marks, u32 at, const u32* from, u32 words) {
  u32* const to = marks + at / kLanes;
  SLUICE_ROLLED
  for (u32 base = 0; base <= words; base += kLanes) {
    const u32 i = base + lane();
    const u32 above = i < words ? from[i] : 0, below = i != 0 && i <= words ? from[i - 1] : 0, here = i == 0 ? *to : 0;
    sync();
    if (i <= words) to[i] = here | __funnelshift_l(below, above, at % kLanes);
  }
}

// Writes the first `count` lanes' parts, which make `made` outputs of `entries` pieces each, from s.produced on.
template <typename S> SLUICE_COLD void write_parts(const S& s, u32 width, u32 count, u32 entries, u32 made) {
  Steps g;
  StepRoom* const room = g.room = part_room();
  converge(room->stage);
  g.place<true>(s, s.in, 0);
  const u32 n = lane() < count ? entries : 0, outputs = lane() < count ? made : 0;
  const u32 numbers = scan_add(n), through = scan_add(outputs), start = g.first - kOrigin;
  const u32 mine_entries = numbers - n | n << 16, mine_marks = start + through - outputs | outputs << 16;
  const u32 parts = uniform(count), share = uniform(kLanes / width);
  u32 last = start / kLanes;  // the word of marks that has been set last
  sync();
  SLUICE_ROLLED
  for (u32 part = 0; part < parts; ++part) {
    const u32 e = uniform(shfl(mine_entries, part)), m = uniform(shfl(mine_marks, part));
    if (e >> 16 == 0) continue;
    const u32 at = m & 0xffff, words = ((m >> 16) + kLanes - 1) / kLanes;
    push_entries(room->entries + 1 + (e & 0xffff), room->entries + 1 + part * share * kSlotEntries, e >> 16);
    push_marks(room->marks, at, room->marks + kStepGroups + part * share * kSlotWords, words);
    last = at / kLanes + words;
  }
  g.added = g.first + uniform(shfl(through, kLanes - 1));
  const u32 of_step = (g.added - kOrigin) / kStepBytes * kStepGroups + lane();  // what slots have left in the last step
  if (lane() < kStepGroups && of_step > last) room->marks[of_step] = 0;
  sync();
  // Of the first and the last step something lies outside.
  SLUICE_ROLLED
  while (g.done != g.added) {
    const u32 block = g.done / kStepBytes * kStepBytes;
    if (SLUICE_UNLIKELY(g.done != block || g.added - block < kStepBytes)) {
      write_step<false>(g, block, g.added - block < kStepBytes ? g.added : block + kStepBytes);
    } else {
      SLUICE_ROLLED
      do write_step<true>(g, g.done, g.done + kStepBytes);
      while (g.added - g.done >= kStepBytes);
    }
  }
}

}  // namespace prim
