#pragma once
// The checked path of a generated decoder: one chunk's input and output with every bound checked. Operations return 0,
// or the number (1, 2) of the check that failed, which the emitted code turns into the clause's error word.
// `Write` false is count mode: outputs are counted, nothing is stored.

namespace prim {

// Turning: as Lsb, but for regions that are read from their end; note [turned].
enum class Input : u32 { Bytes, Lsb, Msb, Turning };

template <Input K>
struct Stream {
  static constexpr Input kInput = K;
  static constexpr u64 kStep = K == Input::Bytes ? 8 : 1;  // bits of one step of `pos`
  const u8* in;
  u64 size;   // bytes of the whole input: loads may touch [in, in + size)
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

  u64 left_bits() const { return (end - pos) * kStep; }
  u64 byte() const { return K == Input::Bytes ? pos : pos >> 3; }
  bool aligned() const { return K == Input::Bytes || (pos & 7) == 0; }
};

// Units of a size in bytes.
template <Input K> SLUICE_INLINE u64 steps(u64 bytes) { return K == Input::Bytes ? bytes : bytes * 8; }

template <Input K> SLUICE_INLINE bool lacks(const Stream<K>& s, u64 bits) { return s.left_bits() < bits; }

// n bits in stream order; the caller has checked that they are there.
template <Input K> SLUICE_INLINE u64 take(Stream<K>& s, u64 n) {
  if constexpr (K == Input::Bytes) {
    const u64 v = load_be(s.in + s.pos, n >> 3);
    s.pos += n >> 3;
    return v;
  } else {
    const u64 v = K == Input::Msb ? bits_msb(s.in, s.size, s.pos, n)
                                  : bits_lsb(s.in, s.size, K == Input::Turning && is_turned(s.pos) ? bit_of(s.pos + n) : s.pos, n);
    s.pos += n;
    return v;
  }
}
// Whole bytes in a byte order; aligned and there.
template <Input K> SLUICE_INLINE u64 take_le(Stream<K>& s, u64 n) {
  const u64 v = load_le(s.in + s.byte(), n >> 3);
  s.pos += n / Stream<K>::kStep;
  return v;
}
template <Input K> SLUICE_INLINE u64 take_be(Stream<K>& s, u64 n) {
  const u64 v = load_be(s.in + s.byte(), n >> 3);
  s.pos += n / Stream<K>::kStep;
  return v;
}

// The region of the next bytes is read from its end, behind the padding. 1: the input ends inside, 2: it does not end in padding.
template <Input K> SLUICE_COLD u32 turn(Stream<K>& s, u64 bytes) {
  static_assert(K == Input::Turning, "bits are read from the end of a region where the stream turns");
  if (s.left_bits() >> 3 < bytes) return 1;
  const u64 end = s.pos + 8 * bytes;
  u64 last = bytes == 0 ? 0 : bits_lsb(s.in, s.size, end - 8, 8);
  if (last == 0) return 2;
  s.end = kTurn - s.pos;
  s.pos = kTurn - end + 1;
  for (; last < 128; last *= 2) ++s.pos;
  return 0;
}

// The next bytes of the region without taking them, zeros past its end.
template <bool Big, Input K> SLUICE_INLINE u64 peek(const Stream<K>& s, u64 bytes) {
  const u64 have = s.left_bits() >> 3;
  const u64 n = have < bytes ? have : bytes;
  const u8* p = s.in + s.byte();
  return Big ? load_be(p, n) << (n == 0 ? 0 : 8 * (bytes - n)) : load_le(p, n);
}

// The next n (1..64) bits of the region in stream order without taking them, zeros past its end.
template <Input K> SLUICE_INLINE u64 peek_bits(const Stream<K>& s, u64 n) {
  static_assert(K != Input::Bytes, "a stream of bytes has no order of bits");
  const u64 have = s.left_bits(), k = have < n ? have : n;
  if (K != Input::Msb) return bits_lsb(s.in, s.size, s.pos, k);
  return k == 0 ? 0 : bits_msb(s.in, s.size, s.pos, k) << (n - k);
}

// 1: the input ends inside, 2: too long.
template <u32 Bits, Input K> SLUICE_INLINE u32 take_varint(Stream<K>& s, u64& value) {
  if (!s.aligned()) {
    // A bit stream: the same groups, gathered from eight bits each.
    constexpr u32 kGroups = (Bits + 6) / 7;
    u8 groups[kGroups];
    const u64 have = s.left_bits() >> 3;
    u64 n = 0;
    for (Stream<K> t = s; n < kGroups && n < have;) {
      groups[n] = (u8)take(t, 8);
      if (groups[n++] < 128) break;
    }
    u64 length = 0;
    const u32 r = varint<Bits>(groups, n, value, length);
    if (r == kVarintOk) s.pos += steps<K>(length);
    return r;
  }
  u64 length = 0;
  const u32 r = varint<Bits>(s.in + s.byte(), s.left_bits() >> 3, value, length);
  if (r == kVarintOk) s.pos += steps<K>(length);
  return r;
}

// A symbol. 1: the input ends inside the code, 2: no such code.
template <u32 Symbols, u32 MaxBits, Input K>
SLUICE_INLINE u32 take_symbol(Stream<K>& s, const Code<Symbols, MaxBits>& code, u64& symbol) {
  static_assert(K != Input::Bytes, "codes are read from bit streams");
  const Found f = find_symbol<K == Input::Msb, K == Input::Turning>(code, s.in, s.pos, s.end);
  const u64 have = s.end - s.pos;
  if (f.length == 0) return have < MaxBits ? 1 : 2;
  if (f.length > have) return 1;
  s.pos += f.length;
  symbol = f.symbol;
  return 0;
}

template <u32 Elem> SLUICE_INLINE void store(u8* p, u64 v) { __builtin_memcpy(p, &v, Elem); }

// 1: no room.
template <bool Write, u32 Elem, Input K> SLUICE_INLINE u32 emit(Stream<K>& s, u64 value) {
  if (s.produced == s.out_end) return 1;
  if (Write) store<Elem>(s.out + s.produced * Elem, value);
  ++s.produced;
  return 0;
}

// n bytes from input to output. 1: the input ends, 2: no room. What fits is done first.
template <bool Write, Input K> SLUICE_COLD u32 literal_bytes(Stream<K>& s, u64 n) {
  const u64 have = s.left_bits() >> 3, room = s.out_end - s.produced;
  u64 k = n < have ? n : have;
  k = k < room ? k : room;
  if (Write) {
    if (s.aligned()) {
      if (k) __builtin_memcpy(s.out + s.produced, s.in + s.byte(), k);
    } else {
      Stream<K> t = s;
      for (u64 i = 0; i < k; ++i) s.out[s.produced + i] = (u8)take(t, 8);
    }
  }
  s.pos += steps<K>(k);
  s.produced += k;
  if (k == n) return 0;
  return have <= room ? 1 : 2;
}

// value, value + step, ...: n elements. 1: no room, and nothing is written.
template <bool Write, u32 Elem, Input K> SLUICE_COLD u32 run(Stream<K>& s, u64 value, u64 n, u64 step) {
  if (n > s.out_end - s.produced) return 1;
  if (Write) {
    u8* p = s.out + s.produced * Elem;
    u64 i = 0;
    if (step == 0 && n >= kLongFill / Elem) {  // what is stored behind them are the last ones
      i = n - kCopySlack / Elem;
      fill_equal<Elem>(p, value, i);
      p += i * Elem;
    }
    for (; i < n; ++i, p += Elem) { store<Elem>(p, value); value += step; }
  }
  s.produced += n;
  return 0;
}

// n elements from `distance` back. 1: bad distance, 2: no room; nothing is written then.
template <bool Write, u32 Elem, Input K> SLUICE_COLD u32 copy(Stream<K>& s, u64 distance, u64 n, u64 farthest) {
  const u64 own = s.produced - s.window, before = s.dictionary_bytes / Elem;
  if (distance - 1 >= own + before || distance > farthest) return 1;
  if (n > s.out_end - s.produced) return 2;
  if (Write) {
    u8* d = s.out + s.produced * Elem;
    u64 bytes = n * Elem;
    if (distance > own) {  // starts in the dictionary, goes on at the window's first element
      const u64 back = (distance - own) * Elem;
      const u64 k = back < bytes ? back : bytes;
      __builtin_memcpy(d, s.dictionary + s.dictionary_size - back, k);
      d += k;
      bytes -= k;
    }
    if (bytes) copy_match_exact(d, distance * Elem, bytes);
  }
  s.produced += n;
  return 0;
}

}  // namespace prim
