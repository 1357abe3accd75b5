#pragma once
// Tables of state codes for a warp: the results of ../states.h, built by all lanes together. Called by all workers with equal
// arguments; of a block's warps the first builds.
//
// Which symbol has which rank among the places, and which of a symbol's states an entry is, lanes tell of 32 symbols at a time:
// each lane looks after one of them, the entries pass by 32 a round. One function for codes of whatever sizes: note [any code] of
// codes.h.

namespace prim {

// What build_states says instead of the logarithm of the number of states.
enum StatesResult : u32 { kStatesOversubscribed = 16, kStatesIncomplete = 17 };

// Entry: base:12 | symbol:8 | extra:6 | bits:6, most significant first: the next state is the base and what the bits say; extra is what is known of
// the symbol, for those that walk states (note [state walk] of chain.h). `x` are the symbol's states, and those of its entries that stand
// before this one.
constexpr u32 kStateBase = 20, kStateSymbol = 12, kStateExtra = 6, kStateBitsMask = 63, kStateExtraMask = 63;
SLUICE_INLINE u32 make_state(u32 x, u32 size, u32 symbol, u32 extra) {
  const u32 bits = (u32)__clz((i32)x) - (u32)__clz((i32)size);
  return ((x << bits) - size) << kStateBase | symbol << kStateSymbol | extra << kStateExtra | bits;
}
// Note [state walk] of chain.h. Of what the entries of a token's states tell together: bits of fields, and bits of the next states.
SLUICE_INLINE u32 told_extras(u32 told) { return told >> kStateExtra & kStateExtraMask; }
SLUICE_INLINE u32 told_bits(u32 told) { return told & kStateBitsMask; }
// The state behind that of an entry, whose bits stand highest in `bits`; they are dropped.
SLUICE_INLINE u32 next_state(u32 entry, u32& bits) {
  const u32 state = (entry >> kStateBase) + __funnelshift_l(bits, 0, entry);  // the lowest five bits of an entry are how many follow
  bits = __funnelshift_l(0, bits, entry);
  return state;
}

// From place to place: odd, so that every place has its turn.
SLUICE_INLINE u32 state_step(u32 size) {
  const u32 step = (size >> 1) + (size >> 3) + 3;
  return step & 1 ? step : 1;
}

// A symbol's count in both meanings. `states` is more than any table has where the count is.
struct StateCount {
  u32 states;
  bool less_than_one;
};
template <typename Count>
SLUICE_INLINE StateCount state_count(const Count* counts, u32 symbol, u32 n) {
  constexpr bool kSigned = (Count)~(Count)0 < (Count)1;
  if (symbol >= n) return {0, false};
  const u64 count = (u64)counts[symbol];
  if (kSigned && (i64)count < 0) return {1, true};
  return {count > 0xffff ? 0xffffu : (u32)count, false};
}

// The symbol of each entry. Places below `end` have ranks in the order of steps, symbols take as many of them as they have states.
template <typename Count>
SLUICE_INLINE void place_symbols(u32* entries, const Count* counts, u32 n, u32 size, u32 end) {
  const u32 mine = lane(), mask = size - 1, step = state_step(size);
  u32 before = 0, last = size;
  SLUICE_ROLLED
  for (u32 base = 0; base < n; base += kLanes) {
    const StateCount of = state_count(counts, base + mine, n);
    const u32 own = of.less_than_one ? 0 : of.states, rares = ballot(of.less_than_one);
    const u32 up_to = before + scan_add(own), first = before, behind = shfl(up_to, kLanes - 1);
    if (of.less_than_one) entries[last - 1 - (u32)__popc(rares & lanes_below())] = (base + mine) << kStateSymbol;
    last -= (u32)__popc(rares);
    before = behind;
    u32 rank = 0;  // of the round's first place
    SLUICE_ROLLED
    for (u32 from = 0; from < size && rank < behind; from += kLanes) {
      const u32 place = (from + mine) * step & mask;
      const bool takes = from + mine < size && place < end;
      const u32 taking = ballot(takes), at = rank + (u32)__popc(taking & lanes_below());
      rank += (u32)__popc(taking);
      if (rank <= first) continue;
      // How many of the 32 symbols end at or before that rank.
      u32 symbol = 0;
      for (u32 half = kLanes / 2; half > 0; half /= 2)
        if (shfl(up_to, symbol + half - 1) <= at) symbol += half;
      if (takes && at >= first && at < behind) entries[place] = (base + symbol) << kStateSymbol;
    }
  }
}

// The states of each symbol, in order. A symbol stays what it is when its entry is written.
template <typename Count>
SLUICE_INLINE void number_states(u32* entries, const Count* counts, const u8* extras, u32 n, u32 size) {
  const u32 mine = lane();
  SLUICE_ROLLED
  for (u32 base = 0; base < n; base += kLanes) {
    u32 next = state_count(counts, base + mine, n).states;  // x of the next state of symbol base + lane
    SLUICE_ROLLED
    for (u32 from = 0; from < size; from += kLanes) {
      const bool there = from + mine < size;
      const u32 symbol = there ? entries[from + mine] >> kStateSymbol & 255 : ~0u;
      const bool ours = there && symbol - base < kLanes;
      u32 same = ballot(ours), mine_of = same;
      if (same == 0) continue;
      for (u32 k = 0; k < 5; ++k) {
        const u32 votes = ballot(symbol >> k & 1);
        same &= (symbol >> k & 1) ? votes : ~votes;
        mine_of &= (mine >> k & 1) ? votes : ~votes;
      }
      const u32 x = shfl(next, symbol & (kLanes - 1)) + (u32)__popc(same & lanes_below());
      next += (u32)__popc(mine_of);
      if (ours) entries[from + mine] = make_state(x, size, symbol, extras ? extras[symbol] : 0);
    }
  }
}

// Of at most 1 << max_log entries, from n <= 256 counts. `extras`: of each symbol, at most kStateExtraMask; none: 0.
template <typename Count>
SLUICE_COLD u32 build_walked_states(u32* entries, const Count* counts, u64 count, u32 max_log, const u8* extras) {
  const u32 n = (u32)count;
  sync();
  u32 sum = 0, rare = 0;
  SLUICE_ROLLED
  for (u32 base = 0; base < n; base += kLanes) {
    const StateCount of = state_count(counts, base + lane(), n);
    sum += of.states;
    rare += (u32)__popc(ballot(of.less_than_one));
  }
  const u32 size = shfl(scan_add(sum), kLanes - 1);
  if (size > 1u << max_log) return kStatesOversubscribed;
  if (size == 0 || (size & (size - 1)) != 0) return kStatesIncomplete;
  if (worker() < kLanes) {
    place_symbols(entries, counts, n, size, size - rare);
    __syncwarp();
    number_states(entries, counts, extras, n, size);
  }
  sync();
  return 31u - (u32)__clz((i32)size);
}
template <typename Count>
SLUICE_INLINE u32 build_states(u32* entries, const Count* counts, u64 count, u32 max_log) {
  return build_walked_states(entries, counts, count, max_log, nullptr);
}

}  // namespace prim
