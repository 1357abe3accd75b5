// Lines 3 and 4 of planted.sluice are rule main's, and no comment is such a place alone. // finds lines
#include "cpu.h"
namespace {
struct Scratch {
  u8 array0_lengths[16];
};
struct State : prim::Stream<prim::Input::Bytes> {
  Scratch* m;
};
constexpr u64 kOk = 0, kSite0_end_of_input = 1ull << 40;  // main, clause 1, planted.sluice:3
SLUICE_INLINE u64 fail(State& s, u64 site, u64 at) {
  s.pos = at;
  return site;
}

u64 unnamed(State& s) {
  if (prim::lacks(s, 8)) return fail(s, kSite0_end_of_input, s.pos);
  return prim::take(s, 8);
}

}  // namespace
