#pragma once
// What the text of a token that begins at a bit means to a lane that walks it, or makes a record of it
// (speculate_bits.h); beside thread_tokens.h.

namespace prim {

// The stream where a lane stands: words of a tile, and a place in them. Nothing is buffered, so nothing is refilled.
template <bool Msb>
struct TileBits {
  const u32* words;
  u32 count;

  static SLUICE_METHOD void refill(TileBits&, const BitTile&, Cursor) {}
  static SLUICE_METHOD void need(TileBits&, const BitTile&, Cursor, u32) {}
  static SLUICE_METHOD void drop(TileBits& b, const BitTile&, Cursor, u32 n) { b.count += n; }
  // 32 bits, the next one lowest (Msb: highest).
  static SLUICE_METHOD u32 bits(const TileBits& b) {
    const u32* const p = b.words + b.count / 32;
    return Msb ? __funnelshift_l(p[1], p[0], b.count) : __funnelshift_r(p[0], p[1], b.count);
  }
  // The next n bits, 1 <= n <= 32.
  static SLUICE_METHOD u32 look(const TileBits& b, u32 n) {
    return Msb ? bits(b) >> (32 - n) : bits(b) & (n == 32 ? ~0u : (1u << n) - 1);
  }
  // n bits that follow the first `skip` bits, skip + n <= 32, 0 <= n < 32; with skip 0 also n = 32.
  static SLUICE_METHOD u32 look_after(const TileBits& b, u32 skip, u32 n) {
    const u32 v = bits(b);
    if (n == 32) return v;
    return Msb ? ((v << skip) >> 1) >> (31 - n) : (v >> skip) & ((1u << n) - 1);
  }
};

// The 32 bits where a lane stands, and none behind them: note [fills] of fills.h. What stands for source and cursor says nothing.
template <bool Msb>
struct Window {
  u32 all;
  u32 count;  // so many are gone

  static SLUICE_METHOD void refill(Window&, u32, Cursor) {}
  static SLUICE_METHOD void need(Window&, u32, Cursor, u32) {}
  static SLUICE_METHOD void drop(Window& b, u32, Cursor, u32 n) { b.count += n; }
  // 32 bits, the next one lowest (Msb: highest).
  static SLUICE_METHOD u32 bits(const Window& b) { return Msb ? b.all << (b.count & 31) : b.all >> (b.count & 31); }
  // The next n bits, 1 <= n <= 32.
  static SLUICE_METHOD u32 look(const Window& b, u32 n) {
    return Msb ? bits(b) >> (32 - n) : bits(b) & (n == 32 ? ~0u : (1u << n) - 1);
  }
  // n bits that follow the first `skip` bits, skip + n <= 32, 0 <= n < 32.
  static SLUICE_METHOD u32 look_after(const Window& b, u32 skip, u32 n) {
    return Msb ? ((bits(b) << (skip & 31)) >> 1) >> (31 - n) : (bits(b) >> (skip & 31)) & ((1u << n) - 1);
  }
};

// An entry's extra bits behind its code bits, and the entry dropped as a whole.
template <bool Msb> SLUICE_INLINE u32 take_entry(Window<Msb>& b, u32 src, Cursor in, u32 e) {
  const u32 extra = Window<Msb>::look_after(b, entry_code_bits(e), entry_bits(e) - entry_code_bits(e));
  Window<Msb>::drop(b, src, in, entry_bits(e));
  return extra;
}
template <bool Msb> SLUICE_INLINE u32 take_entry(TileBits<Msb>& b, const BitTile& src, Cursor in, u32 e) {
  typedef TileBits<Msb> Bits;
  const u32 extra = Bits::look_after(b, entry_code_bits(e), entry_bits(e) - entry_code_bits(e));
  Bits::drop(b, src, in, entry_bits(e));
  return extra;
}

// The entry of a symbol whose code has more than First bits; `bits` are the next MaxBits, as look() gives them, and `link` is
// what the table has of the first ones. Where that is no link, all of the code's limits are compared at once: one after the
// other, lanes would wait for each.
template <bool Msb, u32 First, u32 Symbols, u32 MaxBits>
SLUICE_INLINE u32 longer_entry(const Code<Symbols, MaxBits>& code, const u32* info, u32 bits, u32 link) {
  if (SLUICE_LIKELY(is_link(link))) return linked_entry<Msb>(any_code(code), First, info, bits, link);
  const u32 value = Msb ? bits : reverse_bits(bits, MaxBits);
  if (value < code.limit[First]) return kKindLeave;  // the table has it, and says so
  u32 length = First + 1;
  SLUICE_UNROLLED
  for (u32 k = First + 1; k <= MaxBits; ++k) length += code.limit[k] <= value ? 1 : 0;
  if (length > MaxBits) return kKindLeave;
  return make_entry(info[code.sorted[code.offset[length] + (value >> (MaxBits - length))]], length);
}

// A value of the token's own.
template <u32 Elem> SLUICE_INLINE void store(NoOutput&, u64) {}
template <u32 Elem> SLUICE_INLINE void store(Record& out, u64 v) {
  static_assert(Elem == 1, "a byte");
  out.literals = 1;
  out.from = (u8)v;
}

}  // namespace prim
