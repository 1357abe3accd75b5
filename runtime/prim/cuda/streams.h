#pragma once
// note [streams] of ../streams.h, for a warp: of the streams that are begun together a lane has one, and decodes it as far as its bits
// and its count go. The lanes that have none wait.

namespace prim {

constexpr u32 kStreamWord = 64;                 // bits of a load
constexpr u64 kStreamBefore = 8 * kLaneBefore;  // bits of the stream that stand before those of a load, or its words begin outside
constexpr u64 kStreamAfter = 3;                 // bytes of input behind a stream, or its first word ends outside
static_assert(kStreamBits <= kStreamWord, "a load shows them");

// Bits that a load shows, the next one highest.
struct ShownBits {
  u32 high, low;

  // The entry of the code that comes next, which is passed.
  template <u32 Bits, typename Entry> SLUICE_METHOD u32 next(const Entry* table) {
    const u32 e = wide_entry(table[high >> (32 - Bits)]);
    high = __funnelshift_l(low, high, entry_bits(e));
    low <<= entry_bits(e);
    return e;
  }
};

// Words of the input, whose bits are counted from a stream's first word on: bits in front of that have numbers below 0.
struct StreamWords {
  const u32* first;

  // The 64 bits below bit `at`.
  SLUICE_METHOD ShownBits shown(i32 at) const {
    const i32 from = at - (i32)kStreamWord;
    const u32 *const p = first + (from >> 5), last = first[(at - 1) >> 5];
    return {__funnelshift_r(p[1], last, (u32)at), __funnelshift_r(p[0], p[1], (u32)at)};
  }
  // That word, or the first one.
  SLUICE_METHOD u32 inside(i32 number) const { return first[number < 0 ? 0 : number]; }
};
static_assert(kStreamWord % 32 == 0, "where they begin in a word is where they end");

// The three words that the 64 bits below a place lie in: from number `top` down, which is that of the bit at the place. So words are asked for a round
// before they are looked at: two of them, for a round takes fewer bits than that.
struct StreamWindow {
  i32 top = 0;
  u32 high = 0, middle = 0, low = 0;

  SLUICE_METHOD void open(const StreamWords& words, i32 at) {
    top = at >> 5;
    high = words.first[(at - 1) >> 5];  // where the place is a word's first bit nothing of that word is looked at, and it may not be there
    middle = words.first[top - 1];
    low = words.first[top - 2];
  }
  SLUICE_METHOD ShownBits shown(i32 at) const { return {__funnelshift_r(middle, high, (u32)at), __funnelshift_r(low, middle, (u32)at)}; }
  // `next`, `after`: those below `low`.
  SLUICE_METHOD void move(i32 at, u32 next, u32 after) {
    const i32 by = top - (at >> 5);
    top = at >> 5;
    high = by == 0 ? high : by == 1 ? middle : low;
    middle = by == 0 ? middle : by == 1 ? low : next;
    low = by == 0 ? low : by == 1 ? next : after;
  }
};
static_assert(kStreamBits <= 2 * 32, "a round takes no more words");
constexpr u64 kMostStreamBytes = 1 << 27, kMostStreamCount = 1 << 30;  // of a stream that is begun so: its bits and outputs are counted in a word

// Decodes the beginnings of all. Bits: of the table's index, which no code passes. All lanes call it with equal values.
template <u32 Count, u32 Bits, Input K, Buffer B, typename Entry>
SLUICE_COLD void start_streams(const Stream<K, B>& s, StreamStart (&streams)[Count], const Entry* table) {
  constexpr u32 kLookUps = kStreamBits / Bits;
  static_assert(kLookUps > 0, "a load holds a code");
  static_assert(Count <= kLanes, "a lane each");
  // No entry of a code that has been built leaves, and all of one that has not.
  if (wide_entry(table[0]) & 4u << kKindShift) return;
  const bool has_stream = lane() < Count;
  const StreamStart mine = streams[has_stream ? lane() : 0];
  u32 last = 0;
  if (mine.bytes != 0 && mine.bytes <= kMostStreamBytes && mine.end + kStreamAfter <= s.size) last = s.in[mine.end - 1];
  if (ballot(last == 0) != 0) return;
  const u64 front = mine.end - mine.bytes, bit = 8 * (s.lines.first + front);
  const StreamWords words = {(const u32*)global(s.lines.base) + bit / 32};
  const i32 first = (i32)(bit % 32), lowest = (i32)(kStreamWord + kStreamBefore);  // a load ends there at the earliest, counted from the input's start
  i32 at = first + (i32)(8 * (u32)mine.bytes) - (__clz((i32)last) - 23);  // of 32 bits 24 are none of the byte's; the one that ends the padding
  const u32 count = !has_stream ? 0 : mine.count < kMostStreamCount ? (u32)mine.count : (u32)kMostStreamCount;
  u8* out = s.out + mine.place;
  u32 room = count;
  StreamWindow window;
  if (at >= first + lowest) window.open(words, at);
  SLUICE_ROLLED
  while (room >= kLookUps && at >= first + lowest) {
    const u32 next = words.inside(window.top - 3), after = words.inside(window.top - 4);
    ShownBits shown = window.shown(at);
    SLUICE_UNROLLED
    for (u32 n = 0; n < kLookUps; ++n) {
      const u32 e = shown.template next<Bits>(table);
      at -= (i32)entry_bits(e);
      if (kWorkers == kLanes || worker() < Count) out[n] = (u8)entry_payload(e);
    }
    window.move(at, next, after);
    out += kLookUps;
    room -= kLookUps;
  }
  // note [last symbols]: the rest is looked up likewise, and each code is tested: bits in front of the stream are shown, too. Where the first
  // one is that does not lie inside the stream, or has no room, the stream goes on by itself, and says so.
  const i32 in_front = front < kStreamWord ? (i32)(8 * front) : (i32)(8 * kStreamWord);
  bool more = room != 0;
  SLUICE_ROLLED
  while (more && at + in_front >= first + lowest) {
    ShownBits shown = words.shown(at);
    SLUICE_UNROLLED
    for (u32 n = 0; n < kLookUps; ++n) {
      const u32 e = shown.template next<Bits>(table), bits = entry_bits(e);
      more = more && (i32)bits <= at - first && room != 0;
      if (more && (kWorkers == kLanes || worker() < Count)) *out = (u8)entry_payload(e);
      at -= more ? (i32)bits : 0;
      out += more ? 1 : 0;
      room -= more ? 1 : 0;
    }
  }
  sync();
  const u64 pos = kTurn - (8 * front + (u32)(at - first));
  for (u32 k = 0; k < Count; ++k) {
    streams[k].pos = shfl64(pos, k);
    streams[k].made = shfl(count - room, k);
  }
}

}  // namespace prim
