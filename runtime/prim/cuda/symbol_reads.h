#pragma once
// Symbols that a loop reads one after the other, taken by the lanes of a warp, a symbol each: see compiler/plan/symbol_reads.h.
// How many have been is returned, and the stream stands behind them: what is wrong with the next one the loop finds.

namespace prim {

// Up to n of `size` bytes each, from number `first` on and below `most`, which is Count at most.
template <u32 Count, typename S> SLUICE_COLD u64 read_symbols(S& s, Symbols<Count>& symbols, u64 first, u64 n, u64 size, u64 most) {
  if (size < 1 || size > 8 || first >= most) return 0;
  const u64 there = (s.end - s.pos) / size;
  if (n > there) n = there;
  if (n > most - first) n = most - first;
  const u8* const from = s.in + s.pos;
  sync();
  SLUICE_ROLLED
  for (u32 i = worker(); i < (u32)n; i += kWorkers) {
    symbols.length[first + i] = (u8)size;
    symbols.text[first + i] = load_le(from + i * size, size);
  }
  s.pos += n * size;
  sync();
  return n;
}

//   note [symbol walks]: where a symbol begins is told by those before it, up to 9 bytes each. A lane has a segment of the input,
//   and finds for each place in which one may come in (0 to 8) where it goes out: from the last byte back, each asks what is known of
//   the byte behind its symbol. These are digits of a word. Then one digit after the other says where lanes really come in, and each
//   walks its segment once.
constexpr u32 kSymbolSegment = 32, kMostSymbol = 8;
constexpr u32 kNoSymbol = 0xf;  // as a digit: here, or behind, is what is no symbol
static_assert(kMostSymbol < kNoSymbol && kSymbolSegment % 4 == 0, "digits have four bits");

// A lane's bytes of the window that begins at `from`: zeros behind `end`.
struct SymbolSegment {
  u32 word[kSymbolSegment / 4];

  SLUICE_METHOD u32 byte(u32 at) const { return word[at / 4] >> 8 * (at % 4) & 0xff; }
  SLUICE_METHOD void load(const UnitMemory& input, Cursor from, Cursor end) {
    const Cursor at = from + lane() * kSymbolSegment, first = at / 4 * 4;
    SLUICE_UNROLLED
    for (u32 i = 0; i < kSymbolSegment / 4; ++i) word[i] = 0;
    if (SLUICE_LIKELY(first >= input.first && at + kSymbolSegment + 4 <= end)) {
      u32 before = *(const u32*)(input.memory + first);
      SLUICE_UNROLLED
      for (u32 i = 0; i < kSymbolSegment / 4; ++i) {
        const u32 next = *(const u32*)(input.memory + first + 4 * i + 4);
        word[i] = __funnelshift_r(before, next, 8 * at);
        before = next;
      }
      return;
    }
    SLUICE_UNROLLED
    for (u32 k = 0; k < kSymbolSegment; ++k)
      if (at + k < end) word[k / 4] |= (u32)input.memory[at + k] << 8 * (k % 4);
  }
  // Digit k: where it goes out, from the next segment's start on, who comes in at byte k.
  template <u32 Sizes> SLUICE_METHOD u64 exits() const {
    u64 digits = 0x876543210;
    SLUICE_UNROLLED
    for (u32 k = kSymbolSegment; k-- > 0;) {
      const u32 size = byte(k);
      const bool sound = size <= kMostSymbol && (Sizes >> size & 1) != 0;
      digits = digits << 4 | (sound ? (u32)(digits >> 4 * size) & 0xf : kNoSymbol);
    }
    return digits;
  }
};

// The text at `at`, of so many bytes, all of them input.
SLUICE_INLINE u64 symbol_text(const UnitMemory& input, Cursor at, u32 size, bool inside) {
  if (SLUICE_LIKELY(inside)) {
    const u32* const from = (const u32*)(input.memory + at / 4 * 4);
    const u32 a = from[0], b = from[1], c = from[2];
    return ((u64)__funnelshift_r(b, c, 8 * at) << 32 | __funnelshift_r(a, b, 8 * at)) & mask(8 * size);
  }
  u64 text = 0;
  SLUICE_ROLLED
  for (u32 k = 0; k < size; ++k) text |= (u64)input.memory[at + k] << 8 * k;
  return text;
}

// Up to n, Count at most, from number 0 on: each behind a byte that is its size, which is one of Sizes, bit by bit.
template <u32 Sizes, u32 Count, typename S> SLUICE_COLD u64 read_sized_symbols(S& s, Symbols<Count>& symbols, u64 n) {
  static_assert(Sizes >> (kMostSymbol + 1) == 0 && (Sizes & 1) == 0, "1 to 8 bytes");
  const u32 all = n < Count ? (u32)n : Count;
  const UnitMemory input = shared_units(s);
  const u64 region = s.end - input.from, most = (u64)Count * (kMostSymbol + 1) + kUnitBytes;
  const Cursor end = uniform(region < most ? (Cursor)region : (Cursor)most);
  Cursor from = uniform((Cursor)(s.pos - input.from));
  u32 done = 0;
  bool more = all != 0;
  sync();
  SLUICE_ROLLED
  while (more) {
    SymbolSegment segment;
    segment.load(input, from, end);
    const u64 exits = segment.template exits<Sizes>();
    u32 in = 0, entry = 0;  // of the next lane, of this one
    SLUICE_ROLLED
    for (u32 k = 0; k < kLanes; ++k) {
      if (lane() == k) entry = in;
      // A digit of the lower half, or the ninth. Behind what is none it may be anything: these lanes are not good.
      const u32 half = shfl(in < 8 ? (u32)exits : (u32)(exits >> 32), k);
      in = uniform(half >> 4 * (in % 8) & 0xf);
    }
    const Cursor mine = from + lane() * kSymbolSegment;
    u32 starts = 0, at = entry;
    bool whole = entry != kNoSymbol;
    SLUICE_UNROLLED
    for (u32 k = 0; k < kSymbolSegment; ++k) {
      const u32 size = segment.byte(k);
      const bool sound = size <= kMostSymbol && (Sizes >> size & 1) != 0 && mine + k + 1 + size <= end;
      if (!whole || at != k) continue;
      whole = sound;
      if (!sound) continue;
      starts |= 1u << k;
      at = k + 1 + size;
    }
    const u32 good = leading(whole);
    if (lane() > good) starts = 0;  // of that lane what is in front of the one that is none
    const u32 count = (u32)__popc(starts), through = scan_add(count), total = shfl(through, kLanes - 1);
    const u32 taken = total < all - done ? total : all - done;
    const bool inside = input.inside(from / 4 * 4, kLanes * kSymbolSegment + kMostSymbol + 16);
    Cursor behind = 0;
    u32 number = through - count;
    SLUICE_ROLLED
    for (; starts != 0 && number < taken; ++number) {
      const Cursor place = mine + (u32)__ffs((i32)starts) - 1;
      starts &= starts - 1;
      const u32 size = input.memory[place];
      if (worker() < kLanes) {  // of a block's warps, which all find them, the first
        symbols.length[done + number] = (u8)size;
        symbols.text[done + number] = symbol_text(input, place + 1, size, inside);
      }
      behind = place + 1 + size;
    }
    const Cursor last = __reduce_max_sync(kAll, behind);
    if (taken != 0) from = last;
    done += taken;
    more = good == kLanes && done < all;
  }
  s.pos = input.from + from;
  sync();
  return done;
}

}  // namespace prim
