// Fast loops whose tests do not stand before what they do, or whose margins do not hold it.
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

void no_test(State& s) {
  constexpr u64 kInMargin = 8, kOutMargin = 8;
  auto src = prim::source(s);
  const prim::Cursor in_end = prim::cursor(src, s.end);
  prim::Cursor in = prim::cursor(src, s.pos);
  if (in_end < in || (u64)(in_end - in) < kInMargin || s.out_end - s.produced < kOutMargin) return;
  const prim::Cursor in_limit = in_end - kInMargin;
  u8* out = prim::global(s.out) + s.produced;
  u8* const out_limit = s.out + s.out_end - kOutMargin;
  for (u64 i = 0; i < 4; ++i) {
    prim::store<1>(out, prim::load_byte(src, in));  // finds memory
    in += 1;
    out += 1;
  }
  s.pos = prim::byte_of(src, in);
  s.produced = (u64)(out - s.out);
}
void input_alone(State& s) {
  constexpr u64 kInMargin = 8, kOutMargin = 8;
  auto src = prim::source(s);
  const prim::Cursor in_end = prim::cursor(src, s.end);
  prim::Cursor in = prim::cursor(src, s.pos);
  if (in_end < in || (u64)(in_end - in) < kInMargin || s.out_end - s.produced < kOutMargin) return;
  const prim::Cursor in_limit = in_end - kInMargin;
  u8* out = prim::global(s.out) + s.produced;
  u8* const out_limit = s.out + s.out_end - kOutMargin;
  while (in <= in_limit) {
    prim::store<1>(out, prim::load_byte(src, in));  // finds memory
    in += 1;
    out += 1;
  }
  s.pos = prim::byte_of(src, in);
  s.produced = (u64)(out - s.out);
}
void more_than_the_margin(State& s) {
  constexpr u64 kInMargin = 8, kOutMargin = 8;
  auto src = prim::source(s);
  const prim::Cursor in_end = prim::cursor(src, s.end);
  prim::Cursor in = prim::cursor(src, s.pos);
  if (in_end < in || (u64)(in_end - in) < kInMargin || s.out_end - s.produced < kOutMargin) return;
  const prim::Cursor in_limit = in_end - kInMargin;
  u8* out = prim::global(s.out) + s.produced;
  u8* const out_limit = s.out + s.out_end - kOutMargin;
  while (in <= in_limit && out <= out_limit) {
    in += 4;
    prim::store<8>(out, prim::load_le64(src, in));  // finds memory
    out += 8;
  }
  s.pos = prim::byte_of(src, in);
  s.produced = (u64)(out - s.out);
}
void on_one_path(State& s, const u64 n_0) {
  constexpr u64 kInMargin = 8, kOutMargin = 8;
  auto src = prim::source(s);
  const prim::Cursor in_end = prim::cursor(src, s.end);
  prim::Cursor in = prim::cursor(src, s.pos);
  if (in_end < in || (u64)(in_end - in) < kInMargin || s.out_end - s.produced < kOutMargin) return;
  const prim::Cursor in_limit = in_end - kInMargin;
  u8* out = prim::global(s.out) + s.produced;
  u8* const out_limit = s.out + s.out_end - kOutMargin;
  while (in <= in_limit && out <= out_limit) {
    if (n_0 > 4) {
      if (n_0 > (u64)(in_limit - in)) break;
    }
    in += n_0;
    prim::store<4>(out, prim::load_le32(src, in));
    in += 4;
    prim::store<4>(out, prim::load_le32(src, in));  // finds memory
    out += 4;
  }
  s.pos = prim::byte_of(src, in);
  s.produced = (u64)(out - s.out);
}
void inner_loop(State& s) {
  constexpr u64 kInMargin = 8, kOutMargin = 8;
  auto src = prim::source(s);
  const prim::Cursor in_end = prim::cursor(src, s.end);
  prim::Cursor in = prim::cursor(src, s.pos);
  if (in_end < in || (u64)(in_end - in) < kInMargin || s.out_end - s.produced < kOutMargin) return;
  const prim::Cursor in_limit = in_end - kInMargin;
  u8* out = prim::global(s.out) + s.produced;
  u8* const out_limit = s.out + s.out_end - kOutMargin;
  while (in <= in_limit && out <= out_limit) {
    u64 v0_more = 0;
    do {  // finds loops
      v0_more = prim::load_byte(src, in);  // finds memory
      in += 1;
    } while (v0_more == 255);
    prim::store<1>(out, v0_more);
    out += 1;
  }
  s.pos = prim::byte_of(src, in);
  s.produced = (u64)(out - s.out);
}
constexpr u64 kTold_0[256] = {};
constexpr u8 kToldSize_0[256] = {};
void told_near_the_end(State& s) {
  constexpr u64 kInMargin = 65, kOutMargin = 95;
  auto src = prim::source(s);
  const prim::Cursor in_end = prim::cursor(src, s.end);
  prim::Cursor in = prim::cursor(src, s.pos);
  if (in_end < in || (u64)(in_end - in) < kInMargin || s.out_end - s.produced < kOutMargin) return;
  const prim::Cursor in_limit = in_end - kInMargin;
  u8* out = prim::global(s.out) + s.produced;
  u8* const out_limit = s.out + s.out_end - kOutMargin;
  const u8* const window = s.out + s.window;
  while (in <= in_limit && out <= out_limit) {
    if (prim::take_told<1, 1>(kTold_0, kToldSize_0, out, window, src, in)) continue;  // finds memory
    in += 1;
  }
  s.pos = prim::byte_of(src, in);
  s.produced = (u64)(out - s.out);
}
void told_and_then_one_more(State& s) {
  constexpr u64 kInMargin = 200, kOutMargin = 200;
  auto src = prim::source(s);
  const prim::Cursor in_end = prim::cursor(src, s.end);
  prim::Cursor in = prim::cursor(src, s.pos);
  if (in_end < in || (u64)(in_end - in) < kInMargin || s.out_end - s.produced < kOutMargin) return;
  const prim::Cursor in_limit = in_end - kInMargin;
  u8* out = prim::global(s.out) + s.produced;
  u8* const out_limit = s.out + s.out_end - kOutMargin;
  const u8* const window = s.out + s.window;
  while (in <= in_limit && out <= out_limit) {
    if (prim::take_told<1, 1>(kTold_0, kToldSize_0, out, window, src, in)) {
      prim::store<1>(out, prim::load_byte(src, in));  // finds memory memory
    }
    in += 1;
  }
  s.pos = prim::byte_of(src, in);
  s.produced = (u64)(out - s.out);
}
void plain_near_the_end(State& s) {
  constexpr u64 kInMargin = 10, kOutMargin = 200;
  auto src = prim::source(s);
  const prim::Cursor in_end = prim::cursor(src, s.end);
  prim::Cursor in = prim::cursor(src, s.pos);
  if (in_end < in || (u64)(in_end - in) < kInMargin || s.out_end - s.produced < kOutMargin) return;
  const prim::Cursor in_limit = in_end - kInMargin;
  u8* out = prim::global(s.out) + s.produced;
  u8* const out_limit = s.out + s.out_end - kOutMargin;
  const u8* const window = s.out + s.window;
  u64 ahead = prim::load_byte(src, in);
  while (in <= in_limit) {
    if (out > out_limit) break;
    if (prim::take_plain<1, 1, true, 16, false, 0, 3, 4>(out, window, src, in, ahead, 1, ahead & 7)) continue;  // finds memory
    in += 1;
  }
  s.pos = prim::byte_of(src, in);
  s.produced = (u64)(out - s.out);
}
void plain_near_the_end_of_the_room(State& s) {
  constexpr u64 kInMargin = 200, kOutMargin = 54;
  auto src = prim::source(s);
  const prim::Cursor in_end = prim::cursor(src, s.end);
  prim::Cursor in = prim::cursor(src, s.pos);
  if (in_end < in || (u64)(in_end - in) < kInMargin || s.out_end - s.produced < kOutMargin) return;
  const prim::Cursor in_limit = in_end - kInMargin;
  u8* out = prim::global(s.out) + s.produced;
  u8* const out_limit = s.out + s.out_end - kOutMargin;
  const u8* const window = s.out + s.window;
  u64 ahead = prim::load_byte(src, in);
  while (in <= in_limit) {
    if (out > out_limit) break;
    if (prim::take_plain<1, 1, true, 16, false, 0, 3, 4>(out, window, src, in, ahead, 1, ahead & 7)) continue;  // finds memory
    in += 1;
  }
  s.pos = prim::byte_of(src, in);
  s.produced = (u64)(out - s.out);
}
// A token that is put together moves by as much as it asks for.
void joined_near_the_end(State& s, const u64 n_0, const u64 n_1) {
  constexpr u64 kInMargin = 63, kOutMargin = 63;
  auto src = prim::source(s);
  const prim::Cursor in_end = prim::cursor(src, s.end);
  prim::Cursor in = prim::cursor(src, s.pos);
  if (in_end < in || (u64)(in_end - in) < kInMargin || s.out_end - s.produced < kOutMargin) return;
  const prim::Cursor in_limit = in_end - kInMargin;
  u8* out = prim::global(s.out) + s.produced;
  u8* const out_limit = s.out + s.out_end - kOutMargin;
  prim::Held before = {};
  if (in <= in_limit && out <= out_limit && !prim::join(before, out, src, in, n_0, n_1)) return;  // finds memory
  s.pos = prim::byte_of(src, in);
  s.produced = (u64)(out - s.out);
}
void joined_and_then_one_more(State& s, const u64 n_0, const u64 n_1) {
  constexpr u64 kInMargin = 64, kOutMargin = 64;
  auto src = prim::source(s);
  const prim::Cursor in_end = prim::cursor(src, s.end);
  prim::Cursor in = prim::cursor(src, s.pos);
  if (in_end < in || (u64)(in_end - in) < kInMargin || s.out_end - s.produced < kOutMargin) return;
  const prim::Cursor in_limit = in_end - kInMargin;
  u8* out = prim::global(s.out) + s.produced;
  u8* const out_limit = s.out + s.out_end - kOutMargin;
  prim::Held before = {};
  if (in <= in_limit && out <= out_limit) {
    if (!prim::join(before, out, src, in, n_0, n_1)) prim::store<1>(out, prim::load_byte(src, in));
    else prim::store<1>(out, prim::load_byte(src, in));  // finds memory memory
  }
  s.pos = prim::byte_of(src, in);
  s.produced = (u64)(out - s.out);
}
// Vectors of fields look and write further than the last one.
void unpacked_near_the_end(State& s, const u64 n_0, const u64 width_1) {
  constexpr u64 kInMargin = 31, kOutMargin = 31;
  auto src = prim::source(s);
  const prim::Cursor in_end = prim::cursor(src, s.end >> 3);
  prim::Cursor in = prim::cursor(src, s.pos >> 3);
  if (in_end < in || (u64)(in_end - in) < kInMargin || s.out_end - s.produced < kOutMargin) return;
  const u64 bit_limit = 8 * (prim::byte_of(src, in_end) - kInMargin);
  u8* out = prim::global(s.out) + s.produced;
  u8* const out_limit = s.out + s.out_end - kOutMargin;
  u64 bit = s.pos;
  if (bit <= bit_limit && out <= out_limit) {
    if (n_0 * width_1 > bit_limit - bit || n_0 > (u64)(out_limit - out)) return;
    prim::unpack_out<false, 1>(out, src, bit, width_1, n_0);  // finds memory
    out += n_0;
    bit += n_0 * width_1;
  }
  s.pos = bit;
  s.produced = (u64)(out - s.out);
}
void filled_near_the_end(State& s, const u64 n_0) {
  constexpr u64 kOutMargin = 31;
  if (s.out_end - s.produced < kOutMargin) return;
  u8* out = prim::global(s.out) + s.produced;
  u8* const out_limit = s.out + s.out_end - kOutMargin;
  if (out <= out_limit) {
    if (n_0 > (u64)(out_limit - out) / 8) return;
    prim::fill_equal<8>(out, 1, n_0);  // finds memory
    out += n_0 * 8;
  }
  s.produced = (u64)(out - s.out) / 8;
}
}  // namespace
