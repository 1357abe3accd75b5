#pragma once
// Tokens that look at those before them, 32 at a time (strategy `speculate`): note [late] in compiler/plan/late.h.
//   note [late]: each lane has a token whose place in the output has just become known. Of what tokens carry, a counter is
//   counted on to the lane; what the lanes before add to a sum is added up; and what is latched comes from the nearest lane before that set it, which takes a run of the late
//   steps without their checks, from an unknown value that no such setting looks at. Then they are done in earnest.

namespace prim {

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
    sync();
    sound = tokens.template late<true>(own, out, carried);
  }
  SLUICE_METHOD void give_back(Tokens& tokens, u32 lane) const {
    tokens.carried = carried;
    Tokens::take(tokens.carried, lane);
  }
};

}  // namespace prim
