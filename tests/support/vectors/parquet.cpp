// Vectors of Parquet's encodings (parquet-format, Encodings.md): plain values, differences of integers, runs and bit-packed numbers,
// bytes put together by their place, strings.
#include "tests/support/vectors/writer.h"

namespace sluice::test::vectors {
namespace {

Bytes varint(std::uint64_t value) {
  Bytes out;
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::uint8_t>(value | 0x80));
  out.push_back(static_cast<std::uint8_t>(value));
  return out;
}

Bytes zigzag(std::int64_t value) {
  return varint((static_cast<std::uint64_t>(value) << 1) ^ (value < 0 ? ~std::uint64_t{0} : 0));
}

Bytes elements(std::initializer_list<std::int64_t> values, unsigned bytes = 8) {
  Bytes out;
  for (const std::int64_t value : values) out = join({out, little(static_cast<std::uint64_t>(value), bytes)});
  return out;
}

// First, first + step, ... as `bytes`-wide little-endian elements.
Bytes series(std::int64_t first, unsigned count, std::int64_t step, unsigned bytes = 8) {
  Bytes out;
  for (unsigned i = 0; i < count; ++i) {
    out = join({out, little(static_cast<std::uint64_t>(first) + static_cast<std::uint64_t>(step) * i, bytes)});
  }
  return out;
}

Bytes header(std::uint64_t block, std::uint64_t miniblocks, std::uint64_t total, std::int64_t first) {
  return join({varint(block), varint(miniblocks), varint(total), zigzag(first)});
}

// Numbers of `width` bits, lowest bit first, and zero bits up to `count` numbers.
Bytes packed(std::initializer_list<std::uint64_t> values, unsigned width, unsigned count) {
  BitWriter out;
  for (const std::uint64_t value : values) out.bits(value, width);
  for (std::size_t i = values.size(); i < count; ++i) out.bits(0, width);
  return out.data();
}

void delta_good(Writer& out) {
  out.good("parquet_delta", "no_values", header(128, 4, 0, 7), {});
  out.good("parquet_delta", "one_value", header(128, 4, 1, 7), elements({7}));
  // Of width 0 nothing stands in a miniblock.
  out.good("parquet_delta", "steps_of_one", join({header(128, 4, 5, 1), zigzag(1), {0, 0, 0, 0}}), elements({1, 2, 3, 4, 5}));
  // The specification's second example, in a block of a size that readers take.
  out.good("parquet_delta", "example",
           join({header(128, 4, 8, 7), zigzag(-2), {2, 0, 0, 0}, packed({0, 0, 0, 3, 3, 3, 3}, 2, 32)}),
           elements({7, 5, 3, 1, 2, 3, 4, 5}));
  out.good("parquet_delta", "two_miniblocks",
           join({header(128, 4, 36, 0), zigzag(0), {0, 3, 0, 0}, packed({1, 2, 7}, 3, 32)}),
           join({Bytes(264, 0), elements({1, 3, 10})}));
  // 128 steps of one, then 2 and 130 at a time.
  out.good("parquet_delta", "two_blocks",
           join({header(128, 4, 131, 0), zigzag(1), Bytes(4, 0), zigzag(2), {8, 0, 0, 0}, packed({0, 128}, 8, 32)}),
           join({series(0, 129, 1), elements({130, 260})}));
  out.good("parquet_delta", "miniblocks_of_128",
           join({header(256, 2, 131, 0), zigzag(0), {0, 1}, packed({1, 1}, 1, 128)}), join({Bytes(1032, 0), elements({1, 2})}));
  // 39 miniblocks of 32 values are no 1280: what the division leaves over is in no miniblock.
  out.good("parquet_delta", "miniblocks_that_leave_a_rest",
           join({header(1280, 39, 2, 0), zigzag(5), Bytes(39, 0)}), elements({0, 5}));
  // Behind the last value widths may be anything, and nothing has them.
  out.good("parquet_delta", "widths_that_mean_nothing", join({header(128, 4, 2, 7), zigzag(2), {0, 0xff, 0x41, 0x80}}),
           elements({7, 9}));
  out.good("parquet_delta", "rest_of_the_page", join({header(128, 4, 1, 7), text("behind")}), elements({7}));
  // Sums wrap: the lowest number less one is the highest.
  out.good("parquet_delta", "width_64",
           join({header(128, 4, 3, INT64_MIN), zigzag(0), {64, 0, 0, 0}, packed({~std::uint64_t{0}, 2}, 64, 32)}),
           elements({INT64_MIN, INT64_MAX, INT64_MIN + 1}));
  out.good("parquet_delta", "least_wraps", join({header(128, 4, 3, INT64_MAX), zigzag(INT64_MIN), {0, 0, 0, 0}}),
           elements({INT64_MAX, -1, INT64_MAX}));
  out.good("parquet_delta", "i32",
           join({header(128, 4, 3, INT32_MIN), zigzag(0), {32, 0, 0, 0}, packed({0xffffffff, 2}, 32, 32)}),
           elements({INT32_MIN, INT32_MAX, INT32_MIN + 1}, 4), {"T=i32", {}});
  // Of no width: a run of steps that wraps as well.
  out.good("parquet_delta", "i32_run_wraps", join({header(128, 4, 4, INT32_MAX), zigzag(INT32_MAX), {0, 0, 0, 0}}),
           elements({INT32_MAX, -2, INT32_MAX - 2, -4}, 4), {"T=i32", {}});
  // A width of 17 bits, which no two bytes hold, and elements that take the low bits of 32.
  out.good("parquet_delta", "u16",
           join({header(128, 4, 4, -1), zigzag(-5), {17, 0, 0, 0}, packed({6, 0x1ffff, 0}, 17, 32)}),
           elements({0xffff, 0, 0xfffa, 0xfff5}, 2), {"T=u16", {}});
  // More groups of seven bits than a number needs, but not more than its type may have.
  out.good("parquet_delta", "more_groups_than_needed", join({{0x80, 0x81, 0x80, 0x80, 0x00}, {0x84, 0x00}, {0x81, 0x00}, {0x8e, 0x00}}),
           elements({7}));
}

void delta_bad(Writer& out) {
  const auto bits = [](const Bytes& before) { return std::uint64_t{8} * before.size(); };
  out.bad("parquet_delta", "no_input", {}, "end_of_input", 0);
  out.bad("parquet_delta", "header_cut", {0x80, 0x01, 0x04, 0x05}, "end_of_input", 32);
  out.bad("parquet_delta", "block_of_nothing", header(0, 4, 1, 7), "bad_block_size", 32);
  out.bad("parquet_delta", "block_of_64", header(64, 2, 1, 7), "bad_block_size", 32);
  out.bad("parquet_delta", "no_miniblocks", header(128, 0, 1, 7), "no_miniblocks", 40);
  out.bad("parquet_delta", "miniblocks_of_16", header(128, 8, 1, 7), "bad_miniblock_size", 40);
  out.bad("parquet_delta", "miniblocks_of_nothing", header(128, 129, 1, 7), "bad_miniblock_size", 48);
  out.bad("parquet_delta", "too_many_miniblocks", header(32896, 257, 1, 7), "too_many_miniblocks", 56);
  out.bad("parquet_delta", "block_size_past_32_bits", {0x80, 0x80, 0x80, 0x80, 0x10, 0x04, 0x01, 0x0e}, "varint_too_long", 0);
  out.bad("parquet_delta", "first_of_11_groups", join({{0x80, 0x01, 0x04, 0x01}, Bytes(10, 0x80), {0}}), "varint_too_long", 32);
  out.bad("parquet_delta", "first_past_32_bits", {0x80, 0x01, 0x04, 0x01, 0xff, 0xff, 0xff, 0xff, 0x1f}, "varint_too_long", 32,
          {"T=i32", {}});
  const Bytes head = header(128, 4, 40, 0);
  out.bad("parquet_delta", "no_block", head, "end_of_input", bits(head));
  const Bytes block = join({head, zigzag(1), {1, 33, 65, 0}});
  const Bytes three = join({head, zigzag(1), {1, 33, 65}});
  out.bad("parquet_delta", "widths_cut", three, "end_of_input", bits(three) - 24);
  out.bad("parquet_delta", "values_cut", join({block, {0xff, 0xff}}), "end_of_input", bits(block) + 16);
  const Bytes mini = join({block, Bytes(4, 0xff)});
  out.bad("parquet_delta", "width_65", join({header(128, 4, 70, 0), zigzag(1), {1, 33, 65, 0}, Bytes(136, 0)}), "bad_width",
          bits(mini) + 8 * 132);
  out.bad("parquet_delta", "width_33_of_i32", join({mini, Bytes(140, 0)}), "bad_width", bits(mini), {"T=i32", {}});
  // The last miniblock is as long as the others.
  const Bytes last = join({header(128, 4, 4, 0), zigzag(1), {2, 0, 0, 0}});
  out.bad("parquet_delta", "padding_cut", join({last, Bytes(7, 0)}), "end_of_input", bits(last) + 8);
}

const Bytes kExample = {0x88, 0xc6, 0xfa};  // the specification's: 0 to 7 in three bits each

void hybrid_good(Writer& out) {
  out.good("parquet_rle", "no_values", {3}, {});
  out.good("parquet_rle", "example", join({{3, 0x03}, kExample}), series(0, 8, 1, 4));
  out.good("parquet_rle", "run", {3, 0x06, 0x05}, elements({5, 5, 5}, 4));
  out.good("parquet_rle", "groups_between_runs", join({{3, 0x04, 0x01, 0x05}, kExample, kExample, {0x02, 0x07}}),
           join({elements({1, 1}, 4), series(0, 8, 1, 4), series(0, 8, 1, 4), elements({7}, 4)}));
  // A dictionary of one entry: indices of no bits.
  out.good("parquet_rle", "width_0", {0, 0x06, 0x03, 0x04}, Bytes(std::size_t{13} * 4, 0));
  // A run's value is whole bytes, and may be above the width.
  out.good("parquet_rle", "value_above_the_width", {3, 0x04, 0xff, 0x02, 0x0b}, elements({255, 255, 11}, 4));
  out.good("parquet_rle", "width_9", join({{9, 0x02, 0x01, 0x01, 0x03}, packed({511, 256, 1, 0, 0, 0, 0, 2}, 9, 8)}),
           elements({257, 511, 256, 1, 0, 0, 0, 0, 2}, 4));
  out.good("parquet_rle", "width_32",
           join({{32, 0x02, 0x04, 0x03, 0x02, 0x01, 0x03}, packed({0xffffffff, 1, 2, 3, 4, 5, 6, 0x80000000}, 32, 8)}),
           elements({0x01020304, 0xffffffff, 1, 2, 3, 4, 5, 6, 0x80000000}, 4));
  out.good("parquet_rle", "longer_header", {1, 0x86, 0x80, 0x80, 0x80, 0x00, 0x01}, elements({1, 1, 1}, 4));
  out.good("parquet_rle", "u8", join({{9, 0x02, 0x01, 0x01, 0x03}, packed({511, 256, 1, 0, 0, 0, 0, 2}, 9, 8)}),
           elements({1, 255, 0, 1, 0, 0, 0, 0, 2}, 1), {"T=u8", {}});
}

void hybrid_bad(Writer& out) {
  out.bad("parquet_rle", "no_input", {}, "end_of_input", 0);
  out.bad("parquet_rle", "width_33", {33, 0x02, 0, 0, 0, 0, 0}, "bad_width", 8);
  out.bad("parquet_rle", "empty_run", {3, 0x02, 0x01, 0x00, 0x01}, "empty_run", 32);
  out.bad("parquet_rle", "no_groups", {3, 0x01}, "bad_group_count", 16);
  // 2^28 + 1 groups of eight, of no bits.
  out.bad("parquet_rle", "too_many_groups", {0, 0x83, 0x80, 0x80, 0x80, 0x02}, "bad_group_count", 48);
  out.bad("parquet_rle", "header_cut", {3, 0x02, 0x01, 0x86}, "end_of_input", 24);
  out.bad("parquet_rle", "header_past_32_bits", {3, 0x86, 0x80, 0x80, 0x80, 0x10, 0x01}, "varint_too_long", 8);
  out.bad("parquet_rle", "header_of_six_groups", {3, 0x86, 0x80, 0x80, 0x80, 0x80, 0x00, 0x01}, "varint_too_long", 8);
  out.bad("parquet_rle", "run_without_value", {9, 0x06, 0x01}, "end_of_input", 16);
  // The fifth number of a group of eight has one bit of three.
  out.bad("parquet_rle", "group_cut", {3, 0x03, 0x88, 0x06}, "end_of_input", 31);
}

void levels(Writer& out) {
  const auto sized = [](const Bytes& body) { return join({little(body.size(), 4), body}); };
  out.good("parquet_levels", "no_values", sized({}), {});
  out.good("parquet_levels", "run", sized({0x06, 0x01}), elements({1, 1, 1}, 4));
  out.good("parquet_levels", "groups", sized({0x05, 0x0f, 0x80, 0x04, 0x00}),
           elements({1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0}, 4));
  out.good("parquet_levels", "values_behind", join({sized({0x06, 0x01}), {0x06, 0x00}}), elements({1, 1, 1}, 4));
  out.bad("parquet_levels", "no_input", {}, "end_of_input", 0);
  out.bad("parquet_levels", "size_cut", {2, 0, 0}, "end_of_input", 0);
  out.bad("parquet_levels", "larger_than_all", {3, 0, 0, 0, 0x06, 0x01}, "end_of_input", 32);
  out.bad("parquet_levels", "group_behind_the_size", {2, 0, 0, 0, 0x05, 0x0f, 0x80}, "end_of_input", 48);
  out.bad("parquet_levels", "empty_run", sized({0x00, 0x01}), "empty_run", 40);
}

void split_bytes(Writer& out) {
  const std::string name = "parquet_byte_stream_split";
  out.good(name, "no_values", {}, {});
  out.good(name, "one_value", {1, 2, 3, 4}, {1, 2, 3, 4});
  // 1.0, 2.0 and -0.5.
  out.good(name, "floats", {0, 0, 0, 0, 0, 0, 0x80, 0x00, 0x00, 0x3f, 0x40, 0xbf},
           join({little(0x3f800000, 4), little(0x40000000, 4), little(0xbf000000, 4)}));
  out.good(name, "page_of_the_largest_size", text("aebfcgdh"), text("abcdefgh"), {"largest_page=8", {}});
  out.bad(name, "value_cut", Bytes(9, 1), "value_cut", 0);
  out.bad(name, "less_than_a_value", {1, 2, 3}, "value_cut", 0);
  out.bad(name, "page_too_large", Bytes(12, 1), "page_too_large", 0, {"largest_page=8", {}});
}

void strings(Writer& out) {
  const std::string name = "parquet_delta_length";
  const auto bits = [](const Bytes& before) { return std::uint64_t{8} * before.size(); };
  out.good(name, "no_strings", header(128, 4, 0, 3), {});
  out.good(name, "one_string", join({header(128, 4, 1, 3), text("abc")}), text("abc"));
  // The specification's example: "Hello", "World", "Foobar", "ABCDEF".
  out.good(name, "example", join({header(128, 4, 4, 5), zigzag(0), {1, 0, 0, 0}, packed({0, 1, 0}, 1, 32), text("HelloWorldFoobarABCDEF")}),
           text("HelloWorldFoobarABCDEF"));
  out.good(name, "empty_strings", join({header(128, 4, 90, 0), zigzag(0), Bytes(4, 0)}), {});
  // 1, 2, ... 40 bytes, of which 33 to 40 are in the second miniblock.
  out.good(name, "longer_and_longer", join({header(128, 4, 40, 1), zigzag(1), {0, 0, 0xff, 0xff}, Bytes(820, 'x')}), Bytes(820, 'x'));
  out.good(name, "rest_of_the_page", join({header(128, 4, 1, 2), text("abc")}), text("ab"));
  out.bad(name, "no_input", {}, "end_of_input", 0);
  out.bad(name, "block_of_64", header(64, 2, 1, 7), "bad_block_size", 32);
  out.bad(name, "no_miniblocks", header(128, 0, 1, 7), "no_miniblocks", 40);
  out.bad(name, "miniblocks_of_16", header(128, 8, 1, 7), "bad_miniblock_size", 40);
  out.bad(name, "too_many_miniblocks", header(32896, 257, 1, 7), "too_many_miniblocks", 56);
  out.bad(name, "first_is_negative", join({header(128, 4, 1, -1), text("abc")}), "negative_length", 40);
  const Bytes down = join({header(128, 4, 4, 2), zigzag(-1), {0, 0, 0, 0}});
  out.bad(name, "run_below_nothing", join({down, text("abc")}), "negative_length", bits(down));
  // 1, 1, 0, and then one less.
  const Bytes wide = join({header(128, 4, 5, 1), zigzag(-1), {2, 0, 0, 0}});
  out.bad(name, "below_nothing", join({wide, packed({1, 0, 0, 2}, 2, 32), text("ab")}), "negative_length", bits(wide) + 8);  // when the last one has been read
  const Bytes high = join({header(128, 4, 2, INT32_MAX), zigzag(1), {0, 0, 0, 0}});
  out.bad(name, "length_wraps", join({high, text("abc")}), "negative_length", bits(high));
  const Bytes width = join({header(128, 4, 2, 0), zigzag(1), {33, 0, 0, 0}});
  out.bad(name, "width_33", join({width, Bytes(132, 0)}), "bad_width", bits(width));
  const Bytes one = header(128, 4, 1, 4);
  out.bad(name, "string_cut", join({one, text("abc")}), "end_of_input", bits(one) + 24);
  const Bytes last = join({header(128, 4, 2, 0), zigzag(0), {2, 0, 0, 0}});
  out.bad(name, "padding_cut", join({last, Bytes(7, 0)}), "end_of_input", bits(last) + 8);
}

// Lengths in one miniblock.
Bytes lengths(std::initializer_list<std::int64_t> values) {
  const std::vector<std::int64_t> all(values);
  if (all.size() < 2) return header(128, 4, all.size(), all.empty() ? 0 : all[0]);
  BitWriter steps;
  for (std::size_t i = 1; i < all.size(); ++i) steps.bits(static_cast<std::uint64_t>(all[i] - all[i - 1] + 128), 8);
  for (std::size_t i = all.size(); i < 33; ++i) steps.bits(0, 8);
  return join({header(128, 4, all.size(), all[0]), zigzag(-128), {8, 0, 0, 0}, steps.data()});
}

void prefixed_strings(Writer& out) {
  const std::string name = "parquet_delta_strings";
  const auto bits = [](const Bytes& before) { return std::uint64_t{8} * before.size(); };
  out.good(name, "no_strings", header(128, 4, 0, 0), {});
  out.good(name, "one_string", join({lengths({0}), lengths({3}), text("abc")}), text("abc"));
  // The specification's example: axis, axle, babble, babyhood.
  out.good(name, "example", join({lengths({0, 2, 0, 3}), lengths({4, 2, 6, 5}), text("axislebabbleyhood")}),
           text("axisaxlebabblebabyhood"));
  out.good(name, "the_same_again",
           join({header(128, 4, 3, 0), zigzag(0), {2, 0, 0, 0}, packed({3, 0}, 2, 32), lengths({3, 0, 0}), text("abc")}),
           text("abcabcabc"));
  out.good(name, "empty_strings", join({lengths({0, 0, 0}), lengths({0, 0, 0})}), {});
  // What is behind the last string is not asked about, nor rests that no string has.
  out.good(name, "more_rests", join({lengths({0, 1}), lengths({2, 1, 9}), text("abc!")}), text("abac"));
  out.bad(name, "no_input", {}, "end_of_input", 0);
  const Bytes first = lengths({1});
  out.bad(name, "prefix_of_nothing", join({first, first, text("a")}), "prefix_too_long", 2 * bits(first));
  const Bytes two = join({lengths({0, 4}), lengths({3, 1})});
  out.bad(name, "prefix_too_long", join({two, text("abcd")}), "prefix_too_long", bits(two) + 24);
  const Bytes down = header(128, 4, 2, 1);
  out.bad(name, "prefix_below_nothing", join({down, zigzag(-2), {0, 0, 0, 0}}), "negative_length", bits(down) + 40);
  const Bytes three = join({lengths({0, 0, 0}), lengths({1, 1})});
  out.bad(name, "too_few_rests", join({three, text("abc")}), "too_few_suffixes", bits(lengths({0, 0, 0})) + 40);
  const Bytes both = join({lengths({0, 2}), lengths({3, 2})});
  out.bad(name, "string_cut", join({both, text("abcd")}), "end_of_input", bits(both) + 32);
  out.bad(name, "too_many_strings", header(128, 4, 3, 0), "too_many_strings", 40, {"most_strings=2", {}});
  out.good(name, "as_many_as_there_may_be", join({lengths({0, 1}), lengths({1, 1}), text("ab")}), text("aab"), {"most_strings=2", {}});
}

void plain_numbers(Writer& out) {
  const std::string name = "parquet_plain";
  out.good(name, "no_values", {}, {});
  out.good(name, "one_value", {1, 2, 3, 4}, {1, 2, 3, 4});
  // 1.0, 2.0 and -0.5.
  const Bytes floats = join({little(0x3f800000, 4), little(0x40000000, 4), little(0xbf000000, 4)});
  out.good(name, "floats", floats, floats);
  out.good(name, "integers", series(-20, 100, 3, 4), series(-20, 100, 3, 4));
  out.bad(name, "value_cut", Bytes(9, 1), "value_cut", 0);
  out.bad(name, "less_than_a_value", {1, 2, 3}, "value_cut", 0);
}

void plain_booleans(Writer& out) {
  const std::string name = "parquet_plain_booleans";
  out.good(name, "no_values", {}, {});
  out.good(name, "one_byte", {0x01}, {1, 0, 0, 0, 0, 0, 0, 0});
  out.good(name, "example", {0x0d, 0x82}, {1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1});
  Bytes all, each;
  for (unsigned byte = 0; byte < 256; ++byte) {
    all.push_back(static_cast<std::uint8_t>(byte));
    for (unsigned bit = 0; bit < 8; ++bit) each.push_back(byte >> bit & 1);
  }
  out.good(name, "every_byte", all, each);
}

Bytes with_length(const Bytes& string) { return join({little(string.size(), 4), string}); }

// A page of strings, the strings themselves, and what each length, or where each ends, is in four bytes.
struct StringPage {
  Bytes page, all, lengths, ends;
  explicit StringPage(std::initializer_list<Bytes> values) {
    for (const Bytes& value : values) {
      page = join({page, with_length(value)});
      all = join({all, value});
      lengths = join({lengths, little(value.size(), 4)});
      ends = join({ends, little(all.size(), 4)});
    }
  }
};

// Pages of strings, which one codec outputs and the other the lengths of.
void plain_strings(Writer& out) {
  const std::string strings = "parquet_plain_strings", lengths = "parquet_plain_lengths";
  const auto good = [&](const std::string& name, std::initializer_list<Bytes> values) {
    const StringPage made(values);
    out.good(strings, name, made.page, made.all);
    out.good(lengths, name, made.page, made.lengths);
  };
  const auto bad = [&](const std::string& name, const Bytes& page, std::uint64_t in_strings, std::uint64_t in_lengths) {
    out.bad(strings, name, page, "end_of_input", in_strings);
    out.bad(lengths, name, page, "end_of_input", in_lengths);
  };
  good("no_strings", {});
  good("one_string", {text("abc")});
  good("example", {text("Hello"), text("World"), text("Foobar"), text("ABCDEF")});
  good("empty_strings", {{}, {}, {}});
  good("empty_between", {text("a"), {}, text("bc"), {}});
  good("longer_than_a_line", {Bytes(300, 'x'), text("y"), Bytes(1000, 'z'), prose()});
  // Zeros, any four of which are the length of an empty string.
  good("zeros", {Bytes(64, 0), Bytes(5, 0), {}, Bytes(66, 0)});
  // Strings that look like strings with their lengths.
  good("strings_of_strings", {join({with_length(text("ab")), with_length(text("cde"))}), with_length(with_length(text("f")))});
  // What is missing of a string is found missing where the input ends, or where it was to be skipped.
  const Bytes one = with_length(text("abc"));
  bad("length_cut", {3, 0, 0}, 0, 0);
  bad("string_cut", join({one, {4, 0, 0, 0}, text("abc")}), 8 * (one.size() + 7), 8 * (one.size() + 4));
  bad("string_missing", {1, 0, 0, 0}, 32, 32);
  bad("length_behind_a_string", join({one, {0, 0}}), 8 * one.size(), 8 * one.size());
  bad("largest_length", join({{0xff, 0xff, 0xff, 0xff}, text("abc")}), 8 * 7, 8 * 4);
}

// The same pages to Arrow's layout.
void arrow_strings(Writer& out) {
  const std::string codec = "parquet_strings";
  const auto good = [&](const std::string& name, std::initializer_list<Bytes> values) {
    const StringPage made(values);
    out.good(codec, name, made.page, made.all);
    out.further(codec, name, "offsets", join({little(0, 4), made.ends}));
  };
  good("no_strings", {});
  good("one_string", {text("abc")});
  good("example", {text("Hello"), text("World"), text("Foobar"), text("ABCDEF")});
  good("empty_strings", {{}, {}, {}});
  good("empty_between", {text("a"), {}, text("bc"), {}});
  good("longer_than_a_line", {Bytes(300, 'x'), text("y"), Bytes(1000, 'z'), prose()});
  good("zeros", {Bytes(64, 0), Bytes(5, 0), {}, Bytes(66, 0)});
  // Lengths are looked at before strings.
  const Bytes one = with_length(text("abc"));
  out.bad(codec, "length_cut", {3, 0, 0}, "end_of_input", 0);
  out.bad(codec, "string_cut", join({one, {4, 0, 0, 0}, text("abc")}), "end_of_input", 8 * (one.size() + 4));
  out.bad(codec, "length_behind_a_string", join({one, {0, 0}}), "end_of_input", 8 * one.size());
  out.bad(codec, "largest_length", join({{0xff, 0xff, 0xff, 0xff}, text("abc")}), "too_many_bytes", 32);
  out.bad(codec, "offsets_past_31_bits", join({one, {0xfd, 0xff, 0xff, 0x7f}}), "too_many_bytes", 8 * (one.size() + 4));
  out.bad(codec, "offsets_of_31_bits", join({one, {0xfc, 0xff, 0xff, 0x7f}}), "end_of_input", 8 * (one.size() + 4));
}

}  // namespace

void make_parquet(Writer& writer) {
  plain_numbers(writer);
  plain_booleans(writer);
  plain_strings(writer);
  arrow_strings(writer);
  delta_good(writer);
  delta_bad(writer);
  hybrid_good(writer);
  hybrid_bad(writer);
  levels(writer);
  split_bytes(writer);
  strings(writer);
  prefixed_strings(writer);
}

}  // namespace sluice::test::vectors
