// Loops that may turn without consuming, producing or counting.
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

u64 nothing(State& s) {
  for (;;) {  // finds loops
    if (s.pos == s.end) break;
  }
  return kOk;
}
u64 on_one_path(State& s, u64 v0_kind) {
  for (;;) {  // finds loops
    if (s.pos == s.end) break;
    if (v0_kind == 1) {
      if (prim::lacks(s, 8)) return fail(s, kSite0_end_of_input, s.pos);
      v0_kind = prim::take(s, 8);
    }
  }
  return kOk;
}
u64 maybe_nothing(State& s, u64 width_0) {
  for (;;) {  // finds loops
    if (prim::lacks(s, width_0)) return fail(s, kSite0_end_of_input, s.pos);
    if (prim::take(s, width_0) == 1) break;
  }
  return kOk;
}
u64 counts_back(State&, u64 bound_0) {
  for (u64 i_1 = 0; i_1 < bound_0; ++i_1) {  // finds loops
    if (i_1 == 7) i_1 = 0;
  }
  return kOk;
}
u64 bound_runs_away(State&, u64 bound_0) {
  for (u64 i_1 = 0; i_1 < bound_0; ++i_1) ++bound_0;  // finds loops
  return kOk;
}
u64 counts_down_by_nothing(State&, u64 n_0, u64 k_1) {
  while (n_0 != 0) n_0 -= k_1;  // finds loops
  return kOk;
}
u64 of_a_rule(State& s, u64 v0_kind) {
  if (v0_kind == 1) return kOk;
  if (prim::lacks(s, 8)) return fail(s, kSite0_end_of_input, s.pos);
  s.pos = s.pos + 1;
  return kOk;
}
u64 by_a_rule(State& s, u64 v0_kind) {
  for (;;) {  // finds loops
    if (s.pos == s.end) break;
    const u64 r_0 = of_a_rule(s, v0_kind);
    if (r_0) return r_0;
  }
  return kOk;
}
u64 backwards(State& s) {
again:
  if (s.pos != s.end) goto again;  // finds loops
  return kOk;
}

u64 watched_since_before(u64 bit, const u64 bit_limit, u64 n_0) {
  const u64 token_bit = bit;
  while (bit <= bit_limit) {  // finds loops
    bit += n_0;
    if (bit == token_bit) return kOk;
  }
  return kOk;
}

constexpr u64 kTold_0[256] = {};
constexpr u8 kToldSize_0[256] = {};
u64 told_or_not(State& s) {
  auto src = prim::source(s);
  const prim::Cursor in_end = prim::cursor(src, s.end);
  prim::Cursor in = prim::cursor(src, s.pos);
  const prim::Cursor in_limit = in_end - 200;
  u8* out = prim::global(s.out) + s.produced;
  u8* const out_limit = s.out + s.out_end - 200;
  const u8* const window = s.out + s.window;
  u64 n = 0;
  while (in <= in_limit && out <= out_limit) {  // finds loops
    if (!prim::take_told<1, 1>(kTold_0, kToldSize_0, out, window, src, in)) n = 1;
  }
  return n;
}

u64 plain_or_not(State& s) {
  auto src = prim::source(s);
  const prim::Cursor in_end = prim::cursor(src, s.end);
  prim::Cursor in = prim::cursor(src, s.pos);
  const prim::Cursor in_limit = in_end - 200;
  u8* out = prim::global(s.out) + s.produced;
  u8* const out_limit = s.out + s.out_end - 200;
  const u8* const window = s.out + s.window;
  u64 n = 0, ahead = 0;
  while (in <= in_limit && out <= out_limit) {  // finds loops
    if (!prim::take_plain<1, 1, true, 16, false, 0, 3, 4>(out, window, src, in, ahead, 1, 2)) n = 1;
  }
  return n;
}

}  // namespace
