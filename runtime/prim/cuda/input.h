#pragma once
// The input a warp looks at: two neighbouring lines of 128 bytes, loaded one coalesced read a line, on demand, with the
// line behind them already on its way (CODAG, section IV-C, algorithm 1). Lines are aligned in memory; bytes outside the
// input are never read and count as 0.
//   note [lines]: the line that holds the byte asked for and the next one are present, so 128 bytes from any byte in the
//   first line, and at least kLineBytes - 3 from any word that starts there, need no further test.

// The directive input_alignment: bytes of which every chunk's input starts at a multiple.
#ifndef SLUICE_INPUT_ALIGNMENT
#define SLUICE_INPUT_ALIGNMENT 1
#endif

namespace prim {

constexpr u32 kInputAlignment = SLUICE_INPUT_ALIGNMENT;
constexpr u32 kLineBytes = 128, kLineWords = kLineBytes / 4;
constexpr bool kStartsLine = kInputAlignment % kLineBytes == 0;  // every input does
static_assert(kLineWords == kLanes, "a word of the line for each lane");

enum class Buffer : u32 { Shared, Registers };
constexpr u64 kNoLine = 1ull << 62;  // no line is present

// The bytes of the word at `at` that are among [first, last).
SLUICE_INLINE u32 bytes_of_word(const u8* base, u64 first, u64 last, u64 at) {
  u32 v = 0;
  SLUICE_UNROLLED
  for (u32 i = 0; i < 4; ++i)
    if ((kStartsLine || at + i >= first) && at + i < last) v |= (u32)base[at + i] << (8 * i);
  return v;
}
SLUICE_INLINE bool is_whole(u64 first, u64 last, u64 at) { return (kStartsLine || at >= first) && at + 4 <= last; }
// This lane's word of a line of the input at `base`, of which the bytes [first, last) are there.
SLUICE_COLD u32 line_word(const u8* base, u64 first, u64 last, u64 line) {
  const u64 at = line * kLineBytes + lane() * 4;
  base = global(base);
  u32 v = 0;
  if (is_whole(first, last, at)) v = *(const u32*)(base + at);
  else v = bytes_of_word(base, first, last, at);
  __syncwarp();  // note [convergent return]
  return v;
}
// The same where the words of several lines are asked for one after the other: all are on their way at once.
SLUICE_COLD u32 torn_word(const u8* base, u64 first, u64 last, u64 at) { return bytes_of_word(base, first, last, at); }
SLUICE_INLINE u32 ask_line(const u8* base, u64 first, u64 last, u64 line) {
  const u64 at = line * kLineBytes + lane() * 4;
  base = global(base);
  return SLUICE_LIKELY(is_whole(first, last, at)) ? *(const u32*)(base + at) : torn_word(base, first, last, at);
}

// Asks for all lines of the input, a line a lane, to be brought nearer. Called by a warp that does nothing else.
SLUICE_INLINE void prefetch(const u8* in, u64 size) {
#if defined(__CUDA_ARCH__)
  for (u64 at = (u64)lane() * kLineBytes; at < size; at += kLanes * kLineBytes)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(in + at));
#else
  (void)in, (void)size;
#endif
}

// Where the input starts in its first line: anywhere, or with it.
template <bool StartsLine> struct LineStart {
  u64 first;
  SLUICE_METHOD void put(const u8* in) { first = (u64)in & (kLineBytes - 1); }
};
template <> struct LineStart<true> {
  static constexpr u64 first = 0;
  SLUICE_METHOD void put(const u8*) {}
};

// What both forms share: where lines are in memory.
struct LineMemory : LineStart<kStartsLine> {
  const u8* base;  // the input's start, rounded down to a line
  u64 last;        // bytes of the input in coordinates of `base`: [first, last)

  SLUICE_METHOD void open(const u8* in, u64 size) {
    LineStart::put(in);
    base = in - first;
    last = first + size;
  }
  SLUICE_METHOD u32 load(u64 line) const { return line_word(base, first, last, line); }
  SLUICE_METHOD u32 ask(u64 line) const { return ask_line(base, first, last, line); }
};

template <Buffer B> struct Lines;

// Are a chunk's first lines waited for together? It is what begins a chunk whose tokens lanes guess. Where those begin at bits, registers
// are short, and it costs more than it brings.
#if defined(SLUICE_GUESSES) && !defined(SLUICE_VALUES)
constexpr bool kAsksAtOnce = true;
#else
constexpr bool kAsksAtOnce = false;
#endif

#ifndef SLUICE_WARPS
#define SLUICE_WARPS 1
#endif
// In shared memory: a ring of two lines for each warp. A variable of the block's own, so that it needs no pointer.
constexpr u32 kRingWords = 2 * kLineWords, kRingBytes = 4 * kRingWords;
// The first two words stand behind the last one again: two or three words in a row are read without a wrap.
#ifdef SLUICE_STORAGE
SLUICE_INLINE u32* ring() { return nullptr; }  // a device function has none: its input is in registers
#else
SLUICE_ROOM u32 rings[SLUICE_WARPS][kRingWords + 2];
SLUICE_INLINE u32* ring() { return rings[SLUICE_WARPS == 1 ? 0 : threadIdx.x / kLanes]; }
#endif

template <> struct Lines<Buffer::Shared> : LineMemory {
  u64 line;   // lines `line` and `line + 1` are present
  u32 ahead;  // this lane's word of line + 2

  SLUICE_METHOD void put(u64 l, u32 v) {
    const u32 at = (u32)(l & 1) * kLineWords + lane();
    ring()[at] = v;
    if (at < 2) ring()[kRingWords + at] = v;
  }
  SLUICE_METHOD void fill(u64 l) {
    if (kAsksAtOnce) {
      const u32 a = ask(l), b = ask(l + 1);
      ahead = ask(l + 2);
      __syncwarp();
      put(l, a);
      put(l + 1, b);
    } else {
      __syncwarp();
      put(l, load(l));
      put(l + 1, load(l + 1));
      ahead = load(l + 2);
    }
    line = l;
    __syncwarp();
  }
  SLUICE_METHOD void next() {
    __syncwarp();
    put(line + 2, ahead);
    ++line;
    ahead = load(line + 2);
    __syncwarp();
  }
  SLUICE_METHOD u32 word(u64 i, u32 behind) const { return ring()[((u32)i & (kRingWords - 1)) + behind]; }  // up to two behind it
};

// In two registers of each lane.
template <> struct Lines<Buffer::Registers> : LineMemory {
  u32 even, odd;  // this lane's word of the line with that parity
  u64 line;
  u32 ahead;

  SLUICE_METHOD void fill(u64 l) {
    line = l;
    const u32 a = load(l), b = load(l + 1);
    even = l & 1 ? b : a;
    odd = l & 1 ? a : b;
    ahead = load(l + 2);
  }
  SLUICE_METHOD void next() {
    if (line & 1) odd = ahead;
    else even = ahead;
    ++line;
    ahead = load(line + 2);
  }
  SLUICE_METHOD u32 word(u64 i, u32 behind) const { return shfl((i + behind) & kLineWords ? odd : even, (u32)(i + behind) & (kLineWords - 1)); }
};

// Moves the line buffer to the line `want`. Out of line: every fast loop begins with a look.
template <Buffer B> SLUICE_COLD void move_lines(Lines<B>& l, u64 want) {
  if (want == l.line + 1) l.next();
  else l.fill(want);
  __syncwarp();  // note [convergent return]
}
// After this, note [lines] holds for `byte` (in coordinates of base).
template <Buffer B> SLUICE_INLINE void look_at(Lines<B>& l, u64 byte) {
  const u64 want = byte / kLineBytes;
  if (SLUICE_UNLIKELY(want != l.line)) move_lines(l, want);
}

// 64 bits from bit `shift` mod 32 of three words in a row: lowest first, or highest first.
template <bool Msb> SLUICE_INLINE u64 join_words(u32 a, u32 b, u32 c, u32 shift) {
  if (Msb) {
    a = swap32(a);
    b = swap32(b);
    c = swap32(c);
    return (u64)__funnelshift_l(b, a, shift) << 32 | __funnelshift_l(c, b, shift);
  }
  return (u64)__funnelshift_r(b, c, shift) << 32 | __funnelshift_r(a, b, shift);
}

// 64 bits from `bit` of the stream of `base`: lowest first, or highest first.
template <bool Msb, Buffer B> SLUICE_INLINE u64 look_bits(Lines<B>& l, u64 bit) {
  look_at(l, bit >> 3);
  const u64 w = bit >> 5;
  u64 v = 0;
  if (B == Buffer::Registers || is_reader()) v = join_words<Msb>(l.word(w, 0), l.word(w, 1), l.word(w, 2), (u32)bit);
  return told64(v);
}
// The lowest 32 of them.
template <Buffer B> SLUICE_INLINE u32 look_word(Lines<B>& l, u64 bit) {
  look_at(l, bit >> 3);
  u32 v = 0;
  if (B == Buffer::Registers || is_reader()) v = __funnelshift_r(l.word(bit >> 5, 0), l.word(bit >> 5, 1), (u32)bit);
  return broadcast(v);
}

}  // namespace prim
