#pragma once
// The bit buffer of fast loops: 64 bits ahead of the input, filled by one unaligned 8-byte load.
// Invariants: `count` (0..63, in its low 8 bits: what stands above means nothing) bits of `word` are the next bits of the
// stream, lowest first (Msb: highest first); what `word` holds beyond them is what follows in the stream, one bit at least.
// in points at the first byte not counted in. Regions that are read from their end are read as Msb streams, by a source of their own
// (BackSource): of those there is the load of eight bytes whose first is highest, and that of one.
//   note [position]: bit position = 8 * (cursor - start) - count.

namespace prim {

// Bits that a refill leaves at least.
constexpr u64 kRefillBits = 56;
// Bytes that a refill may read, and an upper bound on how far it moves `in`.
constexpr u64 kRefillBytes = 8;

template <bool Msb>
struct BitBuffer {
  u64 word;
  u64 count;

  template <typename S, typename C>
  SLUICE_INLINE void refill(BitBuffer& b, const S& src, C& in) {
    if constexpr (Msb) b.word |= load_be64(src, in) >> (b.count & 63);
    else b.word |= load_le64(src, in) << (b.count & 63);
    in += 7 - (b.count >> 3 & 7);  // whole bytes that fit above count
    b.count |= kRefillBits;        // count + 8 * (7 - (count >> 3)), for count < 64
  }
  template <typename S, typename C>
  SLUICE_INLINE void need(BitBuffer& b, const S& src, C& in, u64 n) {
    if (SLUICE_UNLIKELY((u8)b.count < n)) refill(b, src, in);
  }
  // The next n bits, 1 <= n <= 56 (n = 0 only for lsb).
  SLUICE_INLINE u64 look(const BitBuffer& b, u64 n) { return Msb ? b.word >> (64 - n) : b.word & ((1ull << n) - 1); }
  // n < 64, in its low 8 bits.
  template <typename S, typename C>
  SLUICE_INLINE void drop(BitBuffer& b, const S&, C&, u64 n) {
    if (Msb) b.word <<= n & 63;
    else b.word >>= n & 63;
    b.count -= n;
  }
  // n bits, 0 <= n <= 56, that follow the first `skip` bits.
  SLUICE_INLINE u64 look_after(const BitBuffer& b, u64 skip, u64 n) {
    return Msb ? ((b.word << skip) >> 1) >> (63 - n) : (b.word >> skip) & ((1ull << n) - 1);
  }
  // Starts at bit `pos` of the stream; 8 bytes are readable there.
  template <typename S, typename C>
  SLUICE_INLINE BitBuffer at(const S& src, u64 pos, C& in) {
    BitBuffer b{0, 0};
    in = cursor(src, pos >> 3);
    refill(b, src, in);
    drop(b, src, in, pos & 7);
    return b;
  }
  template <typename S, typename C>
  SLUICE_INLINE u64 position(const S& src, C in, u64 count) { return byte_of(src, in) * 8 - (count & 0xff); }
};

// Reading by position, for loops whose fields don't depend on each other: no load waits for the one before.
// Bytes read from the byte of `bit` on.
constexpr u64 kPositionBytes = 9;

// n bits from `bit`, 0 <= n <= 57.
template <bool Msb, typename S>
SLUICE_INLINE u64 bits_at(const S& src, u64 bit, u64 n) {
  const auto in = cursor(src, bit >> 3);
  if constexpr (Msb) return ((load_be64(src, in) << (bit & 7)) >> 1) >> (63 - n);
  else return (load_le64(src, in) >> (bit & 7)) & ((1ull << n) - 1);
}
// n bits from `bit`, 0 <= n <= 64.
template <bool Msb, typename S>
SLUICE_INLINE u64 wide_bits_at(const S& src, u64 bit, u64 n) {
  const auto in = cursor(src, bit >> 3);
  const u64 k = bit & 7, behind = load_byte(src, in + 8);
  if constexpr (Msb) {
    const u64 w = load_be64(src, in) << k | behind >> (8 - k);
    return n == 0 ? 0 : w >> (64 - n);
  } else {
    return (load_le64(src, in) >> k | (behind << 1) << (63 - k)) & mask(n);
  }
}

// The stream from `bit` on, 57 bits of it; from a byte boundary on all 64. First bit highest (Msb) or lowest.
template <bool Msb, typename S>
SLUICE_INLINE u64 word_at(const S& src, u64 bit) {
  if constexpr (Msb) return load_be64(src, cursor(src, bit >> 3)) << (bit & 7);
  else return load_le64(src, cursor(src, bit >> 3)) >> (bit & 7);
}
template <bool Msb, typename S>
SLUICE_INLINE u64 whole_word_at(const S& src, u64 bit) {
  if constexpr (Msb) return load_be64(src, cursor(src, bit >> 3));
  else return load_le64(src, cursor(src, bit >> 3));
}
// n of such a word's bits, 1 <= n <= 56, behind the first `skip`.
template <bool Msb>
SLUICE_INLINE u64 field(u64 word, u64 skip, u64 n) {
  return Msb ? (word << skip) >> (64 - n) : (word >> skip) & mask(n);
}
// n bits from a byte boundary on, 0 <= n <= 64.
template <bool Msb, typename S>
SLUICE_INLINE u64 whole_bits_at(const S& src, u64 bit, u64 n) {
  const u64 word = whole_word_at<Msb>(src, bit);
  return n == 0 ? 0 : Msb ? word >> (64 - n) : word & mask(n);
}
// Field k of those of `Bytes` whole bytes that stand one behind the other from p on. Reads up to kPositionBytes from the
// field's first byte on.
template <bool Msb, u32 Bytes>
SLUICE_INLINE u64 whole_at(const Source&, Cursor p, u64 k) {
  p += Bytes * k;
  if (Bytes == 1) return *p;
  if (Bytes == 2) return Msb ? load_be16(p) : load_le16(p);
  if (Bytes <= 4) return Msb ? load_be32(p) >> (32 - 8 * Bytes) : load_le32(p) & mask(8 * Bytes);
  return Msb ? load_be64(p) >> (64 - 8 * Bytes) : load_le64(p) & mask(8 * Bytes);
}

// Entry's extra bits behind its code bits, and the entry dropped as a whole.
template <bool Msb, typename S, typename C>
SLUICE_INLINE u64 take_entry(BitBuffer<Msb>& b, const S& src, C& in, u32 e) {
  const u64 extra = BitBuffer<Msb>::look_after(b, entry_code_bits(e), (entry_bits(e) & 0xff) - entry_code_bits(e));
  BitBuffer<Msb>::drop(b, src, in, entry_bits(e));
  return extra;
}

}  // namespace prim
