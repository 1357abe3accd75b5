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
};

// Byte `first`, of which a token took so many bytes and made `size`, which lie at `made`.
SLUICE_INLINE void tell_string(CodeStrings& strings, u32 first, u64 taken, u64 size, const u8* made) {
  const bool told = taken == 1 && size <= kStringBytes, escape = taken == 2 && size == 1;
  strings.text[first] = load_le64(made);  // with what earlier bytes left behind it
  strings.size[first] = told ? (u32)size : escape ? kEscapeSize : kUntoldSize;
}

// As many tokens as surely fit, up to one that is not told.
template <typename Out>
SLUICE_INLINE void take_strings(const CodeStrings& strings, Out& to, const Out& limit, const u8*& from, const u8* end) {
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
