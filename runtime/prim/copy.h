#pragma once
// Moving bytes: wide copies that may write past their end into a margin the caller has proven, and exact ones.

namespace prim {

typedef u8 v16 __attribute__((vector_size(16), aligned(1)));
typedef u8 v32 __attribute__((vector_size(32), aligned(1)));

SLUICE_INLINE void move16(u8* d, const u8* s) { __builtin_memcpy(d, s, 16); }
SLUICE_INLINE void move32(u8* d, const u8* s) { v32 v; __builtin_memcpy(&v, s, 32); __builtin_memcpy(d, &v, 32); }

// A wide copy of n bytes writes at most n + kCopySlack bytes, and reads as many.
// Derivation: chunks of 32 starting below n, so the last one ends below n + 32.
constexpr u64 kCopySlack = 32;

// n bytes from s to d, no overlap within 32 bytes.
SLUICE_INLINE void copy_wide(u8* d, const u8* s, u64 n) {
  move32(d, s);
  SLUICE_ROLLED
  for (u64 i = 32; i < n; i += 32) move32(d + i, s + i);
}

// n times the byte v; writes at most n + kCopySlack bytes.
SLUICE_INLINE void fill_wide(u8* d, u64 v, u64 n) {
  v32 w;
  for (int i = 0; i < 32; ++i) w[i] = (u8)v;
  __builtin_memcpy(d, &w, 32);
  SLUICE_ROLLED
  for (u64 i = 32; i < n; i += 32) __builtin_memcpy(d + i, &w, 32);
}

// n bytes, n >= 32, of a word over and over, most of them by stores that stay within a line of the cache; writes at most n + kCopySlack.
constexpr u64 kLongFill = 512;  // from here on that pays
SLUICE_COLD void fill_long(u8* d, u64 word, u64 n) {
  const u64 first = 32 - ((u64)d & 31), turn = 8 * (first & 7);  // where such a store begins, the word has begun before
  const u64 turned = turn == 0 ? word : word >> turn | word << (64 - turn);
  const u64 words[4] = {word, word, word, word}, later[4] = {turned, turned, turned, turned};
  __builtin_memcpy(d, words, 32);
  v32 w;
  __builtin_memcpy(&w, later, 32);
  u64 i = first;
  SLUICE_ROLLED
  for (; i + 96 < n; i += 128) {  // a round of one store takes two clocks where it stands on a line's edge
    __builtin_memcpy(d + i, &w, 32);
    __builtin_memcpy(d + i + 32, &w, 32);
    __builtin_memcpy(d + i + 64, &w, 32);
    __builtin_memcpy(d + i + 96, &w, 32);
  }
  SLUICE_ROLLED
  for (; i < n; i += 32) __builtin_memcpy(d + i, &w, 32);
}

// n elements of a size, each with the low bytes of v; writes at most kCopySlack bytes behind them.
template <u32 Elem> SLUICE_INLINE void fill_equal(u8* d, u64 v, u64 n) {
  const u64 word = Elem == 8 ? v : Elem == 4 ? (u32)v * 0x100000001ull : Elem == 2 ? (u16)v * 0x1000100010001ull : (u8)v * 0x101010101010101ull;
  if (n >= kLongFill / Elem) return fill_long(d, word, n * Elem);
  const u64 words[4] = {word, word, word, word};
  v32 w;
  __builtin_memcpy(&w, words, 32);
  __builtin_memcpy(d, &w, 32);
  SLUICE_ROLLED
  for (u64 i = 32; i < n * Elem; i += 32) __builtin_memcpy(d + i, &w, 32);
}

// The Size bytes of `group`, its first one lowest, over and over: n bytes; writes at most n + kCopySlack bytes.
template <u32 Size> SLUICE_INLINE void fill_group(u8* d, u64 group, u64 n) {
  static_assert(0 < Size && Size <= 8, "a group is a number");
  constexpr u64 kStep = 32 / Size * Size;  // whole groups, so that every store continues the pattern
  u64 words[4];
  for (u32 k = 0; k < 4; ++k) {
    const u32 before = 8 * k % Size;  // bytes of a group that the word before has had
    words[k] = group >> 8 * before;
    for (u32 at = Size - before; at < 8; at += Size) words[k] |= group << 8 * at;
  }
  v32 w;
  __builtin_memcpy(&w, words, 32);
  __builtin_memcpy(d, &w, 32);
  SLUICE_ROLLED
  for (u64 i = kStep; i < n; i += kStep) __builtin_memcpy(d + i, &w, 32);
}

// Short periods: 16 bytes that repeat the last `distance` (1..15) bytes before d, stored every `step` bytes,
// step the largest multiple of distance up to 16, so every store continues the pattern.
SLUICE_INLINE void copy_periodic(u8* d, u64 distance, u64 n) {
  u8 pattern[32];
  const u8* s = d - distance;
#if defined(__SSSE3__)
  // Row distance: i mod distance. Lanes past the period are never read from beyond d.
  static const u8 kModulo[16][16] = {
      {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},       {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
      {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1},       {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0},
      {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3},       {0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0},
      {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3},       {0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1},
      {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7},       {0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2, 3, 4, 5, 6},
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5},       {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 1, 2, 3, 4},
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3},     {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 1, 2},
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0, 1},   {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0}};
  typedef char c16 __attribute__((vector_size(16)));
  c16 v, m;
  __builtin_memcpy(&v, s, 16);  // the margin after d makes these 16 bytes readable
  __builtin_memcpy(&m, kModulo[distance], 16);
  v = __builtin_ia32_pshufb128(v, m);
  __builtin_memcpy(pattern, &v, 16);
#else
  for (u64 i = 0, j = 0; i < 16; ++i) {
    pattern[i] = s[j];
    if (++j == distance) j = 0;
  }
#endif
  static const u8 kStep[16] = {16, 16, 16, 15, 16, 15, 12, 14, 16, 9, 10, 11, 12, 13, 14, 15};
  const u64 step = kStep[distance];
  v16 p;
  __builtin_memcpy(&p, pattern, 16);
  __builtin_memcpy(d, &p, 16);
  SLUICE_ROLLED
  for (u64 i = step; i < n; i += step) __builtin_memcpy(d + i, &p, 16);
}

// A back-reference: n bytes from d - distance to d as if copied one by one. Writes up to kCopySlack past d + n. Steps: up to 16
// bytes store nothing behind 16.
template <bool Steps>
SLUICE_INLINE void copy_back(u8* d, u64 distance, u64 n) {
  const u8* s = d - distance;
  if (SLUICE_LIKELY(distance >= 16)) {
    // Two halves: loads of 16 bytes meet fewer stores in flight than one of 32.
    move16(d, s);
    if (Steps && SLUICE_LIKELY(n <= 16)) return;
    move16(d + 16, s + 16);
    if (SLUICE_LIKELY(n <= 32)) return;
    if (distance >= 32) {
      SLUICE_ROLLED
      for (u64 i = 32; i < n; i += 32) move32(d + i, s + i);
    } else {
      SLUICE_ROLLED
      for (u64 i = 32; i < n; i += 16) move16(d + i, s + i);
    }
  } else {
    copy_periodic(d, distance, n);
  }
}

SLUICE_INLINE void copy_match(u8* d, u64 distance, u64 n) { copy_back<false>(d, distance, n); }
SLUICE_INLINE void copy_steps(u8* d, u64 distance, u64 n) { copy_back<true>(d, distance, n); }

// The same, writing exactly n bytes.
SLUICE_COLD void copy_match_exact(u8* d, u64 distance, u64 n) {
  const u8* s = d - distance;
  if (distance >= n) { __builtin_memcpy(d, s, n); return; }
  // Each round at most doubles what stands between s and d, so source and target never overlap.
  while (n > 0) {
    const u64 ready = (u64)(d - s);
    const u64 k = ready < n ? ready : n;
    __builtin_memcpy(d, s, k);
    d += k;
    n -= k;
  }
}

}  // namespace prim
