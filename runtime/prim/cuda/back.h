#pragma once
// What a warp's fast loops read with where bits are read from the end of a region: note [turned] of ../turned.h. All lanes load the same
// word of the input where it stands, two words before it is looked at; the line buffer moves forward, and is left alone.

namespace prim {

// A cursor counts bytes downwards from a place near where the loop began, so that it fits 32 bits; where it is a multiple of 4, the
// address is one, too. What stands at a cursor are the bytes below it.
typedef u32 BackCursor;
template <typename S>
struct BackSource {
  S& s;
  const u8* above;  // cursor 0
  u64 zero;         // its byte in the order of positions

  // At a cursor that is a multiple of 4; all of the word is input.
  SLUICE_METHOD u32 word(BackCursor c) const {
    u32 v = 0;
    if (is_reader()) v = *(const u32*)(above - c - 4);
    return broadcast(v);
  }
  // The same where the input may end inside.
  SLUICE_METHOD u32 first_word(BackCursor c) const { return edge_word(s.in, s.size, above - c - 4); }
  // Has the line brought nearer that the loop comes to one or two lines on: 5 to 7 % of zstd's speed on an H200.
  SLUICE_METHOD void ask_for(BackCursor from, BackCursor c) const {
#if defined(__CUDA_ARCH__)
    const u8* const p = above - c - 2 * kLineBytes;
    if ((((u32)(u64)p ^ ((u32)(u64)p + c - from)) & ~(kLineBytes - 1)) != 0 && p >= s.in) asm volatile("prefetch.global.L1 [%0];" ::"l"(p));
#else
    (void)from, (void)c;
#endif
  }
};
template <typename S> SLUICE_INLINE BackSource<S> back_source(S& s) {
  const u64 byte = s.pos >> 3, at = (u64)s.in + kTurn / 8 - byte, up = (0 - at) & 3;
  return {s, global((const u8*)(at + up)), byte - up};
}
template <typename T, typename S> SLUICE_INLINE void give_back(T&, const BackSource<S>&) {
  sync();  // what is left undone is done again, by other lanes
}
template <typename S> SLUICE_INLINE BackCursor cursor(const BackSource<S>& src, u64 byte) {
  const u64 at = byte - src.zero;
  return (BackCursor)(at < kFarthestCursor ? at : kFarthestCursor);
}

// The bit buffer: three words of the stream and the position in them, as Buffer::Registers has two.
// Invariants: count < 32; the next bits of the stream are those of `now` from the `count`th highest on, then those of `then` and
// `ahead`; the cursor is the byte behind `ahead`, a multiple of 4.
//   note [position]: bit position = 8 * (cursor - 12) + count.
constexpr u32 kBackBytes = 12;  // that it holds
struct BackBits {
  u32 now, then, ahead;
  u32 count;

  static SLUICE_METHOD u32 bits(const BackBits& b) { return __funnelshift_l(b.then, b.now, b.count); }
  template <typename S> static SLUICE_METHOD void refill(BackBits&, const BackSource<S>&, BackCursor&) {}
  template <typename S> static SLUICE_METHOD void need(BackBits&, const BackSource<S>&, BackCursor&, u32) {}
  // The next n bits, 1 <= n <= 32.
  static SLUICE_METHOD u32 look(const BackBits& b, u32 n) { return bits(b) >> (32 - n); }
  // n <= 32.
  template <typename S> static SLUICE_METHOD void drop(BackBits& b, const BackSource<S>& src, BackCursor& in, u32 n) {
    b.count += n;
    if (b.count >= 32) next_word(b, src, in);
  }
  template <typename S> static SLUICE_METHOD void next_word(BackBits& b, const BackSource<S>& src, BackCursor& in) {
    b.count -= 32;
    b.now = b.then;
    b.then = b.ahead;
    b.ahead = src.word(in);
    in += 4;
    src.ask_for(in - 4, in);
  }
  // note [at once]: the next kShown bits, of which fields are cut, the first bit highest; then all of them are dropped.
  static constexpr u32 kShown = 64;
  static_assert(8 * kBackBytes - 31 >= kShown, "it holds so many wherever the next bit is in a word");
  // Where this stands, and not where they are cut: note [look before load] of compiler/plan/at_once.h.
  static SLUICE_METHOD u64 shown(const BackBits& b) {
    u32 high = bits(b), low = __funnelshift_l(b.ahead, b.then, b.count);
#if defined(__CUDA_ARCH__)
    asm volatile("" : "+r"(high), "+r"(low));
#endif
    return (u64)high << 32 | low;
  }
  // n bits behind the first `before`, which are less than kShown; n <= 32.
  static SLUICE_METHOD u32 cut(u64 shown, u32 before, u32 n) { return __funnelshift_lc((u32)(shown << before >> 32), 0, n); }
  // n <= kShown. Words are loaded anew, whichever of them are there: without a branch, and none is moved, which would wait for it. The
  // first one may reach past the input's end until it has been dropped, so it is kept.
  template <typename S> static SLUICE_METHOD void drop_shown(BackBits& b, const BackSource<S>& src, BackCursor& in, u32 n) {
    const BackCursor from = in;
    b.count += n;
    in += b.count >> 5 << 2;
    b.count &= 31;
    const u32 first = src.word(in == from ? in - 8 : in - 12);
    b.now = in == from ? b.now : first;
    b.then = src.word(in - 8);
    b.ahead = src.word(in - 4);
    src.ask_for(from, in);
  }
  // n bits that follow the first `skip` bits, skip + n <= 32, 0 <= n < 32; with skip 0 also n = 32.
  static SLUICE_METHOD u32 look_after(const BackBits& b, u32 skip, u32 n) {
    return __funnelshift_lc(bits(b) << skip, 0, n);
  }
  static SLUICE_METHOD u32 entry_extra(const BackBits& b, u32 skip, u32 n) { return look_after(b, skip, n); }
  // Starts at `pos`, a position of the region; kBackBytes below it are input.
  template <typename S> static SLUICE_METHOD BackBits at(const BackSource<S>& src, u64 pos, BackCursor& in) {
    const u32 bit = (u32)(pos - 8 * src.zero), c = (bit >> 5) * 4;
    in = c + kBackBytes;
    return {src.first_word(c), src.word(c + 4), src.word(c + 8), bit & 31};
  }
  template <typename S> static SLUICE_METHOD u64 position(const BackSource<S>& src, BackCursor in, u32 count) {
    return 8 * (src.zero + in - kBackBytes) + count;
  }
};
template <typename S> SLUICE_INLINE u32 take_entry(BackBits& b, const BackSource<S>& src, BackCursor& in, u32 e) {
  const u32 extra = BackBits::entry_extra(b, entry_code_bits(e), entry_bits(e) - entry_code_bits(e));
  BackBits::drop(b, src, in, entry_bits(e));
  return extra;
}

}  // namespace prim
