// Input, output and dictionary followed without a primitive.
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

u64 read(State& s, u64 i) { return s.in[i]; }  // finds memory
void write(State& s, u8 v) { *s.out = v; }  // finds memory
u64 far(State& s) {
  const u8* const p = s.dictionary + 1;
  return p[0];  // finds memory
}
u64 by_builtin(State& s) {
  u64 v = 0;
  __builtin_memcpy(&v, s.in + s.pos, 8);  // finds memory
  return v;
}
u64 behind_a_cursor(State& s) {
  const auto src = prim::source(s);
  const prim::Cursor in = prim::cursor(src, s.pos);
  return *in;  // finds memory
}
// A primitive for the checked path's own use: it states no contract.
u64 by_a_stranger(State& s) { return prim::bits_lsb(s.in, s.size, 0, 8); }  // finds memory
u64 of_scratch(State& s, u64 i) { return s.m->array0_lengths[i & 15]; }

}  // namespace
