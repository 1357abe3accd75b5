// Vectors of ORC's run-length codings (orc.apache.org/specification: byte run length encoding, integer version 1).
#include "tests/support/vectors/writer.h"

namespace sluice::test::vectors {
namespace {

// First, first + step, ... as `bytes`-wide little-endian elements.
Bytes series(std::int64_t first, unsigned count, std::int64_t step, unsigned bytes) {
  Bytes out;
  for (unsigned i = 0; i < count; ++i) {
    const Bytes one = little(static_cast<std::uint64_t>(first) + static_cast<std::uint64_t>(step) * i, bytes);
    out.insert(out.end(), one.begin(), one.end());
  }
  return out;
}

Bytes elements(std::initializer_list<std::int64_t> values, unsigned bytes) {
  Bytes out;
  for (const std::int64_t value : values) out = join({out, series(value, 1, 0, bytes)});
  return out;
}

const Bytes kLongest = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};  // ten groups: 2^64 - 1

void byte_rle(Writer& out) {
  out.good("orc_byte_rle", "no_input", {}, {});
  // The specification's two examples.
  out.good("orc_byte_rle", "run_of_100", {0x61, 0x00}, Bytes(100, 0));
  out.good("orc_byte_rle", "two_literals", {0xfe, 0x44, 0x45}, {0x44, 0x45});
  out.good("orc_byte_rle", "shortest_and_longest",
           join({{0, 7, 0x7f, 8, 0xff, 9, 0x80}, Bytes(128, 10)}), join({Bytes(3, 7), Bytes(130, 8), {9}, Bytes(128, 10)}));
  out.bad("orc_byte_rle", "run_without_value", {0x00}, "end_of_input", 8);
  out.bad("orc_byte_rle", "literals_cut", {0xfd, 1, 2}, "end_of_input", 24);
}

void integer_good(Writer& out) {
  out.good("orc_rle_v1", "no_input", {}, {});
  // The specification's examples: 100 times 7; 100, 99, ... 1; five literals.
  out.good("orc_rle_v1", "unsigned_run_of_7", {0x61, 0x00, 0x07}, series(7, 100, 0, 8), {"T=u64", {}});
  out.good("orc_rle_v1", "unsigned_descending", {0x61, 0xff, 0x64}, series(100, 100, -1, 8), {"T=u64", {}});
  out.good("orc_rle_v1", "unsigned_literals", {0xfb, 0x02, 0x03, 0x06, 0x07, 0x0b}, elements({2, 3, 6, 7, 11}, 8), {"T=u64", {}});
  out.good("orc_rle_v1", "signed_run_down", join({{0x01, 0x80}, {0x07}}), series(-4, 4, -128, 8));
  out.good("orc_rle_v1", "signed_extremes", join({{0xfe}, kLongest, {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}}),
           elements({INT64_MIN, INT64_MAX}, 8), {"T=i64", {}});
  // Runs wrap in 64 bits.
  out.good("orc_rle_v1", "unsigned_wraps", join({{0x00, 0x01}, kLongest}), elements({-1, 0, 1}, 8), {"T=u64", {}});
  out.good("orc_rle_v1", "i8", {0x00, 0x05, 0xfe, 0x01, 0xff, 0xff, 0x01}, elements({127, 132, 137, -128}, 1), {"T=i8", {}});
  out.good("orc_rle_v1", "u8", {0x00, 0x80, 0x80, 0x01, 0xff, 0x05}, elements({128, 0, -128, 5}, 1), {"T=u8", {}});
  out.good("orc_rle_v1", "i16", {0x00, 0x01, 0xfe, 0xff, 0x03, 0xff, 0x03}, elements({32767, 32768, 32769, -2}, 2), {"T=i16", {}});
  out.good("orc_rle_v1", "u16", {0x01, 0xff, 0x02, 0xff, 0xff, 0xff, 0x03}, elements({2, 1, 0, -1, 65535}, 2), {"T=u16", {}});
  out.good("orc_rle_v1", "i32", {0xfe, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x02}, elements({INT32_MIN, 1}, 4), {"T=i32", {}});
  out.good("orc_rle_v1", "u32", {0x00, 0x7f, 0xff, 0xff, 0xff, 0xff, 0x0f}, elements({UINT32_MAX, 126, 253}, 4), {"T=u32", {}});
}

void integer_bad(Writer& out) {
  out.bad("orc_rle_v1", "run_cut_before_step", {0x00}, "end_of_input", 8);
  out.bad("orc_rle_v1", "run_cut_in_base", {0x00, 0x00, 0x80, 0x80}, "end_of_input", 16);
  out.bad("orc_rle_v1", "literals_cut", {0xfd, 0x02, 0x04}, "end_of_input", 24);
  out.bad("orc_rle_v1", "varint_of_11_groups", join({{0xff}, Bytes(10, 0x80), {0}}), "varint_too_long", 8);
  out.bad("orc_rle_v1", "varint_past_64_bits", join({{0xff}, Bytes(9, 0x80), {2}}), "varint_too_long", 8);
  out.bad("orc_rle_v1", "varint_past_8_bits", {0xff, 0x80, 0x02}, "varint_too_long", 8, {"T=u8", {}});
  out.bad("orc_rle_v1", "varint_of_3_groups_for_8_bits", {0xff, 0x80, 0x80, 0x00}, "varint_too_long", 8, {"T=i8", {}});
  out.bad("orc_rle_v1", "second_literal_past_32_bits", {0xfe, 0x01, 0x80, 0x80, 0x80, 0x80, 0x10}, "varint_too_long", 16,
          {"T=i32", {}});
}

}  // namespace

void make_orc(Writer& writer) {
  byte_rle(writer);
  integer_good(writer);
  integer_bad(writer);
}

}  // namespace sluice::test::vectors
