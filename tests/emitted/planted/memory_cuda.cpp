// The same in a kernel: lanes side by side, each at a place of its own.
#include "cuda.h"
namespace {
struct Scratch {
  u64 end;
};
struct State : prim::Stream<prim::Input::Lsb, prim::Buffer::Shared> {
  Scratch* m;
};

SLUICE_COLD void lanes(State& s, u64& step_ref, const u64 steps) {
  constexpr u64 kTokenBits = 8, kTokenBytes = 1, kInMargin = kTokenBits / 8 + 1 + prim::kLaneAfter;
  const u64 in_end = s.end >> 3;
  if (s.byte() < prim::kLaneBefore || in_end < s.byte() + kInMargin) return;
  const auto& src = s;
  const u64 bit_limit = 8 * (in_end - kInMargin);
  u64 first_bit = s.pos, first_step = step_ref, room = s.out_end - s.produced;
  u8* first_out = prim::global(s.out) + s.produced * 1;
  while (first_step < steps && first_bit <= bit_limit && room >= 1) {
    u64 sure = steps - first_step;
    if (sure > (bit_limit - first_bit) / kTokenBits + 1) sure = (bit_limit - first_bit) / kTokenBits + 1;
    if (sure > room / 1) sure = room / 1;
    for (u64 k = prim::worker(); k < sure; k += prim::kWorkers) {
      u64 bit = first_bit + k * 8;
      u8* out = first_out + k * kTokenBytes;
      prim::store_lane<1>(out, prim::lane_bits_at<false>(src, bit, 8));
      prim::store_lane<2>(out, 0);  // finds memory
    }
    const u64 many = steps - first_step;
    for (u64 k = prim::worker(); k < many; k += prim::kWorkers) {
      u64 bit = first_bit + k * 8;
      prim::lane_bits_at<false>(src, bit, 8);  // finds memory
    }
    first_bit += sure * 8;
    first_out += sure * kTokenBytes;
    first_step += sure;
    room -= sure;
  }
  step_ref = first_step;
}

// Fields of one width, as many as are there.
SLUICE_COLD void packed(State& s, u64& step_ref, const u64 steps) {
  const u32 stride = 3;
  const u64 unchecked = prim::packed_steps(s, steps - step_ref, stride), others = steps - step_ref;
  if (others < unchecked) {
    s.pos += unchecked * (stride + 1);  // finds memory
    return;
  }
  if (others == unchecked + 1) {
    s.pos += others * stride;  // finds memory
    return;
  }
  s.pos += unchecked * stride;
  s.pos += unchecked * stride;  // finds memory
  step_ref += unchecked;
}
}  // namespace
extern "C" __global__ void kernel(State* s, u64 step) {
  lanes(*s, step, 7);
  packed(*s, step, 7);
}
