#pragma once
// The checked path at *thread scope*: one lane reads a region and writes its output alone, beside other lanes that do
// the same with theirs (strategy `split`). Names, results and the order of checks are those of stream.h; these texts
// stand inside `namespace thread`: emitted rules find them there, and in `warp_prim` what is not said anew.

namespace prim {

using namespace warp_prim;

constexpr u32 kWorkers = 1;
SLUICE_INLINE u32 worker() { return 0; }
SLUICE_INLINE void sync() {}

template <Input K>
struct Stream {
  static constexpr Input kInput = K;
  static constexpr u64 kStep = K == Input::Bytes ? 8 : 1;  // bits of one step of `pos`
  const u8* in;
  u64 size;   // bytes of the whole input
  u64 pos;    // in steps
  u64 end;    // of the current region; pos <= end <= size * 8 / kStep
  u8* out;
  u64 produced;    // elements, of the whole output
  u64 out_end;     // elements; produced <= out_end: the nearer of the room given and what is promised
  u64 promised;  // elements that the `producing` or the buffer around allows; ~0: any number
  u64 window;  // element at which copies start to see; window <= produced
  u64 dictionary_bytes;   // of the dictionary the last so many bytes stand before `window`
  const u8* dictionary;
  u64 dictionary_size;
  bool writes;  // false: output is counted and not stored, in kernels that write too

  SLUICE_METHOD u64 left_bits() const { return (end - pos) * kStep; }
  SLUICE_METHOD u64 byte() const { return K == Input::Bytes ? pos : pos >> 3; }
  SLUICE_METHOD bool aligned() const { return K == Input::Bytes || (pos & 7) == 0; }
};

template <Input K> SLUICE_INLINE u64 steps(u64 bytes) { return K == Input::Bytes ? bytes : bytes * 8; }
template <Input K> SLUICE_INLINE bool lacks(const Stream<K>& s, u64 bits) { return s.left_bits() < bits; }

// The 64 bits at the position: lowest first, in msb streams highest first. Zeros past the input.
template <Input K> SLUICE_COLD u64 look(const Stream<K>& s) {
  const u64 shift = K == Input::Bytes ? 0 : s.pos & 7, have = s.size - s.byte(), n = have < 8 ? have : 8;
  const u8* const p = s.in + s.byte();
  if (K == Input::Msb) {
    const u64 v = n == 0 ? 0 : load_be(p, n) << (64 - 8 * n) << shift;
    return shift && have > 8 ? v | (u64)p[8] >> (8 - shift) : v;
  }
  const u64 v = load_le(p, n) >> shift;
  return shift && have > 8 ? v | (u64)p[8] << (64 - shift) : v;
}
// The eight bytes there, first one lowest.
template <Input K> SLUICE_INLINE u64 look_bytes(const Stream<K>& s) {
  const u64 v = look(s);
  return K == Input::Msb ? swap64(v) : v;
}

// n bits in stream order; the caller has checked that they are there.
template <Input K> SLUICE_INLINE u64 take(Stream<K>& s, u64 n) {
  if (K == Input::Bytes && n == 8) return s.in[s.pos++];
  const u64 v = look(s);
  s.pos += n / Stream<K>::kStep;
  return K == Input::Bytes ? highest(swap64(v), n) : K == Input::Lsb ? v & mask(n) : highest(v, n);
}
// Whole bytes in a byte order; aligned and there.
template <Input K> SLUICE_INLINE u64 take_le(Stream<K>& s, u64 n) {
  const u64 v = look_bytes(s) & mask(n);
  s.pos += n / Stream<K>::kStep;
  return v;
}
template <Input K> SLUICE_INLINE u64 take_be(Stream<K>& s, u64 n) {
  const u64 v = highest(swap64(look_bytes(s)), n);
  s.pos += n / Stream<K>::kStep;
  return v;
}

// The next bytes of the region without taking them, zeros past its end.
template <bool Big, Input K> SLUICE_INLINE u64 peek(const Stream<K>& s, u64 bytes) {
  const u64 have = s.left_bits() >> 3;
  const u64 v = look_bytes(s) & mask(8 * (have < bytes ? have : bytes));
  return Big ? highest(swap64(v), 8 * bytes) : v;
}
// The next n (1..64) bits of the region in stream order without taking them, zeros past its end.
template <Input K> SLUICE_INLINE u64 peek_bits(const Stream<K>& s, u64 n) {
  static_assert(K != Input::Bytes, "a stream of bytes has no order of bits");
  const u64 have = s.left_bits(), k = have < n ? have : n, v = look(s);
  if (K == Input::Lsb) return v & mask(k);
  return k == 0 ? 0 : highest(v, k) << (n - k);
}

// 1: the input ends inside, 2: too long.
template <u32 Bits, Input K> SLUICE_COLD u32 take_varint(Stream<K>& s, u64& value) {
  constexpr u32 kGroups = (Bits + 6) / 7;
  const u64 have = s.left_bits() >> 3, start = s.pos;
  const u64 low = look_bytes(s);
  u64 high = 0;
  if (kGroups > 8 && have > 8) {
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

// n <= 8 bytes of v, lowest first.
SLUICE_INLINE void put(u8* p, u64 v, u64 n) {
  SLUICE_ROLLED
  for (u32 i = 0; i < (u32)n; ++i) p[i] = (u8)(v >> (8 * i));
}
template <u32 Elem> SLUICE_INLINE void store(u8* p, u64 v) { store_lane<Elem>(p, v); }

// 1: no room.
template <bool Write, u32 Elem, Input K> SLUICE_INLINE u32 emit(Stream<K>& s, u64 value) {
  if (s.produced == s.out_end) return 1;
  if (Write && s.writes) store<Elem>(s.out + s.produced * Elem, value);
  ++s.produced;
  return 0;
}

// n bytes from input to output. 1: the input ends, 2: no room. What fits is done first.
template <bool Write, Input K> SLUICE_COLD u32 literal_bytes(Stream<K>& s, u64 n) {
  const u64 have = s.left_bits() >> 3, room = s.out_end - s.produced;
  u64 k = n < have ? n : have;
  k = k < room ? k : room;
  if (Write && s.writes) {
    Stream<K> t = s;
    SLUICE_ROLLED
    for (u64 i = 0; i < k; ++i) s.out[s.produced + i] = (u8)take(t, 8);
  }
  s.pos += steps<K>(k);
  s.produced += k;
  if (k == n) return 0;
  return have <= room ? 1 : 2;
}

// value, value + step, ...: n elements. 1: no room, and nothing is written.
template <bool Write, u32 Elem, Input K> SLUICE_COLD u32 run(Stream<K>& s, u64 value, u64 n, u64 step) {
  if (n > s.out_end - s.produced) return 1;
  if (Write && s.writes) {
    SLUICE_ROLLED
    for (u64 i = 0; i < n; ++i) store<Elem>(s.out + (s.produced + i) * Elem, value + i * step);
  }
  s.produced += n;
  return 0;
}

// 1: no such symbol, 2: no room.
template <bool Write, Input K, typename Table> SLUICE_INLINE u32 emit_symbol(Stream<K>& s, const Table& symbols, u64 index) {
  const u64 n = symbols.length[index];
  if (n == 0) return 1;
  if (s.out_end - s.produced < n) return 2;
  if (Write && s.writes) put(s.out + s.produced, symbols.text[index], n);
  s.produced += n;
  return 0;
}

}  // namespace prim
