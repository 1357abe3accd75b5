// Comments that name lines of specs: lines 3 and 4 of planted.sluice belong to clauses.
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

u64 named(State& s) {
  // planted.sluice:3
  if (prim::lacks(s, 8)) return fail(s, kSite0_end_of_input, s.pos);  // planted.sluice:4
  u64 v0_a = prim::take(s, 8);
  v0_a += 1;  // planted.sluice:5, finds lines; // finds lines
  v0_a += 2;  // other.sluice:3 // finds lines
  const char* const text = "// planted.sluice:9";
  (void)text;
  return v0_a;
}

}  // namespace
