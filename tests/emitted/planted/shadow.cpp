// Names that hide others.
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

u64 of_a_block(State& s) {
  u64 bit = s.pos;
  for (u64 k = 0; k < 4; ++k) {
    u64 bit = k;  // finds shadow
    (void)bit;
  }
  return bit;
}
u64 of_a_parameter(State&, u64 n_0) {
  {
    const u64 n_0 = 4;  // finds shadow
    return n_0;
  }
}
u64 of_the_file(State&) {
  const u64 kOk = 1;  // finds shadow
  return kOk;
}
u64 of_a_function(State&, u64 fail) { return fail; }  // finds shadow
u64 of_a_counter(State&) {
  u64 n = 0;
  for (u64 k = 0; k < 4; ++k)
    for (u64 k = 0; k < 4; ++k) ++n;  // finds shadow
  return n;
}
// One after the other hides nothing.
u64 side_by_side(State&) {
  u64 n = 0;
  for (u64 k = 0; k < 4; ++k) n += k;
  for (u64 k = 0; k < 4; ++k) n += k;
  return n;
}

}  // namespace
