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

// Up to n, Count at most, from number 0 on: each behind a byte that is its size, which is one of Sizes, bit by bit.
template <u32 Sizes, u32 Count, typename S> SLUICE_COLD u64 read_sized_symbols(S& s, Symbols<Count>& symbols, u64 n) {
  static_assert(Sizes >> 9 == 0 && (Sizes & 1) == 0, "1 to 8 bytes");
  constexpr u32 kWindow = 4 * kLanes;
  u32 done = 0;
  const u32 all = n < Count ? (u32)n : Count;
  sync();
  SLUICE_ROLLED
  while (done < all) {
    const u8* const from = s.in + s.pos;
    const u64 left = s.end - s.pos;
    const u32 there = left < kWindow ? (u32)left : kWindow;
    u32 word = 0;
    SLUICE_UNROLLED
    for (u32 k = 0; k < 4; ++k)
      if (4 * lane() + k < there) word |= (u32)from[4 * lane() + k] << 8 * k;
    // Of this lane's symbol, and behind the last one.
    u32 at = 0, size = 0, behind = 0, count = 0;
    SLUICE_ROLLED
    while (count < kLanes && done + count < all && behind < there) {
      const u32 next = uniform(shfl(word, behind / 4) >> 8 * (behind % 4) & 0xff);
      if (next > 8 || (Sizes >> next & 1) == 0 || behind + 1 + next > there) break;
      if (lane() == count) {
        at = behind + 1;
        size = next;
      }
      behind += 1 + next;
      ++count;
    }
    if (count == 0) break;
    const u32 a = shfl(word, at / 4), b = shfl(word, at / 4 + 1), c = shfl(word, at / 4 + 2);  // a word behind the last one is not asked for
    const u64 text = (u64)__funnelshift_r(b, c, 8 * at) << 32 | __funnelshift_r(a, b, 8 * at);
    if (worker() < count) {
      symbols.length[done + lane()] = (u8)size;
      symbols.text[done + lane()] = text & mask(8 * size);
    }
    done += count;
    s.pos += behind;
  }
  sync();
  return done;
}

}  // namespace prim
