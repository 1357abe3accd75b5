#pragma once
// Fields of one width, one behind the other, straight to the output: as they are, or each added to the sum of those before it. An
// element a lane; what a CPU does with vectors is ../unpack_out.h. Of steps in tokens, which are few at a time: packed.h has those
// that are many.
//
//   sums from 100 on, term 3:   fields 2 0 1   ->   105 108 112
//
//   note [few bits]: the sums of a warp's fields of at most kFewBits bits fit a word, and a word's look is two loads, so that lanes add up
// words; what every step adds is multiplied. That is a third of the instructions of sums of 64 bits.
//   note [all lanes]: lanes without a step load the last one's field: what all lanes do needs no branch, and no descriptor of memory of
// each lane's own.

namespace prim {

constexpr u64 kUnpackReach = kLaneAfter;  // from a field's first byte on: its words
constexpr u32 kFewBits = 27;
static_assert((((u64)1 << kFewBits) - 1) * kLanes <= 0xffffffffull, "a warp's sum of so many bits each is a word");

template <bool Short> struct SumOf { typedef u64 Type; };
template <> struct SumOf<true> { typedef u32 Type; };

// A lane's field of n bits (0..32) at bit `at` of the memory: see lane_bits.
template <bool Msb> SLUICE_INLINE u32 lane_word_bits(const u8* memory, u32 at, u32 n) {
  const u32* const p = (const u32*)global(memory) + (at >> 5);
  if (Msb) return n == 0 ? 0 : __funnelshift_l(swap32(p[1]), swap32(p[0]), at) >> (32 - n);
  return __funnelshift_r(p[0], p[1], at) & __funnelshift_lc(~0u, 0, n);
}

// An element of the lane's own. Those of an output that begins anywhere are stored elsewhere: instructions that are passed by take time.
template <u32 Elem, typename Out> SLUICE_INLINE void store_own(const Out& p, u64 v) { store_lane<Elem>(p, v); }
template <u32 Elem> SLUICE_INLINE void store_own(u8* p, u64 v) {
  if (SLUICE_LIKELY(kAligned<Elem> || ((u64)p & (Elem - 1)) == 0)) return store_aligned<Elem>(global(p), v);
  SLUICE_ROLLED
  for (u32 i = 0; i < Elem; ++i) global(p)[i] = (u8)(v >> (8 * i));
}

// `steps` elements, of which element k has the low bits of the field of `width` (0..64) bits at bit + k * width (note [bits]), which are
// there. All workers, with equal values.
template <bool Msb, u32 Elem, typename Out, typename S, typename N>
SLUICE_INLINE void unpack_out(const Out& out, const DirectSource<S>& src, u32 bit, u32 width, N steps) {
  const u32 n = (u32)steps;  // each has a bit, or all are the same
  const u32 low = Elem > 4 || width <= 32 ? 0 : width - 32;  // bits above those that an element has
  SLUICE_ROLLED
  for (u32 base = 0; base < n; base += kWorkers) {
    const u32 k = base + worker(), at = bit + (k < n ? k : n - 1) * width;
    u64 v;
    if (Elem <= 4 || width <= 32) v = lane_word_bits<Msb>(src.memory, at + (Msb ? low : 0), width - low);
    else v = lane_bits<Msb>(src.memory, at, width);
    if (k < n) store_own<Elem>(out + (u64)k * Elem, v);
    if (n > kWorkers) ask_ahead(src, at);
  }
}

// `steps` elements, of which each is the one before it, the first one's being `sum`, and `term`, and its field; returns the last. Likewise.
// Short: no more bits of the sum are meant than an element of 4 bytes has.
template <bool Msb, u32 Elem, bool Short = false, typename Out, typename S, typename N>
SLUICE_INLINE u64 unpack_sums(const Out& out, const DirectSource<S>& src, u32 bit, u32 width, N steps, u64 sum, u64 term) {
  typedef typename SumOf<Short>::Type Sum;
  const u32 n = (u32)steps;
  const Sum terms = (Sum)term * (lane() + 1);
  Sum last = (Sum)sum;
  SLUICE_ROLLED
  for (u32 base = 0; base < n; base += kLanes) {
    const u32 k = base + lane(), at = bit + (k < n ? k : n - 1) * width;
    Sum upto, all;
    if (Short || width <= kFewBits) {
      const u32 field = lane_word_bits<Msb>(src.memory, at, width), few = scan_add(k < n ? field : 0);
      upto = few, all = shfl(few, kLanes - 1);
    } else {
      const u64 field = lane_bits<Msb>(src.memory, at, width), many = scan_add64(k < n ? field : 0);
      upto = (Sum)many, all = (Sum)shfl64(many, kLanes - 1);
    }
    if (k < n && worker() < kLanes) store_own<Elem>(out + (u64)k * Elem, last + terms + upto);
    last += (Sum)term * (n - base < kLanes ? n - base : kLanes) + all;
    if (n > kLanes) ask_ahead(src, at);
  }
  return last;
}

}  // namespace prim
