#pragma once
// Canonical prefix codes: lengths -> counts and sorted symbols (the checked path, one bit a step), and from those a
// look-up table for fast loops. Codes of one length are consecutive integers in symbol order; a shorter code is
// numerically smaller (RFC 1951, 3.2.2).
//   note [longest first]: codes that are handed out from the longest on, and leave none unused, are the complements of what the
//   shortest first makes of the symbols in falling order. So the symbols are sorted that way, and bits are complemented where
//   they are compared with codes.

namespace prim {

enum BuildResult : u32 { kCodeOk = 0, kCodeOversubscribed = 1, kCodeIncomplete = 2 };
// Longest first: incomplete codes are refused, too.
enum IncompletePolicy : u32 { kRefuse = 0, kSingle = 1, kAccept = 2, kLongestFirst = 3 };

// One built code. All zero is a code without codes.
template <u32 Symbols, u32 MaxBits>
struct Code {
  u32 count[MaxBits + 1];  // codes of each length; count[0] unused
  u16 sorted[Symbols];     // symbols by (length, symbol)
  bool complete;
  bool longest_first;      // note [longest first]
};

// Builds `code` from n lengths. n <= Symbols.
template <u32 Symbols, u32 MaxBits, typename Length>
static u32 build_code(Code<Symbols, MaxBits>& code, const Length* lengths, u64 n, u32 policy) {
  for (u32 i = 0; i <= MaxBits; ++i) code.count[i] = 0;
  code.complete = false;
  code.longest_first = policy == kLongestFirst;
  SLUICE_ROLLED
  for (u64 i = 0; i < n; ++i) {
    if (lengths[i] > MaxBits) {
      for (u32 k = 0; k <= MaxBits; ++k) code.count[k] = 0;
      return kCodeOversubscribed;
    }
    code.count[lengths[i]]++;
  }
  code.count[0] = 0;
  u32 next[MaxBits + 1];
  u32 used = 0;
  i64 left = 1;  // codes still free at this length; below 2^MaxBits, MaxBits <= 20
  bool over = false;
  for (u32 len = 1; len <= MaxBits; ++len) {
    next[len] = used;
    used += code.count[len];
    left = left * 2 - (i64)code.count[len];
    if (left < 0) { over = true; break; }
  }
  const bool short_of = !over && left > 0 && used > 0;
  const bool refused = short_of && (policy == kRefuse || policy == kLongestFirst || (policy == kSingle && !(used == 1 && code.count[1] == 1)));
  if (over || refused) {
    for (u32 k = 0; k <= MaxBits; ++k) code.count[k] = 0;
    return over ? kCodeOversubscribed : kCodeIncomplete;
  }
  SLUICE_ROLLED
  for (u64 k = 0; k < n; ++k) {
    const u64 i = policy == kLongestFirst ? n - 1 - k : k;
    if (lengths[i] != 0) code.sorted[next[lengths[i]]++] = (u16)i;
  }
  code.complete = left == 0;
  return kCodeOk;
}

// Walks the bits at pos one by one, zeros past `end`. Returns the symbol and its length, or length 0: no code. Turning: note
// [turned].
struct Found { u32 symbol; u32 length; };
template <bool Msb, bool Turning = false, u32 Symbols, u32 MaxBits>
static Found find_symbol(const Code<Symbols, MaxBits>& code, const u8* in, u64 pos, u64 end) {
  u32 value = 0, first = 0, index = 0;
  SLUICE_ROLLED
  for (u32 len = 1; len <= MaxBits; ++len) {
    u32 bit = 0;
    if (pos < end) {
      const u64 at = Turning && is_turned(pos) ? bit_of(pos + 1) : pos;
      bit = Msb ? one_bit_msb(in, at) : one_bit_lsb(in, at);
      ++pos;
    }
    value = value * 2 + (bit ^ (u32)code.longest_first);
    first *= 2;
    const u32 count = code.count[len];
    if (value - first < count) return {code.sorted[index + (value - first)], len};
    index += count;
    first += count;
  }
  return {0, 0};
}

// ---- Look-up tables ------------------------------------------------------------------------------------------------
// Entry: payload:16 | kind:3 | code bits:5 | all bits:8, most significant first. `code bits` is what this level's
// code takes, `all bits` adds the extra bits that the entry's payload is the base of. Kinds 0..5 are the arms of the
// statement that follows the read, 6 leaves the fast loop, 7 points to a second level (payload: first entry, code bits:
// index bits of that level, all bits: bits of this level).
constexpr u32 kKindShift = 13, kKindMask = 7u << kKindShift, kKindLeave = 6u << kKindShift, kKindLink = 7u << kKindShift;

// Above the 8 bits stands the rest of the entry: a bit buffer drops by those alone, and a mask would be one step more from
// one look-up to the next.
SLUICE_INLINE u32 entry_bits(u32 e) { return e; }
SLUICE_INLINE u32 entry_code_bits(u32 e) { return e >> 8 & 31; }
SLUICE_INLINE u32 entry_payload(u32 e) { return e >> 16; }

// Size of a table that serves codes of up to `most` bits: the first level, and for each long code at most one second
// level of 2^(most - bits) entries.
constexpr u32 table_size(u32 symbols, u32 bits, u32 most) {
  return (1u << bits) + (most > bits ? (symbols < (1u << bits) ? symbols : (1u << bits)) << (most - bits) : 0);
}

//   note [pairs]: where all symbols are bytes that are output as they are, an entry may stand for two: payload is then both, the
//   first one low, kind 1, code bits those of the first code, and all bits those of both.
// Symbols of an entry that is no link and does not leave.
SLUICE_INLINE u32 entry_symbols(u32 e) { return 1 + (e >> kKindShift & 1); }

// Whether a table's pairs gain more than they take, from the bytes that may be read by it: an entry's pair takes as long as pairs save
// in four bytes of text's codes. Measured on blocks of zstd of 1 KB to 128 KB: tests/bench/results/zstd.md.
template <u32 Bits>
SLUICE_INLINE bool pairs_pay(u64 bytes) {
  constexpr u64 kBytesOfEntry = 4;
  return bytes >= kBytesOfEntry << Bits;
}

// Puts the next symbol's code into each entry that shows all of it. Of msb tables of a single kind of symbols. What is looked up here
// may be a pair already: its first code is what it was.
template <u32 Bits>
static void pair_entries(u32* table) {
  constexpr u32 kMain = 1u << Bits, kSpecial = 4u << kKindShift;
  for (u32 i = 0; i < kMain; ++i) {
    const u32 e = table[i], first = entry_code_bits(e), next = table[(i << first) & (kMain - 1)], bits = first + entry_code_bits(next);
    if (((e | next) & kSpecial) != 0 || bits > Bits) continue;
    table[i] = (entry_payload(e) | (entry_payload(next) & 0xff) << 8) << 16 | 1u << kKindShift | first << 8 | bits;
  }
}

SLUICE_INLINE u32 make_entry(u32 info, u32 code_bits) { return info + code_bits + (code_bits << 8); }

// info[symbol]: payload, kind and extra bits of a symbol's entry, code bits 0. Codes of more than Most bits leave.
template <bool Msb, u32 Bits, u32 Most, u32 Symbols, u32 MaxBits>
static void build_table(u32* table, const Code<Symbols, MaxBits>& code, const u32* info) {
  static_assert(table_size(Symbols, Bits, Most) <= 65536, "a link's payload is 16 bits");
  constexpr u32 kMain = 1u << Bits;
  bool holes = !code.complete;
  for (u32 len = Most + 1; len <= MaxBits; ++len) holes |= code.count[len] != 0;
  if (holes)
    for (u32 i = 0; i < kMain; ++i) table[i] = kKindLeave;
  u32 index = 0, value = 0;  // value: the code, for lsb streams with its bits reversed
  const u32 flip = code.longest_first ? ~0u : 0;  // note [longest first]
  const u32 last = Bits < Most ? Bits : Most;
  for (u32 len = 1; len <= last; ++len) {
    if (Msb) value *= 2;
    for (u32 k = code.count[len]; k > 0; --k) {
      const u32 e = make_entry(info[code.sorted[index++]], len);
      if (Msb) {
        const u32 span = 1u << (Bits - len);
        for (u32 i = 0; i < span; ++i) table[((value * span + i) ^ flip) & (kMain - 1)] = e;
        ++value;
      } else {
        for (u32 i = value; i < kMain; i += 1u << len) table[(i ^ flip) & (kMain - 1)] = e;
        u32 bit = 1u << (len - 1);
        while (value & bit) { value ^= bit; bit >>= 1; }
        value |= bit;
      }
    }
  }
  if constexpr (Most > Bits) {
    u32 next = kMain, start = 0, sub_bits = 0, prefix = ~0u;
    for (u32 len = Bits + 1; len <= Most; ++len) {
      if (Msb) value *= 2;
      for (u32 k = code.count[len]; k > 0; --k) {
        const u32 p = Msb ? value >> (len - Bits) : value & (kMain - 1);
        if (p != prefix) {  // the first code with this prefix is its shortest: widen until the rest fits
          prefix = p;
          sub_bits = len - Bits;
          i64 left = (1ll << sub_bits) - (i64)k;
          while (left > 0 && Bits + sub_bits < Most) { ++sub_bits; left = left * 2 - (i64)code.count[Bits + sub_bits]; }
          start = next;
          next += 1u << sub_bits;
          table[(p ^ flip) & (kMain - 1)] = start << 16 | kKindLink | sub_bits << 8 | Bits;
          if (holes)
            for (u32 i = 0; i < 1u << sub_bits; ++i) table[start + i] = kKindLeave;
        }
        const u32 rest = len - Bits, sub_mask = (1u << sub_bits) - 1;
        const u32 e = make_entry(info[code.sorted[index++]], rest);
        if (Msb) {
          const u32 span = 1u << (sub_bits - rest), at = (value & ((1u << rest) - 1)) * span;
          for (u32 i = 0; i < span; ++i) table[start + (((at + i) ^ flip) & sub_mask)] = e;
          ++value;
        } else {
          for (u32 i = value >> Bits; i <= sub_mask; i += 1u << rest) table[start + ((i ^ flip) & sub_mask)] = e;
          u32 bit = 1u << (len - 1);
          while (value & bit) { value ^= bit; bit >>= 1; }
          value |= bit;
        }
      }
    }
  }
}

}  // namespace prim
