#pragma once
// Tokens that look at those before them, 32 at a time (strategy `speculate`): note [late] in compiler/plan/late.h.
//   note [late]: each lane has a token whose place in the output has just become known. Of what tokens carry, a counter is
//   counted on to the lane; what the lanes before add to a sum is added up; and what is latched comes from the nearest lane before that set it, which takes a run of the late
//   steps without their checks, from an unknown value that no such setting looks at. What is handed on in turn is found by all
//   lanes alike, one token after the other, from what late steps read of it; or by moves. Then they are done in earnest.
//   note [moves]: a token's late steps are run on tags instead of values, in 64 bits: what comes out says which of the old values has
//   come into a place, if any, and what has been added to it. Two such moves make one, so a scan finds what all tokens before
//   a lane's have done together.

namespace prim {

SLUICE_INLINE bool of_lane(bool v, u32 from) { return shfl(v ? 1u : 0u, from) != 0; }
SLUICE_INLINE u32 of_lane(u32 v, u32 from) { return shfl(v, from); }
SLUICE_INLINE u64 of_lane(u64 v, u32 from) { return (u64)shfl((u32)(v >> 32), from) << 32 | shfl((u32)v, from); }
SLUICE_INLINE i64 of_lane(i64 v, u32 from) { return (i64)of_lane((u64)v, from); }

// What the last lane before this one set; where none did, `before`.
template <typename T> SLUICE_INLINE T latched(bool set, T value, T before) {
  const u32 earlier = ballot(set) & lanes_below();
  const T found = of_lane(value, earlier != 0 ? 31 - (u32)__clz((i32)earlier) : 0);
  return earlier != 0 ? found : before;
}

// What lanes before this one have added, on top of what was there before: at most 2^32 - 1 together.
template <typename T> SLUICE_INLINE T added(bool have, T more, T before) {
  const u32 n = have ? (u32)more : 0;
  return before + (T)(scan_add(n) - n);
}

// Place i gets the old value number `from` i (4 bits each, the lowest four are 0; 0: none of them), with `add` added to it.
template <u32 N> struct Moves {
  static_assert(N <= 7, "a word has room for their numbers");
  u32 from, add[N];

  SLUICE_METHOD u32 number(u32 i) const { return from >> 4 * (i + 1) & 15; }
  // Of old values, or of what has been added to them: the one of that number.
  static SLUICE_METHOD u32 pick(const u32 (&of)[N], u32 number) {
    u32 v = 0;
    SLUICE_UNROLLED
    for (u32 i = 0; i < N; ++i) v = number == i + 1 ? of[i] : v;
    return v;
  }
  static SLUICE_METHOD Moves none() {
    Moves m = {};
    SLUICE_UNROLLED
    for (u32 i = 0; i < N; ++i) m.from |= (i + 1) << 4 * (i + 1);
    return m;
  }
  SLUICE_METHOD bool is_none() const {
    u32 added = 0;
    SLUICE_UNROLLED
    for (u32 i = 0; i < N; ++i) added |= add[i];
    return added == 0 && from == none().from;
  }
  // From here on, of that lane.
  SLUICE_METHOD Moves before(u32 lanes) const {
    Moves m = {__shfl_up_sync(kAll, from, lanes), {}};
    SLUICE_UNROLLED
    for (u32 i = 0; i < N; ++i) m.add[i] = __shfl_up_sync(kAll, add[i], lanes);
    return m;
  }
  // This, behind `first`.
  SLUICE_METHOD Moves behind(const Moves& first) const {
    Moves m = {};
    SLUICE_UNROLLED
    for (u32 i = 0; i < N; ++i) {
      const u32 n = number(i);
      m.add[i] = add[i] + pick(first.add, n);
      m.from |= (first.from >> 4 * n & 15) << 4 * (i + 1);
    }
    return m;
  }
};
// Of what is handed on, place `i`.
template <typename T, u32 N> SLUICE_INLINE T& handed_on(T (&c)[N], u32 i) { return c[i]; }
constexpr u32 kTagShift = 40, kTagBias = 38;  // a value of 32 bits, and what may be added to it or taken from it, changes no tag
template <u32 N, typename Tokens> SLUICE_INLINE Moves<N> moves_of(const Tokens& tokens, const typename Tokens::Own& own) {
  u64 tags[N];
  SLUICE_UNROLLED
  for (u32 i = 0; i < N; ++i) tags[i] = (u64)(i + 1) << kTagShift | 1ull << kTagBias;
  tokens.move(own, tags);
  Moves<N> m = {};
  SLUICE_UNROLLED
  for (u32 i = 0; i < N; ++i) {
    const u32 tag = (u32)(tags[i] >> kTagShift);
    m.from |= (tag <= N ? tag : 0) << 4 * (i + 1);  // of a token that is refused it may be any
    m.add[i] = (u32)tags[i];
  }
  return m;
}

template <typename Tokens, bool Any = Tokens::kLate> struct Late {
  static constexpr bool sound = true;
  SLUICE_METHOD Late(Tokens&, bool, typename Tokens::Own&, u32) {}
  SLUICE_METHOD void give_back(Tokens&, u32) const {}
};
template <typename Tokens> struct Late<Tokens, true> {
  typename Tokens::Carried carried;  // behind this lane's token
  bool sound;

  // `position`: of the token's first output.
  SLUICE_METHOD Late(Tokens& tokens, bool have, typename Tokens::Own& own, u32 position) {
    const u64 out = tokens.outputs + position;
    carried = tokens.carried;
    if (Tokens::kCounts) {
      SLUICE_ROLLED
      for (u32 i = lane(); i != 0; --i) tokens.count(carried);
    }
    if constexpr (Tokens::kAdds) {
      typename Tokens::Carried made = carried;
      tokens.add(own, made);
      Tokens::sum(carried, made, have);
    }
    if (Tokens::kLatches) {
      typename Tokens::Carried made = carried;
      tokens.template late<false>(own, out, made);
      Tokens::latch(carried, made, have);
    }
    if constexpr (Tokens::kMoves != 0) {
      constexpr u32 kMoves = Tokens::kMoves;
      Moves<kMoves> all = moves_of<kMoves>(tokens, own);
      // Often nothing is moved: of copies that all reach as far back as the one before them.
      if (ballot(have && !all.is_none()) != 0) {
        SLUICE_ROLLED
        for (u32 lanes = 1; lanes < kLanes; lanes *= 2) {
          const Moves<kMoves> before = all.before(lanes), both = all.behind(before);
          if (lane() >= lanes) all = both;
        }
      }
      const Moves<kMoves> before = all.before(1), mine = lane() == 0 ? Moves<kMoves>::none() : before;
      u32 old[kMoves], now[kMoves];
      Tokens::moved_of(old, tokens.carried);
      SLUICE_UNROLLED
      for (u32 i = 0; i < kMoves; ++i) now[i] = mine.add[i] + mine.pick(old, mine.number(i));
      Tokens::take_moved(carried, now);
    }
    if constexpr (Tokens::kTurns) {
      const u32 tokens_there = (u32)__popc(ballot(have));
      typename Tokens::Carried now = tokens.carried;
      SLUICE_ROLLED
      for (u32 k = 0; k < tokens_there; ++k) {
        if (lane() == k) Tokens::take_turned(carried, now);
        typename Tokens::Own one = {};
        Tokens::own_of_lane(one, own, k);
        tokens.template late<false>(one, out, now);
      }
    }
    sync();
    sound = tokens.template late<true>(own, out, carried);
  }
  SLUICE_METHOD void give_back(Tokens& tokens, u32 lane) const {
    tokens.carried = carried;
    Tokens::take(tokens.carried, lane);
  }
};

}  // namespace prim
