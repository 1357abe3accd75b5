#pragma once
// The checked path of a generated kernel: one chunk's input and output with every bound checked. Names, results and the
// order of checks are those of ../stream.h; what differs is who does it. Every lane of the chunk calls with equal values
// and gets equal values; output is written by one lane or spread over all. Where output goes is the stream's `out`: an
// address, or whatever a derived stream has in its place (sink.h).

namespace prim {

// Turning: as Lsb, but for regions that are read from their end; note [turned].
enum class Input : u32 { Bytes, Lsb, Msb, Turning };

template <Input K, Buffer B>
struct Stream {
  static constexpr Input kInput = K;
  static constexpr u64 kStep = K == Input::Bytes ? 8 : 1;  // bits of one step of `pos`
  const u8* in;
  u64 size;   // bytes of the whole input
  u64 pos;    // in steps; note [turned]
  u64 end;    // of the current region; pos <= end, and a bit of the input, or its end
  u8* out;
  u64 produced;    // elements
  u64 out_end;     // elements; produced <= out_end: the nearer of the room given and what is promised
  u64 promised;  // elements that the `producing` or the buffer around allows; ~0: any number
  u64 window;  // element at which copies start to see; window <= produced
  u64 dictionary_bytes;   // of the dictionary the last so many bytes stand before `window`
  const u8* dictionary;
  u64 dictionary_size;
  Lines<B> lines;

  SLUICE_METHOD u64 left_bits() const { return (end - pos) * kStep; }
  SLUICE_METHOD u64 byte() const { return K == Input::Bytes ? pos : pos >> 3; }
  SLUICE_METHOD bool aligned() const { return K == Input::Bytes || (pos & 7) == 0; }
};

template <Input K, Buffer B> SLUICE_INLINE void open(Stream<K, B>& s) {
  s.lines.open(s.in, s.size);
  s.lines.line = kNoLine;  // whoever looks first loads
}

// Units of a size in bytes.
template <Input K> SLUICE_INLINE u64 steps(u64 bytes) { return K == Input::Bytes ? bytes : bytes * 8; }

template <Input K, Buffer B> SLUICE_INLINE bool lacks(const Stream<K, B>& s, u64 bits) { return s.left_bits() < bits; }

// The 64 bits at the position: lowest first, in msb streams highest first. Zeros past the input.
template <Input K, Buffer B> SLUICE_COLD u64 look(Stream<K, B>& s) {
  return look_bits<K == Input::Msb>(s.lines, 8 * s.lines.first + s.pos * Stream<K, B>::kStep);
}
// The eight bytes there, first one lowest.
template <Input K, Buffer B> SLUICE_INLINE u64 look_bytes(Stream<K, B>& s) {
  const u64 v = look(s);
  return K == Input::Msb ? swap64(v) : v;
}
SLUICE_INLINE u64 highest(u64 v, u64 n) { return n == 0 ? 0 : v >> (64 - n); }

// The 64 bits from `bit` of the input on, lowest first.
template <Buffer B> SLUICE_COLD u64 look_from(Lines<B>& lines, u64 bit) { return look_bits<false>(lines, 8 * lines.first + bit); }

// n bits in stream order; the caller has checked that they are there. A stream that turns is asked in one place: two ways
// to look at every field are code that a GPU has to fetch.
template <Buffer B> SLUICE_COLD u64 take_either_way(Stream<Input::Turning, B>& s, u64 n) {
  const u64 pos = s.pos, behind = pos + n;
  s.pos = behind;
  return look_bits<false>(s.lines, 8 * s.lines.first + (is_turned(pos) ? kTurn - behind : pos)) & mask(n);
}
// The same of 32 bits at most; kNoWord where they are not there. What a stream is stands in memory that is far away: whether
// they are and where they are is found out together.
constexpr u64 kNoWord = 1ull << 32;
template <Buffer B> SLUICE_COLD u64 read_word(Stream<Input::Turning, B>& s, u32 n) {
  const u64 pos = s.pos, behind = pos + n, bit = 8 * s.lines.first + (is_turned(pos) ? kTurn - behind : pos);
  if (behind > s.end) return kNoWord;
  s.pos = behind;
  return look_word(s.lines, bit) & __funnelshift_lc(~0u, 0, n);
}
template <Input K, Buffer B> SLUICE_INLINE u64 take(Stream<K, B>& s, u64 n) {
  if constexpr (K == Input::Turning) return take_either_way(s, n);
  const u64 v = look(s);
  s.pos += n / Stream<K, B>::kStep;
  return K == Input::Bytes ? highest(swap64(v), n) : K == Input::Msb ? highest(v, n) : v & mask(n);
}
// The region of the next bytes is read from its end, behind the padding. 1: the input ends inside, 2: it does not end in padding.
template <Input K, Buffer B> SLUICE_COLD u32 turn(Stream<K, B>& s, u64 bytes) {
  static_assert(K == Input::Turning, "bits are read from the end of a region where the stream turns");
  if (s.left_bits() >> 3 < bytes) return 1;
  const u64 end = s.pos + 8 * bytes;
  const u32 last = bytes == 0 ? 0 : (u32)look_from(s.lines, end - 8) & 0xff;
  if (last == 0) return 2;
  s.end = kTurn - s.pos;
  s.pos = kTurn - end + (u64)__clz((i32)last) - 23;  // of the 32 bits 24 are none of the byte's; the one that ends the padding
  return 0;
}
// Whole bytes in a byte order; aligned and there.
template <Input K, Buffer B> SLUICE_INLINE u64 take_le(Stream<K, B>& s, u64 n) {
  const u64 v = look_bytes(s) & mask(n);
  s.pos += n / Stream<K, B>::kStep;
  return v;
}
template <Input K, Buffer B> SLUICE_INLINE u64 take_be(Stream<K, B>& s, u64 n) {
  const u64 v = highest(swap64(look_bytes(s)), n);
  s.pos += n / Stream<K, B>::kStep;
  return v;
}

// The next bytes of the region without taking them, zeros past its end.
template <bool Big, Input K, Buffer B> SLUICE_INLINE u64 peek(Stream<K, B>& s, u64 bytes) {
  const u64 have = s.left_bits() >> 3;
  const u64 v = look_bytes(s) & mask(8 * (have < bytes ? have : bytes));
  return Big ? highest(swap64(v), 8 * bytes) : v;
}
// The next n (1..64) bits of the region in stream order without taking them, zeros past its end.
template <Input K, Buffer B> SLUICE_INLINE u64 peek_bits(Stream<K, B>& s, u64 n) {
  static_assert(K != Input::Bytes, "a stream of bytes has no order of bits");
  const u64 have = s.left_bits(), k = have < n ? have : n, v = look(s);
  if (K != Input::Msb) return v & mask(k);
  return k == 0 ? 0 : highest(v, k) << (n - k);
}

// The seven-bit groups of x, which has only those, moved together: byte k's group to bit 7 k.
SLUICE_INLINE u64 join_groups(u64 x) {
  x = (x & 0x007f007f007f007full) | (x & 0x7f007f007f007f00ull) >> 1;
  x = (x & 0x00003fff00003fffull) | (x & 0x3fff00003fff0000ull) >> 2;
  return (x & 0x000000000fffffffull) | (x & 0x0fffffff00000000ull) >> 4;
}

// LEB128 of at most Bits bits from 16 bytes. Returns its length in bytes, or more than kGroups: no end within those.
// `fits` says whether the last group is inside Bits.
template <u32 Bits> SLUICE_INLINE u32 join_varint(u64 low, u64 high, u64& value, bool& fits) {
  constexpr u32 kGroups = (Bits + 6) / 7;
  constexpr u64 kMore = 0x8080808080808080ull;
  const u64 ends = ~low & kMore;
  fits = true;
  if (ends) {
    const u32 n = (u32)__ffsll((i64)ends) >> 3;
    value = join_groups(low & ~kMore & mask(8 * n));
    if (n == kGroups) fits = Bits % 7 == 0 || (low >> (8 * (n - 1)) & 0x7f) >> (Bits - 7 * (kGroups - 1)) == 0;
    return n;
  }
  if (kGroups <= 8) return kGroups + 1;
  const u64 more = ~high & kMore;
  const u32 n = more ? 8 + ((u32)__ffsll((i64)more) >> 3) : 17;
  if (n > kGroups) return kGroups + 1;
  value = join_groups(low & ~kMore) | join_groups(high & ~kMore & mask(8 * (n - 8))) << 56;
  if (n == kGroups) fits = Bits % 7 == 0 || (high >> (8 * (n - 9)) & 0x7f) >> (Bits - 7 * (kGroups - 1)) == 0;
  return n;
}

// 1: the input ends inside, 2: too long.
template <u32 Bits, Input K, Buffer B> SLUICE_COLD u32 take_varint(Stream<K, B>& s, u64& value) {
  constexpr u32 kGroups = (Bits + 6) / 7;
  const u64 have = s.left_bits() >> 3, start = s.pos;
  const u64 low = look_bytes(s);
  u64 high = 0;
  if (kGroups > 8) {
    s.pos = start + steps<K>(8);
    high = look_bytes(s);
    s.pos = start;
  }
  bool fits;
  const u32 n = join_varint<Bits>(low, high, value, fits);
  if (n > have && have < kGroups) return 1;
  if (n > kGroups || !fits) return 2;
  s.pos += steps<K>(n);
  return 0;
}

// A symbol, or in the upper half what is wrong: 1: the input ends inside the code, 2: no such code.
template <Input K, Buffer B> SLUICE_COLD u64 next_symbol(Stream<K, B>& s, AnyCode code) {
  static_assert(K != Input::Bytes, "codes are read from bit streams");
  // What a stream is stands in memory that is far away: all that is needed of it is asked for at once.
  const u64 pos = s.pos, left = s.end - pos;
  const u32 most = code.max_bits, have = left < most ? (u32)left : most;
  u32 bits;
  if (K == Input::Turning && is_turned(pos)) {
    bits = (u32)(look_from(s.lines, bit_of(pos + have)) & mask(have)) << (most - have);
  } else {
    const u64 v = look_bits<K == Input::Msb>(s.lines, 8 * s.lines.first + pos * Stream<K, B>::kStep);
    bits = (K == Input::Msb ? (u32)(v >> 32) : __brev((u32)v)) >> (32 - most);
  }
  if (*code.complete() == kLongestComplete) bits ^= (1u << most) - 1;
  const Found f = find_symbol(code, have == 0 ? 0 : bits & ~0u << (most - have));
  if (f.length == 0) return (u64)(have < most ? 1 : 2) << 32;
  if (f.length > have) return 1ull << 32;
  s.pos = pos + f.length;
  return f.symbol;
}
// The same for those who keep the symbol in a register. 0: there is one.
template <u32 Symbols, u32 MaxBits, Input K, Buffer B>
SLUICE_INLINE u32 take_symbol(Stream<K, B>& s, const Code<Symbols, MaxBits>& code, u64& symbol) {
  static_assert(MaxBits >= 1 && MaxBits <= 32, "a code fits a word");
  const u64 next = next_symbol(s, any_code(code));
  const u32 wrong = (u32)(next >> 32);
  if (wrong == 0) symbol = next;
  return wrong;
}

// 1: no room.
template <bool Write, u32 Elem, typename S> SLUICE_INLINE u32 emit(S& s, u64 value) {
  if (s.produced == s.out_end) return 1;
  if (Write) store<Elem>(s.out + s.produced * Elem, value);
  ++s.produced;
  return 0;
}

// n bytes from input to output. 1: the input ends, 2: no room. What fits is done first.
template <bool Write, typename S> SLUICE_COLD u32 literal_bytes(S& s, u64 n) {
  constexpr Input K = S::kInput;
  const u64 have = s.left_bits() >> 3, room = s.out_end - s.produced;
  u64 k = n < have ? n : have;
  k = k < room ? k : room;
  if (Write) {
    const auto d = s.out + s.produced;
    if (s.aligned()) {
      copy_bytes(d, s.in + s.byte(), k);
    } else {
      const u32 shift = (u32)s.pos & 7;
      const u8* const p = s.in + s.byte();  // the byte behind the last one is there: it holds the last bits
      SLUICE_ROLLED
      for (u64 i = worker(); i < k; i += kWorkers)
        store_lane<1>(d + i, K == Input::Msb ? (u8)(((u32)p[i] << 8 | p[i + 1]) >> (8 - shift))
                                             : (u8)(((u32)p[i + 1] << 8 | p[i]) >> shift));
    }
  }
  s.pos += steps<K>(k);
  s.produced += k;
  if (k == n) return 0;
  return have <= room ? 1 : 2;
}

// Of n varints as many as are there, have room and are sound; what is wrong with the next one is the caller's to find. A round
// looks at 32 bytes, each lane at the number that ends in its byte.
template <bool Write, u32 Elem, u32 Bits, bool Signed, typename S>
SLUICE_COLD u64 literal_varints(S& s, u64 n) {
  if (!s.aligned()) return 0;
  constexpr u32 kGroups = (Bits + 6) / 7;
  u64 done = 0;
  SLUICE_ROLLED
  while (done < n) {
    const u8* const p = s.in + s.byte();
    const u64 have = s.left_bits() >> 3;
    const u32 byte = lane() < have ? p[lane()] : 0x80;
    const u32 ends = ballot(byte < 0x80);
    const u32 before = ends & lanes_below();
    const u32 index = (u32)__popc(before), start = before ? 32 - (u32)__clz((i32)before) : 0;
    const u32 length = lane() + 1 - start;
    bool good = byte < 0x80 && length <= kGroups;
    u64 v = 0;
    if (good) {
      SLUICE_ROLLED
      for (u32 i = 0; i < length; ++i) v |= (u64)(p[start + i] & 0x7f) << (7 * i);
      if (length == kGroups && byte >> (Bits - 7 * (kGroups - 1)) != 0) good = false;
    }
    // Those before the first bad one, that there is room for and that are asked for.
    const u32 bad = ballot(byte < 0x80 && !good);
    const u32 sound = bad ? ends & ((bad & (0 - bad)) - 1) : ends;
    u64 k = (u64)__popc(sound);
    if (k > n - done) k = n - done;
    if (k > s.out_end - s.produced) k = s.out_end - s.produced;
    if (k == 0) return done;
    if (Write && byte < 0x80 && index < k && worker() < kLanes)
      store_lane<Elem>(s.out + (s.produced + index) * Elem, Signed ? (u64)zigzag(v) : v);
    // The last one taken ends at the lane whose index is k - 1.
    const u32 last = ballot(byte < 0x80 && index == k - 1);
    s.pos += steps<S::kInput>((u64)__ffs((i32)last));
    s.produced += k;
    done += k;
  }
  return done;
}

// value, value + step, ...: n elements. 1: no room, and nothing is written.
template <bool Write, u32 Elem, typename S> SLUICE_COLD u32 run(S& s, u64 value, u64 n, u64 step) {
  if (n > s.out_end - s.produced) return 1;
  if (Write) fill<Elem>(s.out + s.produced * Elem, value, step, n);
  s.produced += n;
  return 0;
}

// n elements from `distance` back. 1: bad distance, 2: no room; nothing is written then. Most specs have one place that asks for
// this: it stands there, as long_entry_of() does (note [once] of plan/checked.h).
template <bool Write, u32 Elem, Input K, Buffer B>
SLUICE_INLINE u32 copy(Stream<K, B>& s, u64 distance, u64 n, u64 farthest) {
  const u64 own = s.produced - s.window, before = s.dictionary_bytes / Elem;
  if (distance - 1 >= own + before || distance > farthest) return 1;
  if (n > s.out_end - s.produced) return 2;
  if (Write) {
    u8* d = s.out + s.produced * Elem;
    u64 bytes = n * Elem;
    if (distance > own) {  // starts in the dictionary, goes on at the window's first element
      const u64 back = (distance - own) * Elem;
      const u64 k = back < bytes ? back : bytes;
      copy_bytes(d, s.dictionary + s.dictionary_size - back, k);
      d += k;
      bytes -= k;
    }
    if (bytes) copy_match(d, distance * Elem, bytes);
  }
  s.produced += n;
  return 0;
}

}  // namespace prim
