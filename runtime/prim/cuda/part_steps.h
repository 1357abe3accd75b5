#pragma once
// Output of parts that lanes decode side by side, in steps (strategy `split`, `resolve steps`): each lane goes through its
// part once and leaves entries and marks; where the parts go is known when all have done so, and then all lanes together
// write the output as steps.h does.
//   note [slots]: a lane's slot is a share of the memory of entries and marks. A piece of its part, a value or a copy, is an
//   entry there, and a bit at its first output, counted from the part's. When the parts' places are known, slots are pushed
//   together in their order, and stand as entries and marks of one run of records: what is pushed never moves up, so nothing
//   is overwritten that has yet to move. Position kOrigin is word 0 of the marks, entry 0 lies in front of the first piece.
//   note [spare]: the last entry and the last word of a slot take what does not fit, so that nothing is asked before a piece is put.
//   note [together]: where every lane has one, all slots are pushed at once: each lane takes its own into registers before any
//   is overwritten.
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
  return {room->entries + kSlotsFrom + part * kSlotEntries, room->marks + kStepGroups + part * kSlotWords, share * kSlotEntries - 1,
          share * kSlotWords - 1};
}

// Loads a word of the input where that is so; else `v` stays. Nobody waits for it before it is used: a word that is loaded and
// then chosen or not is waited for where it is chosen.
SLUICE_INLINE void load_when(bool so, const u32* p, u32& v) {
#if defined(__CUDA_ARCH__)
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p ld.global.u32 %0, [%1]; }" : "+r"(v) : "l"(p), "r"((u32)so));
#else
  if (so) v = *p;
#endif
}

SLUICE_INLINE void clear_marks(StepRoom* room) {
  constexpr u32 kUnits = kMarkWords * 4 / kUnitBytes, kEach = (kUnits + kLanes - 1) / kLanes;
  SLUICE_UNROLLED
  for (u32 u = 0; u < kEach; ++u)
    if (u + 1 < kEach || kLanes * u + lane() < kUnits) ((Unit*)room->marks)[kLanes * u + lane()] = {0, 0};
}

// Before lanes fill their slots. Behind it all see that none has a mark.
SLUICE_INLINE void clear_slots() {
  StepRoom* const room = part_room();
  sync();
  clear_marks(room);
  if (lane() == 0) room->entries[0] = 0;
  sync();
}

// ---- Pushing -------------------------------------------------------------------------------------------------------

constexpr u32 kEntriesOfWord = sizeof(u32) / sizeof(Entry), kSlotEntryWords = kSlotEntries / kEntriesOfWord;
constexpr u32 kMostTogether = 64;  // words that a lane has registers for
constexpr bool kPushTogether = kSlots && kSlotEntryWords + kSlotWords <= kMostTogether;  // note [together]
static_assert(kSlotEntries % kEntriesOfWord == 0 && kSlotsFrom % kEntriesOfWord == 0, "slots begin at words");

// n entries of each lane's slot to those from `to` on, as far as they go, and its marks to bit `at` on. Other marks are gone.
SLUICE_INLINE void push_together(StepRoom* room, u32 to, u32 at, u32 n) {
  const Entry* const own = room->entries + kSlotsFrom + lane() * kSlotEntries;
  const u32* const marks = room->marks + kStepGroups + lane() * kSlotWords;
  u32 entry[kSlotEntryWords + 1] = {}, mark[kSlotWords + 1] = {};
  const Entry last = own[n == 0 ? 0 : n - 1];
  SLUICE_UNROLLED
  for (u32 i = 0; i < kSlotEntryWords; ++i) entry[i] = ((const u32*)own)[i];
  SLUICE_UNROLLED
  for (u32 i = 0; i + 1 < kSlotWords; ++i) mark[i + 1] = marks[i];
  sync();
  clear_marks(room);
  const u32 skip = (0 - to) % kEntriesOfWord;  // entries in front of the first whole word
  if (n != 0 && skip != 0) room->entries[to] = (Entry)entry[0];
  const u32 whole = n < skip ? 0 : (n - skip) / kEntriesOfWord;
  u32* const words = (u32*)(room->entries + to + skip);
  SLUICE_UNROLLED
  for (u32 i = 0; i < kSlotEntryWords; ++i)
    if (i < whole) words[i] = __funnelshift_r(entry[i], entry[i + 1], 8 * sizeof(Entry) * skip);
  if (n != 0) room->entries[to + n - 1] = last;
  sync();
  if (n != 0) {
    SLUICE_UNROLLED
    for (u32 i = 0; i < kSlotWords; ++i) {
      const u32 bits = __funnelshift_l(mark[i], mark[i + 1], at % kLanes);
      if (bits != 0) atomicOr(&room->marks[at / kLanes + i], bits);
    }
  }
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

// Those of the first `count` lanes, one after the other: each has entries, how many of them above 16 bits, and marks likewise.
// `last`: the word of marks that has been set last; `last_step`: that which the last mark is in.
SLUICE_COLD void push_in_turn(StepRoom* room, u32 mine_entries, u32 mine_marks, u32 last, u32 last_step, u32 count, u32 width) {
  const u32 parts = uniform(count), share = uniform(kLanes / width);
  SLUICE_ROLLED
  for (u32 part = 0; part < parts; ++part) {
    const u32 e = uniform(shfl(mine_entries, part)), m = uniform(shfl(mine_marks, part));
    if (e >> 16 == 0) continue;
    const u32 at = m & 0xffff, words = ((m >> 16) + kLanes - 1) / kLanes;
    push_entries(room->entries + 1 + (e & 0xffff), room->entries + kSlotsFrom + part * share * kSlotEntries, e >> 16);
    push_marks(room->marks, at, room->marks + kStepGroups + part * share * kSlotWords, words);
    last = at / kLanes + words;
  }
  const u32 of_step = last_step * kStepGroups + lane();  // what slots have left in the last step
  if (lane() < kStepGroups && of_step > last) room->marks[of_step] = 0;
}

// Writes what has been pushed. Of the first and the last step something lies outside. In a function of its own what all loads
// need stays in registers of the warp.
SLUICE_COLD void write_pushed(u8* out, u32 done, u32 added) {
  Steps g;
  g.room = part_room();
  converge(g.room->stage);
  g.out = uniform(out);
  g.done = uniform(done);
  g.added = uniform(added);
  g.begun = 0;
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

// Writes the first `count` lanes' parts, which make `made` outputs of `entries` pieces each, from s.produced on.
template <typename S> SLUICE_COLD void write_parts(const S& s, u32 width, u32 count, u32 entries, u32 made) {
  Steps g;
  StepRoom* const room = g.room = part_room();
  converge(room->stage);
  g.place<true>(s, s.in, 0);
  const u32 n = lane() < count ? entries : 0, outputs = lane() < count ? made : 0;
  const u32 numbers = scan_add(n), through = scan_add(outputs), start = g.first - kOrigin;
  g.added = g.first + uniform(shfl(through, kLanes - 1));
  sync();
  if (kPushTogether && uniform(width) == kLanes)
    push_together(room, 1 + numbers - n, start + through - outputs, n);
  else
    push_in_turn(room, numbers - n | n << 16, start + through - outputs | outputs << 16, start / kLanes, (g.added - kOrigin) / kStepBytes, count, width);
  write_pushed(g.out, g.done, g.added);
}

}  // namespace prim
