// Tests that stand before what they are for: nothing is found.
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

u64 careful(State& s, u64 v0_kind) {
  if (prim::lacks(s, 24)) return fail(s, kSite0_end_of_input, s.pos);
  u64 v1_value = prim::take(s, 8);
  if (v0_kind == 1) v1_value += prim::take_le(s, 16);
  const u64 width_0 = v1_value & 56;
  if (prim::lacks(s, width_0)) return fail(s, kSite0_end_of_input, s.pos);
  v1_value = prim::take(s, width_0);
  const u64 n_1 = v1_value;
  if (s.left_bits() >> 3 < n_1) return fail(s, kSite0_end_of_input, s.pos);
  s.pos += prim::steps<State::kInput>(n_1);
  return kOk;
}
u64 padding(State& s) {
  u64 n_0 = (8 - (s.pos & 7)) & 7;
  if (n_0 > s.end - s.pos) n_0 = s.end - s.pos;
  s.pos += n_0;
  return kOk;
}
u64 checksum(State& s, u64 mark) { return prim::adler32(s.in + mark, s.pos - mark); }
void fast(State& s) {
  constexpr u64 kInMargin = 8, kOutMargin = 8;
  auto src = prim::source(s);
  const prim::Cursor in_end = prim::cursor(src, s.end);
  prim::Cursor in = prim::cursor(src, s.pos);
  if (in_end < in || (u64)(in_end - in) < kInMargin || s.out_end - s.produced < kOutMargin) return;
  const prim::Cursor in_limit = in_end - kInMargin;
  u8* out = prim::global(s.out) + s.produced;
  u8* const out_limit = s.out + s.out_end - kOutMargin;
  prim::PendingCopy pending{};
  while (in <= in_limit && out <= out_limit) {
    u64 v0_count = prim::load_byte(src, in);
    in += 1;
    if (v0_count == 15) {
      for (;;) {
        if (in > in_limit || out > out_limit) return;
        const u64 v1_more = prim::load_byte(src, in);
        in += 1;
        v0_count += v1_more;
        if (v1_more != 255) break;
      }
    }
    if (v0_count <= 4) {
      in += v0_count;
    } else {
      if (in > in_limit || v0_count > (u64)(in_limit - in)) return;
      in += v0_count;
    }
    prim::store<1>(out, prim::load_byte(src, in));
    in += 1;
    out += 1;
  }
  s.pos = prim::byte_of(src, in);
  s.produced = (u64)(out - s.out);
}

void constant_count(State& s) {
  constexpr u64 kInMargin = 32, kOutMargin = 32;
  auto src = prim::source(s);
  const prim::Cursor in_end = prim::cursor(src, s.end);
  prim::Cursor in = prim::cursor(src, s.pos);
  if (in_end < in || (u64)(in_end - in) < kInMargin || s.out_end - s.produced < kOutMargin) return;
  const prim::Cursor in_limit = in_end - kInMargin;
  u8* out = prim::global(s.out) + s.produced;
  u8* const out_limit = s.out + s.out_end - kOutMargin;
  while (in <= in_limit && out <= out_limit) {
    const u64 n_0 = 40ull;
    if (n_0 > (u64)(in_limit - in) || n_0 > (u64)(out_limit - out)) return;
    prim::literals(out, src, in, n_0);
    in += n_0;
    out += n_0;
  }
  s.pos = prim::byte_of(src, in);
  s.produced = (u64)(out - s.out);
}

}  // namespace
