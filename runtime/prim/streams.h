#pragma once
// Streams of one prefix code, one behind the other, each read from its end into a place of its own: a start that decodes all of them
// at once, so that a processor has the look-ups of the others to do while it waits for that of one.
//   note [streams]: a start changes nothing but time. First all streams are measured, with what the rules around them say: where
//   each lies and where its outputs go follows from sizes and counts, which are known before any of them is read. Then they are
//   decoded in rounds of so many look-ups of each as a load surely holds, of which none leaves; and as many rounds as stay inside
//   all regions and all counts, whatever they find. The rest is each stream's own, in its order, as if it had come by itself to the
//   bit and the output that it has got to (`go_on`): there its last symbols are decoded, and what is wrong is found and named. Where
//   the streams can't all be measured or begun, none is begun.

namespace prim {

constexpr u64 kStreamBytes = 8;  // of a load
static_assert(kStreamBits <= 8 * kStreamBytes - 1 - 7, "a load shows them: its lowest bit is a mark, and up to 7 are gone");

// The next bits, the first one highest. The lowest bit that is set is none of them: it stands so high as bits are gone.
SLUICE_INLINE u64 stream_word(const u8* from, u64 gone) { return (load_le64(from) | 1) << gone; }
SLUICE_INLINE u64 stream_bits_gone(u64 word) { return (u64)__builtin_ctzll(word); }

// Has the address computed now. Compilers put off such sums, as many as there are look-ups, and have no registers for them.
SLUICE_INLINE void now(u8*& p) { __asm__("" : "+r"(p)); }

// Decodes the beginnings of all. Bits: of the table's index, which no code passes; entries may be pairs (note [pairs]).
template <u32 Count, u32 Bits, Input K>
SLUICE_COLD void start_streams(const Stream<K>& s, StreamStart (&streams)[Count], const u32* table) {
  constexpr u32 kLookUps = kStreamBits / Bits;       // of each stream in a round
  constexpr u64 kTaken = (kLookUps * Bits + 7) / 8;  // bytes by which a round may move
  constexpr u64 kMade = 2 * kLookUps;                // bytes that it may store, and outputs that it may make
  static_assert(kLookUps > 0, "a load holds a code");
  // No entry of a code that has been built leaves, and all of one that has not.
  if (table[0] & 4u << kKindShift) return;
  u64 word[Count];
  const u8 *from[Count], *first[Count];
  u8 *out[Count], *end[Count];
  for (u32 k = 0; k < Count; ++k) {
    const StreamStart& stream = streams[k];
    if (stream.bytes <= kStreamBytes) return;
    first[k] = s.in + (stream.end - stream.bytes);
    from[k] = s.in + stream.end - kStreamBytes;
    const u64 last = s.in[stream.end - 1];
    if (last == 0) return;
    const u64 padding = (u64)__builtin_clzll(last) - 55;  // with the bit that ends it, of the last byte
    from[k] -= padding >> 3;
    word[k] = stream_word(from[k], padding & 7);
    out[k] = s.out + stream.place;
    end[k] = out[k] + stream.count;
  }
  for (;;) {
    u64 rounds = ~0ull;
    for (u32 k = 0; k < Count; ++k) {
      const u64 bytes = (u64)(from[k] - first[k]) / kTaken, outputs = (u64)(end[k] - out[k]) / kMade;
      rounds = bytes < rounds ? bytes : rounds;
      rounds = outputs < rounds ? outputs : rounds;
    }
    if (rounds == 0) break;
    SLUICE_ROLLED
    do {
      for (u32 n = 0; n < kLookUps; ++n)
        for (u32 k = 0; k < Count; ++k) {
          const u32 e = table[word[k] >> (64 - Bits)];
          word[k] <<= entry_bits(e) & 63;
          store<2>(out[k], entry_payload(e));
          out[k] += entry_symbols(e);
          now(out[k]);
        }
      for (u32 k = 0; k < Count; ++k) {
        const u64 gone = stream_bits_gone(word[k]);
        from[k] -= gone >> 3;
        word[k] = stream_word(from[k], gone & 7);
      }
    } while (--rounds != 0);
  }
  for (u32 k = 0; k < Count; ++k) {
    StreamStart& stream = streams[k];
    stream.pos = kTurn - (8 * ((u64)(from[k] - s.in) + kStreamBytes) - stream_bits_gone(word[k]));
    stream.made = (u64)(out[k] - s.out) - stream.place;
  }
}

}  // namespace prim
