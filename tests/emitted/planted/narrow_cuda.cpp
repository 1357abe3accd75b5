// Numbers that the plan holds in 32 bits: v0_n, v1_more, width_3 and n_4 of loop `tokens`.
#include "cuda.h"
namespace {
struct State : prim::Stream<prim::Input::Bytes, prim::Buffer::Shared> {};

SLUICE_COLD u64 tokens(State& s, const u32 v0_n) {
  u64 v1_more = s.pos & 7;  // finds narrow
  const u64 width_3 = v0_n * 8;  // finds narrow
  const u32 n_4 = v0_n + 2;
  u64 made = v0_n + 1ull;  // finds narrow
  made += n_4 * 3ull;  // finds narrow
  if (n_4 > 0xffffull) return 0;  // finds narrow
  // What may be more is widened, what is of 64 bits stays so.
  made += (u64)v0_n + 1;
  made += (u64)v0_n * n_4;
  if (n_4 > s.pos) return 0;
  made += 1ull << n_4;
  return made + n_4 + v1_more + width_3;
}

// Of no loop.
SLUICE_COLD u64 checked(State& s, u64 v0_n, u32 n_4) { return s.pos + v0_n + (n_4 + 1ull); }
}  // namespace
