#pragma once
// Tokens of a byte that stand for a string of at most 8 bytes, or of two, the second of which stands for itself: what kernels
// spread over lanes (cuda/code_lanes.h) one thread takes in rounds.
//   note [codes]: what a token does follows from its first byte, and from what is the same in the whole loop. So that is asked
//   once, of every byte: the token's own text tells, over a byte of the loop's own, and a table keeps it. A round stores 8
//   strings, whole words one behind the other, and adds up their sizes; an escape, and what the table does not tell, has a size
//   that no 8 strings make together: one test a round. Where it fails the round is done again token by token, up to what is not
//   told, which is the loop's.

namespace prim {

constexpr u32 kStringBytes = 8, kRoundCodes = 8, kFirstBytes = 256;
constexpr u32 kEscapeSize = kRoundCodes * kStringBytes + 1, kUntoldSize = kEscapeSize + 1;  // instead of a string's
// What a round may store, whatever its bytes are; the bytes that it may take and one that stands behind an escape.
constexpr u64 kRoundRoom = kRoundCodes * kUntoldSize + kStringBytes, kRoundTaken = kRoundCodes + 1;
// A region of fewer bytes gains less than the table costs; one that the loop has left gets no second table so soon.
constexpr u64 kLeastCodes = 2048;

struct CodeStrings {
  u64 text[kFirstBytes];
  u32 size[kFirstBytes];
#if defined(SLUICE_BYTES_MOVE)
  u8 bytes[kFirstBytes];  // a string's: as many bits as it has bytes; of an escape and of what is not told none
  bool escapes;           // is there an escape, and the last one that there is
  u8 escape;
#endif
};

// Byte `first`, of which a token took so many bytes and made `size`, which lie at `made`.
SLUICE_INLINE void tell_string(CodeStrings& strings, u32 first, u64 taken, u64 size, const u8* made) {
  const bool told = taken == 1 && size <= kStringBytes, escape = taken == 2 && size == 1;
  strings.text[first] = load_le64(made);  // with what earlier bytes left behind it
  strings.size[first] = told ? (u32)size : escape ? kEscapeSize : kUntoldSize;
#if defined(SLUICE_BYTES_MOVE)
  strings.bytes[first] = told ? (u8)mask(size) : 0;
  if (first == 0) strings.escapes = false, strings.escape = 0;
  if (escape) strings.escapes = true, strings.escape = (u8)first;
#endif
}

#if defined(SLUICE_BYTES_MOVE)
// note [picked strings]: where any byte goes anywhere, which bytes of eight strings are theirs is looked up for 64 tokens at once, in a
// table that vectors hold; and eight strings become one in a register, by leaving out the others. So a round is a store, and what the next
// one waits for is a count of bits. An escape is a string of no bytes, and what stands behind it one of a byte: of itself.
constexpr u64 kPickedCodes = kVector, kPickedTaken = kPickedCodes + 1, kPickedRoom = kPickedCodes * kStringBytes + kVector;

// In front of a loop of eight rounds: one behind the other, where the compiler doesn't hold more of them than there are registers.
#if defined(__clang__)
#define SLUICE_EIGHT_ROUNDS
#else
#define SLUICE_EIGHT_ROUNDS SLUICE_ROLLED
#endif
SLUICE_INLINE void put_vector(u8* to, const Bytes512& v) { __builtin_memcpy(to, &v, sizeof v); }
SLUICE_INLINE void put_vector(Place, const Bytes512&) {}
SLUICE_INLINE Longs512 eight_strings(const CodeStrings& strings, u64 codes) {
  return Longs512{strings.text[codes & 0xff],       strings.text[codes >> 8 & 0xff],  strings.text[codes >> 16 & 0xff], strings.text[codes >> 24 & 0xff],
                  strings.text[codes >> 32 & 0xff], strings.text[codes >> 40 & 0xff], strings.text[codes >> 48 & 0xff], strings.text[codes >> 56]};
}
// Of eight strings the bytes of which the bit is set.
template <typename Out> SLUICE_INLINE void pick(Out& out, const Longs512& texts, u64 bits) {
  put_vector(out, picked_bytes((Bytes512)texts, bits));
  out += __builtin_popcountll(bits);
}
// Of bytes that may be escapes, those that stand behind one and are none: of an even number of them in a row each second one. Bit 64 is
// left out.
SLUICE_INLINE u64 behind_escapes(u64 escapes) {
  constexpr u64 kOdd = 0xaaaaaaaaaaaaaaaaull;
  return (((escapes << 1 | kOdd) - escapes) ^ kOdd) ^ escapes;
}
// 64 tokens at a time.
template <typename Out>
SLUICE_INLINE void pick_strings(const CodeStrings& strings, Out& to, const Out& limit, const u8*& from, const u8* end) {
  typedef u8 Codes __attribute__((vector_size(8)));
  Bytes512 table[4];
  __builtin_memcpy(table, strings.bytes, sizeof table);
  const Bytes512 escape = Bytes512{} + (char)strings.escape;
  const u64 any_escapes = strings.escapes ? ~0ull : 0;  // of several the others are of what no vector tells
  const u8* in = from;
  Out out = to;
  while ((u64)(end - in) >= kPickedTaken && out <= limit && (u64)(limit - out) >= kPickedRoom) {
    const Bytes512 codes = load_vector(in, kPickedCodes), upper = codes < 0;
    Bytes512 bytes = (moved_bytes(table[0], table[1], codes) & ~upper) | (moved_bytes(table[2], table[3], codes) & upper);
    const u64 none = upper_bits(bytes == 0);
    u64 of_round[kPickedCodes / kRoundCodes];
    if (SLUICE_LIKELY(none == 0)) {
      __builtin_memcpy(of_round, &bytes, sizeof of_round);
      SLUICE_EIGHT_ROUNDS
      for (u64 k = 0; k < kPickedCodes; k += kRoundCodes) pick(out, eight_strings(strings, load_le64(in + k)), of_round[k / kRoundCodes]);
      in += kPickedCodes;
      continue;
    }
    const u64 escapes = upper_bits(codes == escape) & any_escapes, behind = behind_escapes(escapes);
    if ((none & ~(escapes | behind)) == 0) {
      const Bytes512 alone = bytes_of_bits(behind);
      bytes = (bytes & ~alone) | (alone & 1);
      __builtin_memcpy(of_round, &bytes, sizeof of_round);
      for (u64 k = 0; k < kPickedCodes; k += kRoundCodes) {
        Codes own;
        __builtin_memcpy(&own, in + k, sizeof own);
        const Longs512 themselves = longs_of_bits(behind >> k);
        const Longs512 texts = eight_strings(strings, load_le64(in + k));
        pick(out, (texts & ~themselves) | (__builtin_convertvector(own, Longs512) & themselves), of_round[k / kRoundCodes]);
      }
      in += kPickedCodes - ((escapes & ~behind) >> 63);  // the last one's other byte is the next one's
      continue;
    }
    // Up to one that is told of no vector.
    const u64 told = (u64)__builtin_ctzll(none);
    __builtin_memcpy(of_round, &bytes, sizeof of_round);
    SLUICE_ROLLED
    for (u64 k = 0; k < told; k += kRoundCodes)
      pick(out, eight_strings(strings, load_le64(in + k)), of_round[k / kRoundCodes] & mask(kStringBytes * (told - k)));
    in += told;
    const u32 size = strings.size[*in];
    if (size == kUntoldSize) break;
    if (size == kEscapeSize) store<1>(out, in[1]);
    out += size == kEscapeSize ? 1 : size;
    in += size == kEscapeSize ? 2 : 1;
  }
  from = in;
  to = out;
}
#endif

// As many tokens as surely fit, up to one that is not told.
template <typename Out>
SLUICE_INLINE void take_strings(const CodeStrings& strings, Out& to, const Out& limit, const u8*& from, const u8* end) {
#if defined(SLUICE_BYTES_MOVE)
  pick_strings(strings, to, limit, from, end);
#endif
  const u8* in = from;
  Out out = to;
  while ((u64)(end - in) >= kRoundTaken && out <= limit && (u64)(limit - out) >= kRoundRoom) {
    const u64 codes = load_le64(in);
    u32 made = 0;
    for (u32 k = 0; k < kRoundCodes; ++k) {
      const u32 code = (u32)(codes >> 8 * k) & 0xff;
      put(out + made, strings.text[code], kStringBytes);
      made += strings.size[code];
    }
    if (SLUICE_LIKELY(made <= kRoundCodes * kStringBytes)) {
      in += kRoundCodes;
      out += made;
      continue;
    }
    const u8* const round_end = in + kRoundCodes;
    SLUICE_ROLLED
    do {
      const u32 size = strings.size[*in];
      if (size <= kStringBytes) {
        put(out, strings.text[*in], kStringBytes);
        out += size;
        in += 1;
        continue;
      }
      if (size != kEscapeSize) {
        from = in;
        to = out;
        return;
      }
      store<1>(out, in[1]);
      out += 1;
      in += 2;
    } while (in < round_end);
  }
  from = in;
  to = out;
}

}  // namespace prim
