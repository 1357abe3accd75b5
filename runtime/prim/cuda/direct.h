#pragma once
// What a token loop reads with whose lanes load fields of their own.
//   note [direct]: a line buffer would stay behind, and be filled anew for each field between those of lanes. All fields are loaded from
// memory: those of all lanes alike, and each token asks for input that others have kAsked bytes later. What is loaded so is alike in a way
// that the compiler believes (uniform), so that it is decided for the warp what follows from it.

namespace prim {

template <typename S> struct DirectSource {
  S& s;
  const u8* memory;  // cursor 0
  u32 zero;          // cursor, counted in bits, of the input's first bit (modulo 2^32)
  u32 last;          // cursor behind the input

  SLUICE_METHOD u64 base() const { return (s.lines.first + s.byte()) & ~(u64)(kRingBytes - 1); }
  SLUICE_METHOD u32 word(u32 c) const { return *(const u32*)(global(memory) + c); }
};

template <Input K, Buffer B> SLUICE_INLINE DirectSource<Stream<K, B>> direct_source(Stream<K, B>& s) {
  DirectSource<Stream<K, B>> src{s, nullptr, 0, 0};
  const u64 base = src.base(), last = s.lines.last - base;
  src.memory = held(global(s.lines.base) + base);  // a sum of two numbers, which would both be kept
  src.zero = (u32)(8 * (s.lines.first - base));
  src.last = (u32)(last < 2 * kFarthestCursor ? last : 2 * kFarthestCursor);
  return src;
}
template <typename T, typename S> SLUICE_INLINE void give_back(T&, const DirectSource<S>&) { sync(); }  // what is left undone is others'

// Input that others will have is asked for: nobody waits for it. 10 to 30 % of what loops make whose tokens are a few dozen bytes.
constexpr u32 kAsked = 256;
template <typename S> SLUICE_INLINE void ask_ahead(const DirectSource<S>& src, u32 bit) {
#if defined(__CUDA_ARCH__)
  const u32 at = (bit >> 3) + kAsked;
  if (at < src.last) asm volatile("prefetch.global.L1 [%0];" ::"l"(src.memory + at));
#else
  (void)src, (void)bit;
#endif
}

template <bool Msb, typename S> SLUICE_INLINE u64 present_bits(DirectSource<S>& src, u32 bit) {
  const u32 at = bit >> 3 & ~3u;
  return uniform64(join_words<Msb>(src.word(at), src.word(at + 4), src.word(at + 8), bit));
}
template <bool Msb, typename S> SLUICE_INLINE u64 look_bits(DirectSource<S>& src, u32 bit) { return present_bits<Msb>(src, bit); }
template <typename S> SLUICE_INLINE u64 load_le64(DirectSource<S>& src, Cursor c) { return look_bits<false>(src, 8 * c); }

// A lane's own, of n (0..64) bits.
template <bool Msb, typename S> SLUICE_INLINE u64 lane_bits_at(const DirectSource<S>& src, u32 bit, u64 n) {
  return lane_bits<Msb>(src.memory, bit, n);
}

}  // namespace prim
