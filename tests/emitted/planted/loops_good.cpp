// Loops that end: nothing is found.
#include "cpu.h"
namespace {
struct Scratch {
  u8 array0_lengths[16];
};
struct State : prim::Stream<prim::Input::Bytes> {
  Scratch* m;
};
constexpr u64 kOk = 0, kSite0_end_of_input = 1ull << 40;
SLUICE_INLINE u64 fail(State& s, u64 site, u64 at) {
  s.pos = at;
  return site;
}

u64 rule1(State& s, u64 v0_kind) {
  if (prim::lacks(s, 16)) return fail(s, kSite0_end_of_input, s.pos);
  if (v0_kind == 1) {
    v0_kind = prim::take(s, 16);
  } else {
    v0_kind = prim::take(s, 8);
  }
  return kOk;
}
u64 by_a_rule(State& s, u64 v0_kind) {
  for (;;) {
    if (s.pos == s.end) break;
    const u64 r_0 = rule1(s, v0_kind);
    if (r_0) return r_0;
  }
  return kOk;
}
u64 watched(State& s, u64 width_0) {
  for (;;) {
    const u64 at_1 = s.pos, made_2 = s.produced;
    if (prim::lacks(s, width_0)) return fail(s, kSite0_end_of_input, s.pos);
    if (prim::take(s, width_0) == 1) break;
    if (s.pos == at_1 && s.produced == made_2) return fail(s, kSite0_end_of_input, at_1);
  }
  return kOk;
}
u64 whole_regions(State& s) {
  for (;;) {
    if (s.pos == s.end) break;
    if (s.left_bits() >> 3 < 10) return fail(s, kSite0_end_of_input, s.pos);
    const u64 outer_1 = s.end;
    s.end = s.pos + prim::steps<State::kInput>(10);
    for (;;) {
      if (s.pos == s.end) break;
      if (prim::lacks(s, 8)) return fail(s, kSite0_end_of_input, s.pos);
      (void)prim::take(s, 8);
    }
    if (s.pos != s.end) return fail(s, kSite0_end_of_input, s.pos);
    s.end = outer_1;
  }
  return kOk;
}
u64 at_least_one(State& s, u64 n_0) {
  const u64 width_1 = 8 * n_0 + 8;
  for (;;) {
    if (prim::lacks(s, width_1)) return fail(s, kSite0_end_of_input, s.pos);
    if (prim::take(s, width_1) == 1) break;
  }
  return kOk;
}
void sure_steps(u64& step_ref, const u64 steps, u64 room) {
  u64 step = step_ref;
  while (step < steps && room >= 8) {
    u64 sure = steps - step;
    if (sure > room / 8) sure = room / 8;
    for (u64 k = 0; k < sure; ++k) ++step;
    room -= 8 * sure;
  }
  step_ref = step;
}
u64 counted(State&, u64 bound_0) {
  for (u64 i_1 = 0; i_1 < bound_0; ++i_1) {
    sure_steps(i_1, bound_0, 64);
    if (i_1 >= bound_0) break;
  }
  for (u64 n_2 = bound_0; n_2 > 0; --n_2) (void)n_2;
  return kOk;
}
void parts(u64& step_ref, const u64 steps, u64 stuck_at) {
  while (step_ref < steps) {
    u32 count = 0;
    bool whole = false;
    for (; count < 32 && step_ref + count < steps; ++count)
      if (count == stuck_at) goto stuck;
    whole = true;
  stuck:;
    step_ref += count;
    if (!whole) return;
  }
}

u64 watched_positions(u64 bit, const u64 bit_limit, u64 n_0) {
  u64 token_bit = bit;
  while (bit <= bit_limit) {
    token_bit = bit;
    bit += n_0;
    if (bit == token_bit) return kOk;
  }
  return kOk;
}

}  // namespace
