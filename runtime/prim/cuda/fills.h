#pragma once
// Tokens that fill an array, each the next elements of it with one value (compiler/plan/fills.h), taken by all lanes of a warp.
//   note [fills]: each lane looks at the token that would begin at a bit of its own, of 32 that follow each other. The first lane's
//   does begin there, and every token says where the next one begins: so it is found which lanes have tokens. A sum over those tells
//   each where it fills the array, and with that known it makes the tests that wait for it. Those in front of the first one that
//   fails are taken, and it is left to the checked path.
// `Tokens` is emitted: its round() is the body of the loop, over a Window, with fill_places() and fill_round() behind it.

namespace prim {

constexpr u32 kElementBefore = ~0u;  // a value: that of the element in front of the token's own
constexpr u32 kNoMoreFills = 1u << 31;

// What the 32 lanes' tokens are to each other.
struct FillPlaces {
  u32 own;      // this lane, a bit as those of `reached`
  u32 reached;  // lanes at which tokens begin, one behind the other, up to one that is none
  u32 behind;   // bits from the first lane's on to the end of this one's
  u32 before;   // elements that the tokens before this one fill
};
// `none`: this lane, the mine-th, has no token; else it is of `bits`, 1 to 32, and fills n elements. `left`: bits that there are from the
// first lane's on.
SLUICE_INLINE FillPlaces fill_places(u32 mine, bool& none, u32 bits, u32 n, u32 left) {
  converge();
  FillPlaces f;
  f.own = 1u << mine;
  f.behind = mine + bits;
  none |= f.behind > left;
  // Each lane knows whom it reaches in one step, then in two, in four...
  u32 to = none ? kLanes : f.behind;
  f.reached = f.own;
  SLUICE_ROLLED
  do {
    const u32 there = shfl(f.reached, to & (kLanes - 1)), next = shfl(to, to & (kLanes - 1));
    f.reached |= to < kLanes ? there : 0;
    to = to < kLanes ? next : to;
  } while (ballot(to < kLanes) & 1);
  f.reached = shfl(f.reached, 0);
  const u32 fills = (f.reached & f.own) != 0 && !none ? n : 0;
  f.before = scan_add(fills) - fills;
  return f;
}

// Fills the array from `first` on, which is moved, and returns how many bits that has taken; kNoMoreFills is among them when some
// token is left. `failed`: the lane's, if it has one, is not to be taken; `repeats`: values may be kElementBefore.
template <bool Repeats, typename T, typename Index>
SLUICE_INLINE u32 fill_round(const FillPlaces& f, bool failed, T* array, Index& first, u32 n, u32 value) {
  static_assert(kWorkers == kLanes, "a warp's lanes have 32 tokens");
  const u32 stop = f.reached & ballot(failed), taken = stop ? f.reached & ((stop & (0 - stop)) - 1) : f.reached;
  if (taken == 0) return kNoMoreFills;
  sync();
  if (Repeats) {
    const u32 given = taken & (f.own - 1) & ballot(value != kElementBefore);
    const u32 nearest = shfl(value, given ? 31 - (u32)__clz((i32)given) : 0);
    if (value == kElementBefore) value = given ? nearest : first != 0 ? (u32)array[first - 1] : 0;
    sync();
  }
  const u32 at = (u32)first + f.before;
  const bool mine = (taken & f.own) != 0;
  if (mine) array[at] = (T)value;
  SLUICE_ROLLED
  for (u32 runs = ballot(mine && n > 1); runs != 0; runs &= runs - 1) {
    const u32 of = (u32)__ffs((i32)runs) - 1, from = shfl(at, of), count = shfl(n, of), v = shfl(value, of);
    SLUICE_ROLLED
    for (u32 k = 1 + lane(); k < count; k += kLanes) array[from + k] = (T)v;
  }
  const u32 last = 31 - (u32)__clz((i32)taken);
  first = (Index)shfl(at + n, last);
  sync();
  return shfl(f.behind, last) | (stop ? kNoMoreFills : 0);
}

// The 32 bits from `at` on, of a line buffer that holds them: counted like cursors.
template <bool Msb, typename S>
SLUICE_INLINE u32 window_at(const Source<S, Buffer::Shared>&, const u32* words, u32 at) {
  const u32 *const a = words + (at >> 5 & (kRingWords - 1));
  return Msb ? __funnelshift_l(swap32(a[1]), swap32(a[0]), at) : __funnelshift_r(a[0], a[1], at);
}
template <bool Msb, typename S>
SLUICE_INLINE u32 window_at(const Source<S, Buffer::Registers>& src, const u32*, u32 at) {
  const u32 a = src.lane_word(at >> 3 & ~3u), b = src.lane_word((at >> 3 & ~3u) + 4);
  return Msb ? __funnelshift_l(swap32(b), swap32(a), at) : __funnelshift_r(a, b, at);
}

// Takes tokens until one is left. `next`: how many elements are filled.
template <bool Msb, typename S, typename Tokens, typename Index>
SLUICE_INLINE void take_fills(S& s, const Tokens& tokens, Index& next) {
  static_assert(Tokens::kMostBits <= 32, "a window holds a token");
  auto src = source(s);
  const u64 zero = 8 * (src.base() - s.lines.first);  // of a bit that is counted as cursors are
  const Cursor region_end = cursor(src, s.end >> 3), words_end = src.last & ~3u;  // note [last word] of the bit buffer
  const u32 end = 8 * (region_end < words_end ? region_end : words_end);
  const u32* const words = in_register(ring());
  const u32 mine = number_in_register(lane());
  Index first = next;
  u32 bit = (u32)(s.pos - zero), taken;
  do {
    if (SLUICE_UNLIKELY((bit >> 3) - src.line >= kLineBytes)) src.next();
    taken = tokens.round(mine, window_at<Msb>(src, words, bit + mine), end > bit ? end - bit : 0, first);
    bit += taken & ~kNoMoreFills;
  } while (!(taken & kNoMoreFills));
  next = first;
  give_back(s, src);
  s.pos = zero + bit;
}

}  // namespace prim
