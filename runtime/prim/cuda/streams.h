#pragma once
// note [streams] of ../streams.h, for a warp: of the streams that are begun together a lane has one, and decodes it as far as its bits
// and its count go. The lanes that have none go along with the first, and store nothing.

namespace prim {

constexpr u32 kStreamWord = 64;                 // bits of a load
constexpr u64 kStreamBefore = 8 * kLaneBefore;  // bits of the stream that stand before those of a load, or its words begin outside
constexpr u64 kStreamAfter = 3;                 // bytes of input behind a stream, or its first word ends outside
static_assert(kStreamBits <= kStreamWord, "a load shows them");

// Bits that a load shows, the next one highest.
struct ShownBits {
  u32 high, low;

  explicit SLUICE_METHOD ShownBits(u64 word) : high((u32)(word >> 32)), low((u32)word) {}
  // The entry of the code that comes next, which is passed.
  template <u32 Bits, typename Entry> SLUICE_METHOD u32 next(const Entry* table) {
    const u32 e = wide_entry(table[high >> (32 - Bits)]);
    high = __funnelshift_l(low, high, entry_bits(e));
    low <<= entry_bits(e);
    return e;
  }
};

// Decodes the beginnings of all. Bits: of the table's index, which no code passes. All lanes call it with equal values.
template <u32 Count, u32 Bits, Input K, Buffer B, typename Entry>
SLUICE_COLD void start_streams(const Stream<K, B>& s, StreamStart (&streams)[Count], const Entry* table) {
  constexpr u32 kLookUps = kStreamBits / Bits;
  static_assert(kLookUps > 0, "a load holds a code");
  static_assert(Count <= kLanes, "a lane each");
  // No entry of a code that has been built leaves, and all of one that has not.
  if (wide_entry(table[0]) & 4u << kKindShift) return;
  const StreamStart mine = streams[lane() < Count ? lane() : 0];
  const u8* const memory = global(s.lines.base);
  const u64 input = 8 * s.lines.first, first = input + 8 * (mine.end - mine.bytes);
  u32 last = 0;
  if (mine.bytes != 0 && mine.end + kStreamAfter <= s.size) last = s.in[mine.end - 1];
  if (ballot(last == 0) != 0) return;
  u64 at = input + 8 * mine.end - ((u32)__clz((i32)last) - 23), made = 0;  // of 32 bits 24 are none of the byte's; the one that ends the padding
  u8* const out = s.out + mine.place;
  for (;;) {
    const bool more = at >= first + kStreamWord + kStreamBefore && mine.count - made >= kLookUps;
    if (ballot(more) == 0) break;
    if (!more) continue;
    ShownBits shown(lane_bits<false>(memory, at - kStreamWord, kStreamWord));
    SLUICE_UNROLLED
    for (u32 n = 0; n < kLookUps; ++n) {
      const u32 e = shown.template next<Bits>(table);
      at -= entry_bits(e);
      if (worker() < Count) out[made + n] = (u8)entry_payload(e);
    }
    made += kLookUps;
  }
  // note [last symbols]: the rest is looked up likewise, and each code is tested: bits in front of the stream are shown, too. Where the first
  // one is that does not lie inside the stream, or has no room, the stream goes on by itself, and says so.
  bool more = true;
  for (;;) {
    more = more && at >= input + kStreamWord + kStreamBefore;
    if (ballot(more) == 0) break;
    if (!more) continue;
    ShownBits shown(lane_bits<false>(memory, at - kStreamWord, kStreamWord));
    SLUICE_UNROLLED
    for (u32 n = 0; n < kLookUps; ++n) {
      const u32 e = shown.template next<Bits>(table), bits = entry_bits(e);
      more = more && bits <= at - first && made < mine.count;
      if (more && worker() < Count) out[made] = (u8)entry_payload(e);
      at -= more ? bits : 0;
      made += more ? 1 : 0;
    }
  }
  sync();
  for (u32 k = 0; k < Count; ++k) {
    streams[k].pos = kTurn - (shfl64(at, k) - input);
    streams[k].made = shfl64(made, k);
  }
}

}  // namespace prim
