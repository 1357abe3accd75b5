#pragma once
// What tables of state codes (FSE, tANS) are made of, whoever builds them; compiler/ir/ir.md says under BuildStates which symbol is
// where.

namespace prim {

// What build_states says instead of the logarithm of the number of states.
enum StatesResult : u32 { kStatesOversubscribed = 16, kStatesIncomplete = 17 };

// Entry: base:16 | bits:8 | symbol:8, most significant first: the next state is the base and what the bits say.
SLUICE_INLINE u32 make_state(u32 x, u32 bits, u32 size, u32 symbol) { return ((x << bits) - size) << 16 | bits << 8 | symbol; }

// From place to place: odd, so that every place has its turn.
SLUICE_INLINE u32 state_step(u32 size) {
  const u32 step = (size >> 1) + (size >> 3) + 3;
  return step & 1 ? step : 1;
}

}  // namespace prim
