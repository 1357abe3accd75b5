#pragma once
// What fast loops read with: a Source is the line buffer of input.h, as few registers of it as a loop needs; a Cursor is a byte
// position in it, counted from a line near where the loop began, so that it fits 32 bits.
//   note [last word]: a word of which not all bytes are input reads as 0 here. A token's margin keeps 8 bytes of input
//   behind it, so no token looks at that word's bytes; the line buffer is thrown away when it may hold such a word.

namespace prim {

typedef u32 Cursor;
constexpr u64 kPositionBytes = 12;  // bytes from the byte of a position on that a read may touch
constexpr u64 kRefillBytes = 4;
enum VarintResult : u32 { kVarintOk = 0, kVarintCut = 1, kVarintTooLong = 2 };

// Loops of more input than this are entered again: cursors stay far from 2^32, margins included, and as bits too.
constexpr u64 kFarthestCursor = 1ull << 28;

template <typename S, Buffer B>
struct Source {
  S& s;
  const u8* memory;  // cursor 0
  u32 zero;          // cursor, counted in bits, of the input's first bit (modulo 2^32)
  u32 last;          // cursor behind the input
  u32 line;          // cursor of the first of the two lines that are present
  u32 ahead;         // this lane's word of the line behind them
  u32 even, odd;     // Buffer::Registers: this lane's words of the two

  // Of the position at which the loop began: a multiple of the ring's size.
  SLUICE_METHOD u64 base() const { return (s.lines.first + s.byte()) & ~(u64)(kRingBytes - 1); }
  SLUICE_METHOD u32 load(u32 from) const {
    const u32 at = from + lane() * 4;
    return at + 4 <= last ? *(const u32*)(memory + at) : 0;
  }
  SLUICE_METHOD void put(u32 from, u32 v) {
    if (B == Buffer::Registers) {
      if (from & kLineBytes) odd = v;
      else even = v;
    } else {
      const u32 at = (from & kLineBytes) / 4 + lane();
      ring()[at] = v;
      if (at < 2) ring()[kRingWords + at] = v;
    }
  }
  SLUICE_METHOD void next() {
    if (B == Buffer::Shared) __syncwarp();
    put(line, ahead);
    line += kLineBytes;
    ahead = load(line + 2 * kLineBytes);
    if (B == Buffer::Shared) __syncwarp();
  }
  SLUICE_METHOD u32 word(u32 c) const {  // at a cursor that is a multiple of 4
    if (B == Buffer::Registers) return shfl(c & kLineBytes ? odd : even, c / 4 & (kLineWords - 1));
    return ring()[c / 4 & (kRingWords - 1)];
  }
  SLUICE_METHOD u32 lane_word(u32 c) const {  // the word around a cursor of the lane's own
    if (B == Buffer::Shared) return ring()[c / 4 & (kRingWords - 1)];
    const u32 a = shfl(even, c / 4 & (kLineWords - 1)), b = shfl(odd, c / 4 & (kLineWords - 1));
    return c & kLineBytes ? b : a;
  }
};

// Moves the line buffer to the line at `want`.
template <typename S, Buffer B> SLUICE_COLD void jump(Source<S, B>& src, u32 want) {
  if (want == src.line + kLineBytes) return src.next();
  if (B == Buffer::Shared) __syncwarp();
  src.line = want;
  // Backwards it may be the line of the input's first byte: LineMemory reads nothing in front of that.
  const u64 line = (src.base() + want) / kLineBytes;
  src.put(want, src.s.lines.load(line));
  src.put(want + kLineBytes, src.s.lines.load(line + 1));
  src.ahead = src.load(want + 2 * kLineBytes);
  if (B == Buffer::Shared) __syncwarp();
}
template <typename S, Buffer B> SLUICE_INLINE void look_at(Source<S, B>& src, Cursor c) {
  const u32 want = c & ~(kLineBytes - 1);
  if (SLUICE_LIKELY(want == src.line)) return;
  jump(src, want);
}

template <Input K, Buffer B> SLUICE_INLINE Source<Stream<K, B>, B> source(Stream<K, B>& s) {
  Source<Stream<K, B>, B> src{s, nullptr, 0, 0, 0, s.lines.ahead, 0, 0};
  const u64 base = src.base(), last = s.lines.last - base;
  src.memory = global(s.lines.base + base);
  src.zero = (u32)(8 * (s.lines.first - base));
  src.last = (u32)(last < 2 * kFarthestCursor ? last : 2 * kFarthestCursor);
  look_at(s.lines, s.lines.first + s.byte());
  src.ahead = s.lines.ahead;
  src.line = (u32)(s.lines.line * kLineBytes - base);
  if constexpr (B == Buffer::Registers) {
    src.even = s.lines.even;
    src.odd = s.lines.odd;
  }
  return src;
}
template <typename T, typename S, Buffer B> SLUICE_INLINE void give_back(T& s, const Source<S, B>& src) {
  s.lines.line = (src.base() + src.line) / kLineBytes;
  s.lines.ahead = src.ahead;
  if constexpr (B == Buffer::Registers) {
    s.lines.even = src.even;
    s.lines.odd = src.odd;
  }
  if (src.line + 3 * kLineBytes > src.last) s.lines.line = kNoLine;  // note [last word]
  sync();  // what is left undone is done again, by other lanes
}

template <typename Src> SLUICE_INLINE Cursor cursor(const Src& src, u64 byte) {
  const u64 at = src.s.lines.first + byte - src.base();
  return (Cursor)(at < kFarthestCursor ? at : kFarthestCursor);
}
template <typename S, Buffer B> SLUICE_INLINE u64 byte_of(const Source<S, B>& src, Cursor c) {
  return src.base() + c - src.s.lines.first;
}

// 64 bits from a bit position counted like cursors: lowest first, or highest first. The line buffer holds them.
template <bool Msb, typename S, Buffer B> SLUICE_INLINE u64 present_bits(Source<S, B>& src, u32 bit) {
  const u32 at = bit >> 3 & ~3u;
  u64 v = 0;
  if (B == Buffer::Registers || is_reader()) v = join_words<Msb>(src.word(at), src.word(at + 4), src.word(at + 8), bit);
  return told64(v);
}
// The same, moving the line buffer there.
template <bool Msb, typename S, Buffer B> SLUICE_INLINE u64 look_bits(Source<S, B>& src, u32 bit) {
  look_at(src, bit >> 3);
  return present_bits<Msb>(src, bit);
}
template <typename S, Buffer B> SLUICE_SELDOM u64 load_le64(Source<S, B>& src, Cursor c) {
  return look_bits<false>(src, 8 * c);
}
template <typename S, Buffer B> SLUICE_INLINE u32 load_le32(Source<S, B>& src, Cursor c) {
  if (kGuesses) return (u32)load_le64(src, c);
  look_at(src, c);
  u32 v = 0;
  if (B == Buffer::Registers || is_reader()) v = __funnelshift_r(src.word(c & ~3u), src.word((c & ~3u) + 4), 8 * c);
  return broadcast(v);
}
template <typename S, Buffer B> SLUICE_INLINE u32 load_le16(Source<S, B>& src, Cursor c) { return load_le32(src, c) & 0xffff; }
template <typename S, Buffer B> SLUICE_INLINE u64 load_be64(Source<S, B>& src, Cursor c) { return swap64(load_le64(src, c)); }
template <typename S, Buffer B> SLUICE_INLINE u32 load_be32(Source<S, B>& src, Cursor c) { return swap32(load_le32(src, c)); }
template <typename S, Buffer B> SLUICE_INLINE u32 load_be16(Source<S, B>& src, Cursor c) { return load_be32(src, c) >> 16; }
template <typename S, Buffer B> SLUICE_INLINE u32 load_byte(Source<S, B>& src, Cursor c) {
  if (kGuesses) return (u8)load_le64(src, c);
  look_at(src, c);
  u32 v = 0;
  if (B == Buffer::Registers || is_reader()) v = src.word(c & ~3u) >> (8 * (c & 3)) & 0xff;
  return broadcast(v);
}
template <u32 Bits, typename Src>
SLUICE_INLINE u32 varint(Src& src, Cursor c, u64, u64& value, u64& length) {
  bool fits;
  const u64 low = load_le64(src, c);
  if ((low & 0x80) == 0) {  // most are a byte
    value = low & 0x7f;
    length = 1;
    return kVarintOk;
  }
  // note [lines]: the next eight bytes are present; asking for them by look_at would move the line buffer past this token.
  const u64 high = Bits > 56 ? present_bits<false>(src, 8 * (c + 8)) : 0;
  const u32 n = join_varint<Bits>(low, high, value, fits);
  length = n;
  return n <= (Bits + 6) / 7 && fits ? kVarintOk : kVarintTooLong;
}
// Varints that follow each other: a round looks at kRoundBytes bytes, each lane at the number that ends in its own
// (../stream.h's literal_varints does the same for the checked path). Stores the first `most` of them, up to one that is
// not sound; `used` are their bytes. One number where one lane reads for all. `d`: where to, or a Place (../place.h).
constexpr u32 kRoundBytes = kLanes;
template <u32 Elem, u32 Bits, bool Signed, typename Sink, typename S, Buffer B>
SLUICE_INLINE u32 lane_varints(Sink d, Source<S, B>& src, Cursor c, u64 most, u32& used) {
  constexpr u32 kGroups = (Bits + 6) / 7;
  if (kLeader) {
    u64 v = 0, length = 0;
    if (varint<Bits>(src, c, kGroups, v, length) != kVarintOk) return 0;
    store<Elem>(d, Signed ? (u64)zigzag(v) : v);
    used = (u32)length;
    return 1;
  }
  look_at(src, c);
  const u32 byte = src.lane_word(c + lane()) >> (8 * (c + lane() & 3)) & 0xff;
  const bool last = byte < 0x80;
  const u32 ends = ballot(last), before = ends & lanes_below();
  const u32 start = before ? kLanes - (u32)__clz((i32)before) : 0, index = (u32)__popc(before), at = c + start;
  const u64 low = join_words<false>(src.lane_word(at), src.lane_word(at + 4), src.lane_word(at + 8), 8 * at);
  u64 high = 0;
  if (kGroups > 8) high = join_words<false>(src.lane_word(at + 8), src.lane_word(at + 12), src.lane_word(at + 16), 8 * at);
  u64 v = 0;
  bool fits = true;
  const u32 length = join_varint<Bits>(low, high, v, fits);
  const u32 bad = ballot(last && (length > kGroups || !fits));
  const u32 sound = bad ? ends & ((bad & (0 - bad)) - 1) : ends;
  u32 k = (u32)__popc(sound);
  if (k > most) k = (u32)most;
  if (last && index < k && worker() < kLanes) store_lane<Elem>(d + index * Elem, Signed ? (u64)zigzag(v) : v);
  used = (u32)__ffs((i32)ballot(last && index + 1 == k));
  return k;
}
// n bytes of the input to the output; n is small (move_short: at most 8; literals_short: at most 32) or anything.
template <typename S, Buffer B> SLUICE_INLINE void move_short(u8* d, Source<S, B>& src, Cursor c, u64 n) {
  put(d, load_le64(src, c), n);
}
template <typename S, Buffer B> SLUICE_INLINE void literals_short(u8* d, Source<S, B>& src, Cursor c, u64 n) {
  if (worker() < n) d[worker()] = src.memory[c + worker()];
}
template <typename S, Buffer B> SLUICE_INLINE void literals(u8* d, Source<S, B>& src, Cursor c, u64 n) {
  copy_bytes(d, src.memory + c, n);
}
// The same of a buffer's bytes.
SLUICE_INLINE void slice_short(u8* d, const u8* from, u64 n) {
  if (worker() < n) d[worker()] = from[worker()];
}
SLUICE_INLINE void slice(u8* d, const u8* from, u64 n) { copy_bytes(d, from, n); }

// The bit buffer of fast loops over a ring in shared memory holds nothing but the position: bits are looked at where they
// lie, so dropping some is one addition and no branch.
// Invariant: from refill to refill a loop takes less than a line (FastToken::need_bits sees to it), and note [lines] holds for the position at the refill.
//   note [position]: `count` is the bit position, from cursor 0 on.
template <bool Msb, Buffer B>
struct BitBuffer {
  u32 count;
  u32 seen;          // the bits at the last look
  const u32* words;  // of the ring

  static SLUICE_METHOD u32 bits(const BitBuffer& b) {  // 32 of them, the next one lowest (Msb: highest)
    const u32* const p = b.words + (b.count >> 5 & (kRingWords - 1));
    u32 v = 0;
    if (is_reader()) v = Msb ? __funnelshift_l(swap32(p[1]), swap32(p[0]), b.count) : __funnelshift_r(p[0], p[1], b.count);
    return broadcast(v);
  }
  template <typename S> static SLUICE_METHOD void refill(BitBuffer& b, Source<S, B>& src, Cursor& in) {
    in = b.count >> 3;
    if (SLUICE_UNLIKELY(in - src.line >= kLineBytes)) src.next();
  }
  template <typename S> static SLUICE_METHOD void need(BitBuffer&, Source<S, B>&, Cursor&, u32) {}
  // The next n bits, 1 <= n <= 32.
  static SLUICE_METHOD u32 look(BitBuffer& b, u32 n) {
    b.seen = bits(b);
    return Msb ? b.seen >> (32 - n) : b.seen & (n == 32 ? ~0u : (1u << n) - 1);
  }
  template <typename S> static SLUICE_METHOD void drop(BitBuffer& b, Source<S, B>&, Cursor&, u32 n) { b.count += n; }
  // n bits that follow the first `skip` bits, skip + n <= 32, 0 <= n < 32; with skip 0 also n = 32.
  static SLUICE_METHOD u32 look_after(const BitBuffer& b, u32 skip, u32 n) {
    const u32 v = bits(b);
    if (n == 32) return v;
    return Msb ? ((v << skip) >> 1) >> (31 - n) : (v >> skip) & ((1u << n) - 1);
  }
  // The same of what the last look saw; nothing has been dropped since.
  static SLUICE_METHOD u32 entry_extra(const BitBuffer& b, u32 skip, u32 n) {
    return Msb ? ((b.seen << skip) >> 1) >> (31 - n) : (b.seen >> skip) & ((1u << n) - 1);
  }
  template <typename S> static SLUICE_METHOD BitBuffer at(Source<S, B>& src, u64 pos, Cursor& in) {
    BitBuffer b;
    b.count = (u32)(8 * (src.s.lines.first - src.base()) + pos);
    b.seen = 0;
    b.words = in_register(ring());
    in = b.count >> 3;
    return b;
  }
  template <typename S> static SLUICE_METHOD u64 position(const Source<S, B>& src, Cursor, u32 count) {
    return 8 * (src.base() - src.s.lines.first) + count;
  }
};

// Lines in registers: two words of the stream and the position in them. Dropping bits moves on to the next word at once,
// so nothing is ever refilled, and 33 bits at least are there.
// Invariants: bit < 32; the next bits of the stream are those of `now` from `bit` on, then those of `then`; the cursor is
// the byte behind `then`, a multiple of 4; the source's line is that of the byte before the cursor.
//   note [position]: bit position = 8 * (cursor - 8) + bit.
template <bool Msb>
struct BitBuffer<Msb, Buffer::Registers> {
  static constexpr Buffer B = Buffer::Registers;
  u32 now, then;
  u32 count;  // `bit`

  template <typename S> static SLUICE_METHOD u32 load(Source<S, B>& src, Cursor in) {
    const u32 w = src.word(in);
    return Msb ? swap32(w) : w;
  }
  template <typename S> static SLUICE_METHOD void refill(BitBuffer&, Source<S, B>&, Cursor&) {}
  template <typename S> static SLUICE_METHOD void need(BitBuffer&, Source<S, B>&, Cursor&, u32) {}
  // The next n bits, 1 <= n <= 32.
  static SLUICE_METHOD u32 look(const BitBuffer& b, u32 n) {
    return Msb ? __funnelshift_l(b.then, b.now, b.count) >> (32 - n)
               : __funnelshift_r(b.now, b.then, b.count) & (n == 32 ? ~0u : (1u << n) - 1);
  }
  template <typename S> static SLUICE_METHOD void drop(BitBuffer& b, Source<S, B>& src, Cursor& in, u32 n) {
    b.count += n;
    if (b.count >= 32) {
      b.count -= 32;
      b.now = b.then;
      if ((in & (kLineBytes - 1)) == 0) src.next();
      b.then = load(src, in);
      in += 4;
    }
  }
  // n bits that follow the first `skip` bits, skip + n <= 32, 0 <= n < 32; with skip 0 also n = 32.
  static SLUICE_METHOD u32 look_after(const BitBuffer& b, u32 skip, u32 n) {
    const u32 v = Msb ? __funnelshift_l(b.then, b.now, b.count) : __funnelshift_r(b.now, b.then, b.count);
    if (n == 32) return v;
    return Msb ? ((v << skip) >> 1) >> (31 - n) : (v >> skip) & ((1u << n) - 1);
  }
  static SLUICE_METHOD u32 entry_extra(const BitBuffer& b, u32 skip, u32 n) {
    return Msb ? ((__funnelshift_l(b.then, b.now, b.count) << skip) >> 1) >> (31 - n)
               : (__funnelshift_r(b.now, b.then, b.count) >> skip) & ((1u << n) - 1);
  }
  template <typename S> static SLUICE_METHOD BitBuffer at(Source<S, B>& src, u64 pos, Cursor& in) {
    const u64 bit = 8 * (src.s.lines.first - src.base()) + pos;
    BitBuffer b;
    b.count = (u32)bit & 31;
    in = (Cursor)(bit >> 5) * 4;
    look_at(src, in);
    b.now = load(src, in);
    look_at(src, in + 4);
    b.then = load(src, in + 4);
    in += 8;
    return b;
  }
  template <typename S> static SLUICE_METHOD u64 position(const Source<S, B>& src, Cursor in, u32 count) {
    return (byte_of(src, in) - 8) * 8 + count;
  }
};

// An entry's extra bits behind its code bits, and the entry dropped as a whole.
template <bool Msb, typename S, Buffer B>
SLUICE_INLINE u32 take_entry(BitBuffer<Msb, B>& b, Source<S, B>& src, Cursor& in, u32 e) {
  typedef BitBuffer<Msb, B> Bits;
  const u32 extra = Bits::entry_extra(b, entry_code_bits(e), entry_bits(e) - entry_code_bits(e));
  Bits::drop(b, src, in, entry_bits(e));
  return extra;
}

// The entry of a symbol whose code has more than First bits. `bits` are the next MaxBits, as look() gives them, and `link` is
// what the table has of the first ones.
template <bool Msb> SLUICE_INLINE u32 long_entry_of(AnyCode code, u32 first, const u32* info, u32 bits, u32 link) {
  if (*code.complete() == kLongestComplete) bits ^= (1u << code.max_bits) - 1;
  if (is_link(link)) return linked_entry<Msb>(code, first, info, bits, link);
  const Found f = find_symbol(code, Msb ? bits : reverse_bits(bits, code.max_bits));
  return f.length == 0 ? kKindLeave : make_entry(info[f.symbol], f.length);
}
template <bool Msb, u32 First, u32 Symbols, u32 MaxBits>
SLUICE_INLINE u32 long_entry(const Code<Symbols, MaxBits>& code, const u32* info, u32 bits, u32 link) {
  return long_entry_of<Msb>(any_code(code), First, info, bits, link);
}

// note [bits]: loops that fetch fields where they stand count bits as cursors count bytes, in a word. Bit `pos` of the stream, and what
// it is there:
template <typename Src> SLUICE_INLINE u32 bit_at(const Src& src, u64 pos) { return src.zero + (u32)pos; }
template <typename Src> SLUICE_INLINE u64 position(const Src& src, u32 bit) { return 8 * (src.base() - src.s.lines.first) + bit; }

// Reading by position: n bits (0..64) from `bit` on, every lane the same.
template <bool Msb, typename Src> SLUICE_INLINE u64 wide_bits_at(Src& src, u32 bit, u64 n) {
  const u64 v = look_bits<Msb>(src, bit);
  return Msb ? highest(v, n) : v & mask(n);
}
template <bool Msb, typename Src> SLUICE_INLINE u64 bits_at(Src& src, u32 bit, u64 n) {
  return wide_bits_at<Msb>(src, bit, n);
}

// The stream from `bit` on, 64 bits of it, and n of such a word's bits, 1 <= n <= 56, behind the first `skip`.
template <bool Msb, typename Src> SLUICE_INLINE u64 word_at(Src& src, u32 bit) {
  return look_bits<Msb>(src, bit);
}
template <bool Msb, typename Src> SLUICE_INLINE u64 whole_word_at(Src& src, u32 bit) {
  return word_at<Msb>(src, bit);
}
template <bool Msb> SLUICE_INLINE u64 field(u64 word, u32 skip, u32 n) {
  return Msb ? (word << skip) >> (64 - n) : (word >> skip) & mask(n);
}
template <bool Msb, typename Src> SLUICE_INLINE u64 whole_bits_at(Src& src, u32 bit, u64 n) {
  return wide_bits_at<Msb>(src, bit, n);
}

// Each lane its own field, n bits (0..64) from its own `bit`. Words are loaded where they lie, side by side for
// neighbouring lanes. Bytes of the input stand kLaneBefore before (or lanes_may_load() says so), and
// kLaneAfter after the byte of `bit`.
constexpr u64 kLaneBefore = 3, kLaneAfter = 12;
template <bool Msb> SLUICE_INLINE u64 lane_bits(const u8* memory, u64 at, u64 n) {
  const u32* const p = (const u32*)memory + (at >> 5);
  const u32 shift = (u32)at & 31;
  const u32 a = p[0], b = p[1], c = shift + (u32)n > 64 ? p[2] : 0;
  u64 v;
  if (Msb) v = (u64)__funnelshift_l(swap32(b), swap32(a), shift) << 32 | __funnelshift_l(swap32(c), swap32(b), shift);
  else v = (u64)__funnelshift_r(b, c, shift) << 32 | __funnelshift_r(a, b, shift);
  return Msb ? highest(v, n) : v & mask(n);
}

template <bool Msb, Input K, Buffer B> SLUICE_INLINE u64 lane_bits_at(const Stream<K, B>& s, u64 bit, u64 n) {
  return lane_bits<Msb>(global(s.lines.base), 8 * s.lines.first + bit, n);
}

// Does the word of the position begin inside the input? Those of what follows do, then.
template <Input K, Buffer B> SLUICE_INLINE bool lanes_may_load(const Stream<K, B>& s) {
  return ((s.lines.first + s.byte()) & ~(u64)3) >= s.lines.first;
}

// What a carried sum is for this lane: `sum` (equal in all lanes) and the terms of the lanes up to this one.
SLUICE_INLINE u64 carry_add(u64 sum, u64 term, bool on) { return sum + scan_add64(on ? term : 0); }

}  // namespace prim
