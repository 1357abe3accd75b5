#pragma once
// Output from short strings, of which each lane has a few that follow each other (strategy `lanes`).
//   note [strings]: a string is at most kStringBytes bytes in a word, zeros behind them. A prefix sum says where each lane's
//   begin. A lane shifts one after the other into the word it has begun; a word that is full goes to the stage. So each word
//   of the stage is stored once, by the lane that has its last byte: those who had begun it add theirs behind that, bit by bit
//   (all but its own bytes are zeros in each of them). The tile's last word, which nobody fills, begins as zeros.
//   note [stage]: its first byte goes to a multiple of kUnitBytes of the output. Whole units leave it, all of them at once;
//   what is left begins the next tile's stage, and lane 0 has begun its last word.

namespace prim {

constexpr u32 kStringBytes = 8, kLaneStrings = 8;
constexpr u32 kTileStrings = kLanes * kLaneStrings;
constexpr u32 kStageUnits = (kTileStrings * kStringBytes + kUnitBytes - 1) / kUnitBytes + 1;

struct StringStage {
  union {
    Unit units[kStageUnits];
    u64 words[2 * kStageUnits];
    u32 halves[4 * kStageUnits];
  };
};
// One for each warp that writes: SLUICE_STRING_WARPS of them a chunk.
constexpr u32 kStages = SLUICE_WARPS * SLUICE_STRING_WARPS;
SLUICE_ROOM StringStage string_stages[kStages];
SLUICE_INLINE StringStage* own_stage() { return &string_stages[kStages == 1 ? 0 : threadIdx.x / kLanes]; }

// Where output goes. Equal in all lanes, but for what lane 0 has begun.
struct StringOutput {
  StringStage* room;
  u8* out;     // the stage's first byte goes there
  u32 low;     // from there on: before it lies what is none of this output
  u32 filled;  // up to there
  u64 begun;   // the word in which that lies, of lane 0; of the others nothing

  SLUICE_METHOD void open(u8* to) {
    room = in_register(own_stage());
    low = filled = uniform((u32)(u64)to % kUnitBytes);
    out = global(uniform(to)) - low;
    begun = 0;
    sync();
    if (lane() == 0) room->units[0] = {0, 0};
  }
};

// What of t << bits goes beyond the word; bits < 64.
SLUICE_INLINE u64 beyond(u64 t, u32 bits) {
#if defined(__CUDA_ARCH__)
  u64 high;
  asm("shr.b64 %0, %1, %2;" : "=l"(high) : "l"(t), "r"(64 - bits));
  return high;
#else
  return t >> 1 >> (63 - bits);
#endif
}

// This lane's strings: `sizes`, and what text(k) makes of the k-th one. `before`: bytes of lanes before it; `all`: of all lanes.
template <typename Text> SLUICE_INLINE void put_strings(StringOutput& g, const u32 (&sizes)[kLaneStrings], u32 before, u32 all, const Text& text) {
  StringStage* const room = g.room;
  const u32 end = g.filled + all;
  sync();  // what has left the stage has left it
  if (lane() == 0) room->words[end / kStringBytes] = 0;
  u32 at = g.filled + before, bits = 8 * at % 64;
  u64* word = room->words + at / kStringBytes;
  u64 begun = g.begun;
  SLUICE_UNROLLED
  for (u32 k = 0; k < kLaneStrings; ++k) {
    const u64 t = text(k), first = begun | t << bits;
    const u32 to = bits + 8 * sizes[k];
    const bool full = to >= 64;
    if (full) *word++ = first;
    begun = full ? beyond(t, bits) : first;
    bits = to % 64;
  }
  g.filled = end;
  sync();
  u32* const last = (u32*)word;
  if ((u32)begun != 0) atomicOr(last, (u32)begun);
  if ((begun >> 32) != 0) atomicOr(last + 1, (u32)(begun >> 32));
  sync();
}

// Whole units leave the stage.
SLUICE_INLINE void put_out_units(StringOutput& g) {
  StringStage* const room = g.room;
  const u32 whole = g.filled / kUnitBytes;
  u32 from = 0;
  if (SLUICE_UNLIKELY(g.low != 0) && whole != 0) {
    if (lane() >= g.low && lane() < kUnitBytes) g.out[lane()] = ((const u8*)room->units)[lane()];
    g.low = 0;
    from = 1;
    sync();
  }
  SLUICE_ROLLED
  for (; from < whole; from += kLanes)
    if (from + lane() < whole) ((Unit*)g.out)[from + lane()] = room->units[from + lane()];
  if (lane() == 0) {
    const Unit left = room->units[whole];
    room->units[0] = left;
    g.begun = g.filled % kUnitBytes < kStringBytes ? left.low : left.high;
  }
  g.out += whole * kUnitBytes;
  g.filled %= kUnitBytes;
}

// And what is left.
SLUICE_INLINE void put_out_rest(StringOutput& g) {
  sync();
  if (lane() >= g.low && lane() < g.filled) g.out[lane()] = ((const u8*)g.room->units)[lane()];
}

}  // namespace prim
