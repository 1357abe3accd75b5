// Fields that are read without a test, behind one for less, on one path only, or after another read.
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

u64 untested(State& s) { return prim::take(s, 8); }  // finds memory
u64 for_less(State& s) {
  if (prim::lacks(s, 8)) return fail(s, kSite0_end_of_input, s.pos);
  return prim::take_le(s, 16);  // finds memory
}
u64 on_one_path(State& s, u64 kind) {
  if (kind == 1) {
    if (prim::lacks(s, 8)) return fail(s, kSite0_end_of_input, s.pos);
  }
  return prim::take(s, 8);  // finds memory
}
u64 twice(State& s) {
  if (prim::lacks(s, 16)) return fail(s, kSite0_end_of_input, s.pos);
  const u64 first = prim::take(s, 8), second = prim::take(s, 8);
  return first + second + prim::take(s, 8);  // finds memory
}
u64 of_another_width(State& s, u64 width_0, u64 width_1) {
  if (prim::lacks(s, width_0)) return fail(s, kSite0_end_of_input, s.pos);
  return prim::take(s, width_1);  // finds memory
}
u64 width_changed(State& s, u64 width_0) {
  if (prim::lacks(s, width_0)) return fail(s, kSite0_end_of_input, s.pos);
  width_0 += 8;
  return prim::take(s, width_0);  // finds memory
}
u64 moves_too_far(State& s, u64 n) {
  s.pos += prim::steps<State::kInput>(n);  // finds memory
  return kOk;
}
u64 region_too_large(State& s, u64 n) {
  if (s.left_bits() >> 3 < n) return fail(s, kSite0_end_of_input, s.pos);
  s.end = s.pos + prim::steps<State::kInput>(n + 1);  // finds memory
  return kOk;
}
u64 checksum(State& s, u64 mark, u64 other) { return prim::adler32(s.in + mark, s.pos - other); }  // finds memory

}  // namespace
