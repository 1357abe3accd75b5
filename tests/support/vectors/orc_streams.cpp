// Vectors of ORC's integer run-length coding version 2, of its booleans and of its decimals (ORC specification v1).
#include "tests/support/vectors/writer.h"

namespace sluice::test::vectors {
namespace {

Bytes elements(std::initializer_list<std::int64_t> values, unsigned bytes = 8) {
  Bytes out;
  for (const std::int64_t value : values) out = join({out, little(static_cast<std::uint64_t>(value), bytes)});
  return out;
}

const Writer::Extra kUnsigned{"T=u64", {}};

void integers_good(Writer& out) {
  out.good("orc_rle_v2", "no_input", {}, {});
  // The specification's four examples.
  out.good("orc_rle_v2", "short_repeat", {0x0a, 0x27, 0x10}, elements({10000, 10000, 10000, 10000, 10000}), kUnsigned);
  out.good("orc_rle_v2", "direct", {0x5e, 0x03, 0x5c, 0xa1, 0xab, 0x1e, 0xde, 0xad, 0xbe, 0xef},
           elements({23713, 43806, 57005, 48879}), kUnsigned);
  out.good("orc_rle_v2", "patched_base",
           {0x8e, 0x13, 0x2b, 0x21, 0x07, 0xd0, 0x1e, 0x00, 0x14, 0x70, 0x28, 0x32, 0x3c, 0x46, 0x50,
            0x5a, 0x64, 0x6e, 0x78, 0x82, 0x8c, 0x96, 0xa0, 0xaa, 0xb4, 0xbe, 0xfc, 0xe8},
           elements({2030, 2000, 2020, 1000000, 2040, 2050, 2060, 2070, 2080, 2090,
                     2100, 2110, 2120, 2130, 2140, 2150, 2160, 2170, 2180, 2190}), kUnsigned);
  out.good("orc_rle_v2", "delta", {0xc6, 0x09, 0x02, 0x02, 0x22, 0x42, 0x42, 0x46},
           elements({2, 3, 5, 7, 11, 13, 17, 19, 23, 29}), kUnsigned);

  // Signed values are zigzag: 19 is -10.
  out.good("orc_rle_v2", "signed_short_repeat", {0x00, 0x13}, elements({-10, -10, -10}));
  // Two values of 64 bits: the extremes.
  out.good("orc_rle_v2", "signed_direct_64_bits",
           join({{0x7e, 0x01}, Bytes(8, 0xff), Bytes(7, 0xff), {0xfe}}), elements({INT64_MIN, INT64_MAX}));
  // Base -5, values of three bits 1 and 2, and a patch bit above those of the second.
  out.good("orc_rle_v2", "patched_negative_base", {0x84, 0x01, 0x00, 0x01, 0x85, 0x28, 0xc0}, elements({-4, 5}));
  // Values of 15 bits and a patch of 56, as ORC's Java writer makes them: 7 of its bits would stand above 64. They are
  // dropped, also where they are not zero: 2 becomes 2 + (3 << 15).
  out.good("orc_rle_v2", "patch_past_64_bits",
           {0x9c, 0x01, 0x1e, 0x01, 0x85, 0x00, 0x02, 0x00, 0x08, 0x01, 0xfe, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03},
           elements({-4, 98301}));
  // The widest value that can be patched: 56 bits, of whose patch, 56 bits too, 8 are left.
  out.good("orc_rle_v2", "patch_of_the_top_byte",
           join({{0xbc, 0x00, 0x1e, 0x01, 0x00}, Bytes(7, 0xff), {0x00}, Bytes(6, 0xff), {0x7f}}),
           elements({0x7fffffffffffffff}));
  // Fixed deltas have width code 0: -4, -14, ... and a run of one.
  out.good("orc_rle_v2", "delta_fixed_down", {0xc0, 0x03, 0x07, 0x13}, elements({-4, -14, -24, -34}));
  out.good("orc_rle_v2", "delta_fixed_one", {0xc0, 0x00, 0x02, 0x00}, elements({1}));
  // A negative first delta turns the others around: 10, 8, then 3 and 1 less.
  out.good("orc_rle_v2", "delta_down", {0xc2, 0x03, 0x14, 0x03, 0xd0}, elements({10, 8, 5, 4}));
  // Values wrap in 64 bits, and narrower elements take the low bits.
  out.good("orc_rle_v2", "delta_wraps", join({{0xc0, 0x02}, Bytes(9, 0xff), {0x01, 0x02}}), elements({-1, 0, 1}), kUnsigned);
  out.good("orc_rle_v2", "i16_truncates", {0x10, 0x02, 0x46, 0x8a, 0xc0, 0x01, 0xfe, 0xff, 0x03, 0x02},
           elements({0x2345, 0x2345, 0x2345, 32767, -32768}, 2), {"T=i16", {}});
  out.good("orc_rle_v2", "u8_truncates", {0xc0, 0x02, 0xff, 0x01, 0x02}, elements({255, 0, 1}, 1), {"T=u8", {}});
  out.good("orc_rle_v2", "i32", {0x46, 0x01, 0x12}, elements({-1, 1}, 4), {"T=i32", {}});
}

// Tokens of a few bytes each, so many that a GPU's lanes decode their own: short repeats, direct lists of four bits, and fixed deltas, whose
// bases have a byte or two.
void short_tokens(Writer& out) {
  constexpr std::size_t kBytes = 1400;
  Bytes in;
  std::vector<std::int64_t> made;
  std::uint32_t state = 1;
  const auto below = [&](std::uint32_t n) {
    state = state * 1103515245 + 12345;
    return (state >> 16) % n;
  };
  const auto put = [&](std::uint32_t byte) { in.push_back(static_cast<std::uint8_t>(byte)); };
  const auto zigzag = [](std::uint32_t word) { return static_cast<std::int64_t>(word >> 1) ^ -static_cast<std::int64_t>(word & 1); };
  while (in.size() < kBytes) {
    const std::uint32_t kind = below(10), count = 3 + below(6);
    if (kind < 5) {
      const std::uint32_t word = below(256);
      put(count - 3), put(word);
      made.insert(made.end(), count, zigzag(word));
    } else if (kind < 9) {
      put(0x46), put(count - 1);
      for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t word = below(16);
        if (i % 2 == 0) put(word << 4);
        else in.back() = static_cast<std::uint8_t>(in.back() | word);
        made.push_back(zigzag(word));
      }
    } else {
      const std::uint32_t base = below(200), step = below(3);
      put(0xc0), put(count - 1);
      if (base >= 128) put(base | 128), put(base >> 7);
      else put(base);
      put(step);
      for (std::uint32_t i = 0; i < count; ++i) made.push_back(zigzag(base) + i * zigzag(step));
    }
  }
  for (const unsigned bytes : {1u, 2u}) {
    Bytes elements;
    for (const std::int64_t value : made) elements = join({elements, little(static_cast<std::uint64_t>(value), bytes)});
    out.good("orc_rle_v2", bytes == 1 ? "i8_short_tokens" : "i16_short_tokens", in, elements, {bytes == 1 ? "T=i8" : "T=i16", {}});
  }
}

void integers_bad(Writer& out) {
  out.bad("orc_rle_v2", "header_cut", {0x5e}, "end_of_input", 7);
  out.bad("orc_rle_v2", "short_repeat_cut", {0x0a, 0x27}, "end_of_input", 8);
  out.bad("orc_rle_v2", "direct_cut", {0x5e, 0x03, 0x5c, 0xa1, 0xab}, "end_of_input", 32);
  out.bad("orc_rle_v2", "patched_base_cut", {0x8e, 0x13, 0x2b, 0x21, 0x07}, "end_of_input", 33);
  out.bad("orc_rle_v2", "patches_cut", {0x84, 0x01, 0x00, 0x01, 0x85, 0x28}, "end_of_input", 48);
  out.bad("orc_rle_v2", "no_patches", {0x8e, 0x13, 0x2b, 0x20}, "no_patches", 32);
  // 64 bits of patch and one of gap; values of 64 bits, with which no patch fits; a patch of value 1 where there is
  // value 0 only.
  out.bad("orc_rle_v2", "patch_entry_too_wide", {0x80, 0x00, 0x1f, 0x01}, "patch_entry_too_wide", 32);
  out.bad("orc_rle_v2", "patched_value_too_wide", {0xbe, 0x00, 0x00, 0x01}, "patched_value_too_wide", 32);
  out.bad("orc_rle_v2", "patch_past_end", {0x80, 0x00, 0x00, 0x01, 0x00, 0x00, 0xc0}, "patch_past_end", 50);
  out.bad("orc_rle_v2", "delta_run_too_short", {0xc2, 0x00, 0x00, 0x00}, "delta_run_too_short", 32);
  out.bad("orc_rle_v2", "delta_cut", {0xc6, 0x09, 0x02, 0x02, 0x22}, "end_of_input", 40);
  out.bad("orc_rle_v2", "base_of_11_groups", join({{0xc0, 0x00}, Bytes(10, 0x80), {0x00, 0x00}}), "varint_too_long", 16);
}

Bytes bits(std::string_view digits) {
  Bytes out;
  for (const char digit : digits) out.push_back(digit == '1' ? 1 : 0);
  return out;
}

void booleans(Writer& out) {
  out.good("orc_bool_rle", "no_input", {}, {});
  // The specification's example: one true, seven false.
  out.good("orc_bool_rle", "one_literal", {0xff, 0x80}, bits("10000000"));
  out.good("orc_bool_rle", "run_of_zeros", {0x61, 0x00}, Bytes(800, 0));
  out.good("orc_bool_rle", "longest_run_of_ones", {0x7f, 0xff}, Bytes(1040, 1));
  out.good("orc_bool_rle", "run_of_mixed_bytes", {0x00, 0xa5}, bits("101001011010010110100101"));
  out.good("orc_bool_rle", "longest_literals", join({{0x80}, Bytes(128, 0xff)}), Bytes(1024, 1));
  out.good("orc_bool_rle", "run_then_literals", {0x00, 0x0f, 0xfe, 0x01, 0x80}, bits("0000111100001111000011110000000110000000"));
  out.bad("orc_bool_rle", "run_without_value", {0x00}, "end_of_input", 8);
  out.bad("orc_bool_rle", "literals_cut", {0xfd, 0x80}, "end_of_input", 16);
  out.bad("orc_bool_rle", "literals_missing", {0xff}, "end_of_input", 8);
}

void decimals(Writer& out) {
  const Bytes ones = join({Bytes(9, 0xff), {0x01}});
  out.good("orc_decimal", "no_input", {}, {});
  out.good("orc_decimal", "small", {0x00, 0x01, 0x02, 0x03}, elements({0, -1, 1, -2}));
  out.good("orc_decimal", "two_groups", {0xc8, 0x01, 0xff, 0x01}, elements({100, -128}));
  out.good("orc_decimal", "extremes", join({ones, {0xfe}, Bytes(8, 0xff), {0x01}}), elements({INT64_MIN, INT64_MAX}));
  out.good("orc_decimal", "more_groups_than_needed", {0x82, 0x80, 0x00}, elements({1}));
  out.bad("orc_decimal", "cut", {0x02, 0x80}, "end_of_input", 8);
  out.bad("orc_decimal", "past_64_bits", join({Bytes(9, 0xff), {0x02}}), "varint_too_long", 0);
  out.bad("orc_decimal", "of_11_groups", join({{0x00}, Bytes(10, 0x80), {0x00}}), "varint_too_long", 8);

  // Low half, high half.
  out.good("orc_decimal128", "no_input", {}, {});
  out.good("orc_decimal128", "small", {0x00, 0x01, 0x02}, elements({0, 0, -1, -1, 1, 0}));
  out.good("orc_decimal128", "two_groups", {0xc8, 0x01, 0xff, 0x01}, elements({100, 0, -128, -1}));
  out.good("orc_decimal128", "around_63_bits", join({ones, {0x80}, Bytes(8, 0x80), {0x02}}),
           elements({INT64_MIN, -1, INT64_MIN, 0}));
  out.good("orc_decimal128", "extremes", join({Bytes(18, 0xff), {0x03, 0xfe}, Bytes(17, 0xff), {0x03}}),
           elements({0, INT64_MIN, -1, INT64_MAX}));
  out.good("orc_decimal128", "more_groups_than_needed", join({{0x82}, Bytes(17, 0x80), {0x00}}), elements({1, 0}));
  out.bad("orc_decimal128", "cut", {0x02, 0x80, 0x80}, "end_of_input", 24);
  out.bad("orc_decimal128", "past_128_bits", join({Bytes(18, 0xff), {0x04}}), "past_128_bits", 152);
  out.bad("orc_decimal128", "of_20_groups", join({Bytes(19, 0x80), {0x00}}), "past_128_bits", 152);
}

}  // namespace

void make_orc_streams(Writer& writer) {
  integers_good(writer);
  short_tokens(writer);
  integers_bad(writer);
  booleans(writer);
  decimals(writer);
}

}  // namespace sluice::test::vectors
