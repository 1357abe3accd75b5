#pragma once
// Tables of state codes (FSE, tANS) from the counts of their symbols; compiler/ir/ir.md says under BuildStates which symbol is where.

namespace prim {

// What build_states says instead of the logarithm of the number of states.
enum StatesResult : u32 { kStatesOversubscribed = 16, kStatesIncomplete = 17 };

// Entry: base:12 | symbol:8 | 0:6 | bits:6, most significant first: the next state is the base and what the bits say. `x` are the
// symbol's states, and those of its entries that stand before this one.
SLUICE_INLINE u32 make_state(u32 x, u32 size, u32 symbol) {
  const u32 bits = (u32)__builtin_clz(x) - (u32)__builtin_clz(size);
  return ((x << bits) - size) << 20 | symbol << 12 | bits;
}
// From place to place: odd, so that every place has its turn.
SLUICE_INLINE u32 state_step(u32 size) {
  const u32 step = (size >> 1) + (size >> 3) + 3;
  return step & 1 ? step : 1;
}

constexpr u32 kMaxStateSymbols = 256;

// Of at most 1 << max_log entries, from n counts; n <= kMaxStateSymbols.
template <typename Count>
static u32 build_states(u32* entries, const Count* counts, u64 n, u32 max_log) {
  constexpr bool kSigned = (Count)~(Count)0 < (Count)1;
  const u32 most = 1u << max_log;
  u16 next[kMaxStateSymbols];  // of a symbol: what is to become its next state
  u32 size = 0, rare = 0;
  SLUICE_ROLLED
  for (u32 s = 0; s < n; ++s) {
    const bool less_than_one = kSigned && (i64)counts[s] < 0;
    const u64 states = less_than_one ? 1 : (u64)counts[s];
    if (states > most || size + states > most) return kStatesOversubscribed;
    size += (u32)states;
    rare += less_than_one;
    next[s] = (u16)states;
  }
  if (size == 0 || (size & (size - 1)) != 0) return kStatesIncomplete;
  const u32 mask = size - 1, step = state_step(size), end = size - rare;
  u32 place = 0, last = size;
  SLUICE_ROLLED
  for (u32 s = 0; s < n; ++s) {
    if (kSigned && (i64)counts[s] < 0) {
      entries[--last] = s;
      continue;
    }
    for (u32 k = next[s]; k > 0; --k) {
      while (SLUICE_UNLIKELY(place >= end)) place = (place + step) & mask;
      entries[place] = s;
      place = (place + step) & mask;
    }
  }
  SLUICE_ROLLED
  for (u32 i = 0; i < size; ++i) {
    const u32 s = entries[i], x = next[s]++;
    entries[i] = make_state(x, size, s);
  }
  return 31u - (u32)__builtin_clz(size);
}

}  // namespace prim
