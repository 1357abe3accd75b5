#pragma once
// Bit streams at thread scope: one lane reads fields and symbols of its own part, beside others that read theirs.

namespace prim {

// ---- The checked path ----------------------------------------------------------------------------------------------

template <bool Msb, u32 Symbols, u32 MaxBits>
SLUICE_INLINE Found find_alone(const Code<Symbols, MaxBits>& code, u32 bits) {
  const u32 length = length_above(code, bits, 1, MaxBits);
  if (length > MaxBits) return {0, 0};
  return {code.sorted[code.offset[length] + (bits >> (MaxBits - length))], length};
}

// A symbol. 1: the input ends inside the code, 2: no such code.
template <u32 Symbols, u32 MaxBits, Input K>
SLUICE_COLD u32 take_symbol(Stream<K>& s, const Code<Symbols, MaxBits>& code, u64& symbol) {
  const u64 have = s.end - s.pos, v = look(s);
  u32 bits = K == Input::Msb ? (u32)(v >> (64 - MaxBits)) : __brev((u32)v) >> (32 - MaxBits);
  if (have < MaxBits) bits &= ~0u << (MaxBits - have);
  const Found f = find_alone<K == Input::Msb>(code, bits);
  if (f.length == 0) return have < MaxBits ? 1 : 2;
  if (f.length > have) return 1;
  s.pos += f.length;
  symbol = f.symbol;
  return 0;
}

// ---- Fast loops ----------------------------------------------------------------------------------------------------

// Aligned words of the input, counted from the one that the loop began in. A Cursor counts bytes from there on.
struct Words {
  const u32* memory;  // word 0
  u64 from;           // its byte of the input, modulo 2^64: it may lie before the input's start
  u32 first;          // bytes of it that lie there
};
template <Input K> SLUICE_INLINE Words source(const Stream<K>& s) {
  const u32 skew = (u32)(u64)(s.in + s.byte()) & 3;
  return {(const u32*)(global(s.in + s.byte()) - skew), s.byte() - skew,
          s.byte() < skew ? skew - (u32)s.byte() : 0};
}
template <typename T> SLUICE_INLINE void give_back(T&, const Words&) {}
SLUICE_INLINE Cursor cursor(const Words& src, u64 byte) {
  const u64 at = byte - src.from;
  return (Cursor)(at < kFarthestCursor ? at : kFarthestCursor);
}

// 64 bits of the stream, and the word behind them on its way.
// Invariants: `start` is a multiple of 32, start <= count; behind a refill count - start < 32, so 33 bits are there;
// `in` is the byte of `start`. A refill loads up to 16 bytes from its `in` on: the loop's margin holds them.
//   note [position]: `count` is the bit position, from word 0 on.
constexpr u64 kWordsAhead = 16;
template <bool Msb>
struct LaneBits {
  u64 word;  // from `start` on: the first bit lowest (Msb: highest)
  u32 next;  // the 32 bits behind
  u32 start;
  u32 count;

  static SLUICE_METHOD u32 load(const Words& src, u32 bit) {
    const u32 w = src.memory[bit >> 5];
    return Msb ? swap32(w) : w;
  }
  static SLUICE_METHOD LaneBits at(const Words& src, u64 pos, Cursor& in) {
    LaneBits b;
    b.count = (u32)(pos - 8 * src.from);
    b.start = b.count & ~31u;
    u32 one = 0;
    if (b.start != 0 || src.first == 0) {
      one = load(src, b.start);
    } else {  // the bytes before the input are not ours to read
      for (u32 i = src.first; i < 4; ++i) one |= (u32)((const u8*)src.memory)[i] << (8 * i);
      if (Msb) one = swap32(one);
    }
    const u32 two = load(src, b.start + 32);
    b.word = Msb ? (u64)one << 32 | two : (u64)two << 32 | one;
    b.next = load(src, b.start + 64);
    in = b.start >> 3;
    return b;
  }
  static SLUICE_METHOD void refill(LaneBits& b, const Words& src, Cursor& in) {
    if (b.count - b.start < 32) return;
    b.word = Msb ? b.word << 32 | b.next : (u64)b.next << 32 | b.word >> 32;
    b.start += 32;
    in += 4;
    b.next = load(src, b.start + 64);
  }
  // 32 bits, the next one lowest (Msb: highest).
  static SLUICE_METHOD u32 bits(const LaneBits& b) {
    const u32 used = b.count - b.start;
    return Msb ? (u32)(b.word << used >> 32) : (u32)(b.word >> used);
  }
  // The next n bits, 1 <= n <= 32.
  static SLUICE_METHOD u32 look(const LaneBits& b, u32 n) {
    return Msb ? bits(b) >> (32 - n) : bits(b) & (n == 32 ? ~0u : (1u << n) - 1);
  }
  static SLUICE_METHOD void drop(LaneBits& b, const Words&, Cursor&, u32 n) { b.count += n; }
  // n bits that follow the first `skip` bits, skip + n <= 32, 0 <= n < 32; with skip 0 also n = 32.
  static SLUICE_METHOD u32 look_after(const LaneBits& b, u32 skip, u32 n) {
    const u32 v = bits(b);
    if (n == 32) return v;
    return Msb ? ((v << skip) >> 1) >> (31 - n) : (v >> skip) & ((1u << n) - 1);
  }
  static SLUICE_METHOD u64 position(const Words& src, Cursor, u32 count) { return 8 * src.from + count; }
  // A position of the stream counted like `count`.
  static SLUICE_METHOD u32 place(const Words& src, u64 pos) {
    const u64 at = pos - 8 * src.from;
    return (u32)(at < 8 * kFarthestCursor ? at : 8 * kFarthestCursor);
  }
};

// An entry's extra bits behind its code bits, and the entry dropped as a whole.
template <bool Msb> SLUICE_INLINE u32 take_entry(LaneBits<Msb>& b, const Words& src, Cursor& in, u32 e) {
  typedef LaneBits<Msb> Bits;
  const u32 extra = Bits::look_after(b, entry_code_bits(e), entry_bits(e) - entry_code_bits(e));
  Bits::drop(b, src, in, entry_bits(e));
  return extra;
}
template <bool Msb, u32 First, u32 Symbols, u32 MaxBits>
SLUICE_COLD u32 long_entry(const Code<Symbols, MaxBits>& code, const u32* info, u32 bits, u32 link) {
  if (is_link(link)) return linked_entry<Msb>(any_code(code), First, info, bits, link);
  const Found f = find_alone<Msb>(code, Msb ? bits : reverse_bits(bits, MaxBits));
  return f.length == 0 ? kKindLeave : make_entry(info[f.symbol], f.length);
}

}  // namespace prim
