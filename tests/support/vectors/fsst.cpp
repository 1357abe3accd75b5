// Vectors of FSST and of GSST's four layouts, with codes of 8 and of 12 bits; all by hand.
#include <numeric>

#include "tests/support/vectors/writer.h"

namespace sluice::test::vectors {
namespace {

std::uint64_t bits(const Bytes& data) { return 8 * data.size(); }

const std::string_view kText = "the cat sat on the mat!";  // 23 bytes, what every layout's first vector decodes to
constexpr std::uint8_t kEscape = 255;

// A block: its size, counting itself, and `body`.
Bytes block(const Bytes& body) { return join({big(body.size() + 3, 3), body}); }
Bytes sizes(std::initializer_list<std::uint64_t> values) {
  Bytes out;
  for (const std::uint64_t value : values) out = join({out, big(value, 3)});
  return out;
}

struct Marks {
  std::uint64_t version = 20190218;
  std::uint64_t byte_order = 1;
  std::uint64_t zero_terminated = 0;
};

// A table of 8-bit codes; `symbols` stand in the order of their codes.
Bytes table8(const std::vector<std::string_view>& symbols, const Marks& marks = {}) {
  Bytes histogram(8), all;
  for (const std::string_view symbol : symbols) {
    ++histogram[symbol.size() - 1];
    all = join({all, text(symbol)});
  }
  return join(
      {little(marks.byte_order, 4), little(marks.version, 4), little(marks.zero_terminated, 1), histogram, all});
}

// The same for 12-bit codes: a length in front of each symbol.
Bytes table12(const std::vector<std::string_view>& symbols, const Marks& marks = {}) {
  std::vector<unsigned> histogram(8);
  Bytes all;
  for (const std::string_view symbol : symbols) {
    ++histogram[symbol.size() - 1];
    all = join({all, {static_cast<std::uint8_t>(symbol.size())}, text(symbol)});
  }
  Bytes counts;
  for (const unsigned count : histogram) counts = join({counts, little(count, 2)});
  return join({little(marks.byte_order, 4), little(marks.version, 4), counts, all});
}

Bytes pack12(const std::vector<unsigned>& codes) {
  BitWriter out;
  for (const unsigned code : codes) out.bits(code, 12);
  return out.align().data();
}

const std::vector<std::string_view> kSymbols8{"at", "the ", " "};
const std::vector<std::string_view> kSymbols12{"at", "the ", " ", "c", "s", "o", "n", "m", "!", "e", "h", "t"};

// kText: "the " E c "at" " " E s "at" " " E o E n " " "the " E m "at" E !
const Bytes kCodes8{1, 255, 'c', 0, 2, 255, 's', 0, 2, 255, 'o', 255, 'n', 2, 1, 255, 'm', 0, 255, '!'};
const std::vector<unsigned> kCodes12{1, 3, 0, 2, 4, 0, 2, 5, 6, 2, 1, 7, 0, 8};

void strings8(Writer& out) {
  const Bytes table = table8(kSymbols8);
  const auto bad = [&](const char* name, const Bytes& in, const char* reason, std::uint64_t position) {
    out.bad("fsst_strings", name, in, reason, position);
  };
  out.good("fsst_strings", "example", join({table, kCodes8}), text(kText));
  out.good("fsst_strings", "no_symbols", table8({}), {});
  out.good(
      "fsst_strings", "sizes_2_to_8_then_1",
      join({table8({"ab", "cde", "fghi", "jklmn", "opqrst", "uvwxyz0", "12345678", "9"}), {7, 6, 5, 4, 3, 2, 1, 0}}),
      text("912345678uvwxyz0opqrstjklmnfghicdeab"));
  bad("no_input", {}, "end_of_input", 0);
  bad("version", table8({}, {.version = 20190219}), "unknown_version", 64);
  bad("byte_order", table8({}, {.byte_order = 0x1000000}), "wrong_byte_order", 64);
  bad("zero_terminated", table8({}, {.zero_terminated = 1}), "zero_terminated_mode", 72);
  bad("table_cut", Bytes(table.begin(), table.end() - 2), "end_of_input", bits(table) - 40);
  bad("escape_at_end", join({table, {2, kEscape}}), "end_of_input", bits(table) + 16);
  bad("code_without_symbol", join({table, {2, 3}}), "no_such_symbol", bits(table) + 16);
  Bytes overfull = table8({});
  overfull[9] = 255;
  overfull[10] = 1;  // one symbol of two bytes, which comes first
  bad("table_of_256", join({overfull, Bytes(2 + 255, 'a')}), "too_many_symbols", 17 * 8 + 16 + 254 * 8);
}

void plain8(Writer& out) {
  const Bytes table = table8(kSymbols8);
  const Bytes example = block(join({table, kCodes8}));
  out.good("fsst", "no_input", {}, {});
  out.good("fsst", "example", example, text(kText));
  out.good("fsst", "no_codes", block(table8({})), {});
  out.good("fsst", "no_symbols", block(join({table8({}), {255, 'a', 255, 255, 255, 0}})), {'a', 255, 0});
  out.good("fsst", "sizes_2_to_8_then_1",
           block(join({table8({"ab", "cde", "fghi", "jklmn", "opqrst", "uvwxyz0", "12345678", "9"}),
                       {0, 1, 2, 3, 4, 5, 6, 7}})),
           text("abcdefghijklmnopqrstuvwxyz0123456789"));
  out.good("fsst", "two_blocks", join({example, block(join({table8({"x"}), {0, 0}}))}),
           text("the cat sat on the mat!xx"));

  Bytes many(255);
  std::iota(many.begin(), many.end(), std::uint8_t{0});
  Bytes full_table = table8({});
  full_table[9] = 255;
  out.good("fsst", "table_of_255", block(join({full_table, many, {0, 254, 255, 255}})), {0, 254, 255});
  Bytes overfull = full_table;
  overfull[10] = 1;  // one symbol of two bytes, which comes first
  out.bad("fsst", "table_of_256", block(join({overfull, {'a', 'b'}, many})), "too_many_symbols",
          24 + 17 * 8 + 16 + 254 * 8);

  // Sizes before marks: the version stands behind them, so both are read when the first is judged.
  out.bad("fsst", "version", block(table8({}, {.version = 20190219})), "unknown_version", 24 + 64);
  out.bad("fsst", "byte_order", block(table8({}, {.byte_order = 0x1000000})), "wrong_byte_order", 24 + 64);
  out.bad("fsst", "zero_terminated", block(table8({}, {.zero_terminated = 1})), "zero_terminated_mode", 24 + 72);
  out.bad("fsst", "code_without_symbol", block(join({table, {2, 3}})), "no_such_symbol", 24 + bits(table) + 16);
  // The first block's table is not the second's.
  const Bytes forgotten = join({example, block(join({table8({"x"}), {0, 1}}))});
  out.bad("fsst", "symbol_of_the_block_before", forgotten, "no_such_symbol", bits(forgotten));
  out.bad("fsst", "escape_at_end", block(join({table, {2, kEscape}})), "end_of_input", 24 + bits(table) + 16);
  out.bad("fsst", "block_too_small", join({big(19, 3), Bytes(16)}), "block_too_small", 24);
  out.bad("fsst", "block_cut", join({big(example.size() + 1, 3), table, kCodes8}), "end_of_input", 24);
  out.bad("fsst", "size_cut", {0, 0}, "end_of_input", 0);
  out.bad("fsst", "table_cut", block(Bytes(table.begin(), table.end() - 2)), "end_of_input", 24 + bits(table) - 40);
}

void plain12(Writer& out) {
  const Bytes table = table12(kSymbols12);
  const Bytes example = block(join({table, pack12(kCodes12)}));
  const auto coded = [&](const Bytes& codes) { return block(join({table, codes})); };
  out.good("fsst12", "no_input", {}, {});
  out.good("fsst12", "example", example, text(kText));
  out.good("fsst12", "odd_number_of_codes", coded(pack12({1, 3, 0})), text("the cat"));
  out.good("fsst12", "no_codes", block(table12({})), {});
  out.good("fsst12", "two_blocks", join({example, block(join({table12({"x"}), pack12({0, 0})}))}),
           text("the cat sat on the mat!xx"));

  out.bad("fsst12", "version", block(table12({}, {.version = 1})), "unknown_version", 24 + 64);
  out.bad("fsst12", "byte_order", block(table12({}, {.byte_order = 0x1000000})), "wrong_byte_order", 24 + 64);
  Bytes many = table12({});
  many[8] = 1;
  many[9] = 16;  // 4097
  out.bad("fsst12", "table_of_4097", block(many), "too_many_symbols", 24 + bits(many));
  for (const int size : {0, 9}) {
    Bytes sized = table12({"a"});
    sized[24] = static_cast<std::uint8_t>(size);
    out.bad("fsst12", "symbol_of_" + std::to_string(size), block(join({sized, text("12345678")})), "bad_symbol_size",
            24 + 25 * 8);
  }
  out.bad("fsst12", "code_without_symbol", coded(pack12({11, 12})), "no_such_symbol", 24 + bits(table) + 24);
  const Bytes forgotten = join({example, block(join({table12({"x"}), pack12({1})}))});
  out.bad("fsst12", "symbol_of_the_block_before", forgotten, "no_such_symbol", bits(forgotten));
  out.bad("fsst12", "half_byte_set", coded({1, 0x10}), "bad_padding", 24 + bits(table) + 16);
  out.bad("fsst12", "code_cut", coded({1}), "end_of_input", 24 + bits(table));
  out.bad("fsst12", "block_too_small", join({big(26, 3), Bytes(23)}), "block_too_small", 24);
  out.bad("fsst12", "block_cut", join({big(example.size() + 1, 3), table, pack12(kCodes12)}), "end_of_input", 24);
}

// What is alike in the layouts of both code widths: `body` behind size and output size decodes to kText, and its codes
// end with one that makes one byte.
struct Layout {
  std::string codec;
  unsigned least;  // bytes of the smallest block
  Bytes body;
};

void common(Writer& out, const Layout& layout, bool splits) {
  const std::string& codec = layout.codec;
  const auto sized = [&](std::uint64_t outputs) { return block(join({big(outputs, 4), layout.body})); };
  const Bytes example = sized(kText.size());
  out.good(codec, "no_input", {}, {});
  out.good(codec, "example", example, text(kText));
  out.good(codec, "two_blocks", join({example, example}), text(std::string(kText) + std::string(kText)));
  out.bad(codec, "block_too_small", join({big(layout.least - 1, 3), Bytes(layout.least - 4)}), "block_too_small", 24);
  out.bad(codec, "block_cut", Bytes(example.begin(), example.end() - 1), "end_of_input", 24);
  if (splits) {
    Bytes none = example;
    none[7] = 0;
    out.bad(codec, "no_splits", none, "no_splits", 64);
  }
}

// `longer` makes one byte more than it should by its last code, `last` bits before its end.
void blocks(Writer& out, const std::string& codec, unsigned least, const Bytes& table, const Bytes& codes,
            const Bytes& longer, unsigned last) {
  const Bytes body = join({table, codes});
  common(out, {codec, least, body}, false);
  const auto sized = [&](std::uint64_t outputs, const Bytes& coded) {
    return block(join({big(outputs, 4), table, coded}));
  };
  const Bytes less = sized(kText.size() + 1, codes);
  out.bad(codec, "less_output_than_stated", less, "output_short", bits(less));
  const Bytes more = sized(kText.size(), longer);
  out.bad(codec, "more_output_than_stated", more, "output_full", bits(more) - last);
}

// Splits of 8 bytes of output.
void split8(Writer& out) {
  const Bytes table = table8(kSymbols8);
  const Bytes a{1, 255, 'c', 0, 2}, b{255, 's', 0, 2, 255, 'o', 255, 'n', 2, 255, 't'},
      c{255, 'h', 255, 'e', 2, 255, 'm', 0, 255, '!'};
  const auto body = [&](const Bytes& recorded, const Bytes& codes) { return join({{3}, recorded, table, codes}); };
  const Bytes codes = join({a, b, c});
  common(out, {"gsst_splits", 28, body(sizes({5, 11, 10}), codes)}, true);
  const auto sized = [&](const Bytes& recorded, const Bytes& coded) {
    return block(join({big(kText.size(), 4), body(recorded, coded)}));
  };
  const std::uint64_t first = 24 + 32 + 8 + 72 + bits(table);
  out.good("gsst_splits", "more_splits_than_bytes",
           block(join({big(2, 4), {4}, sizes({1, 1, 0, 0}), table8({"a", "b"}), {0, 1}})), text("ab"));
  out.bad("gsst_splits", "split_too_short", sized(sizes({4, 12, 10}), codes), "output_short", first + 32);
  out.bad("gsst_splits", "split_too_long", sized(sizes({7, 9, 10}), codes), "output_full", first + 48);
  out.bad("gsst_splits", "escape_across_splits", sized(sizes({6, 10, 10}), codes), "end_of_input", first + 48);
  out.bad("gsst_splits", "splits_too_large", sized(sizes({5, 11, 11}), codes), "end_of_input", first + 128);
  out.bad("gsst_splits", "codes_behind_splits", sized(sizes({5, 11, 10}), join({codes, {0}})), "bytes_left",
          first + 208);
}

// Code x of split n, from codes in the order of the splits.
template <class T>
std::vector<T> interleave(const std::vector<T>& codes, std::size_t splits) {
  std::vector<T> placed(codes.size());
  std::size_t at = 0;
  for (std::size_t n = 0; n < splits; ++n) {
    for (std::size_t place = n; place < codes.size(); place += splits) placed[place] = codes[at++];
  }
  return placed;
}

// More splits than a warp has lanes, each long enough for many tokens in a row; kText twice, spelled in different ways.
constexpr unsigned kMany = 37;
Bytes spelled8(unsigned n) {
  Bytes codes;
  for (unsigned i = 0; i < 2; ++i) {
    for (const std::uint8_t code : kCodes8) {
      const bool plain = codes.empty() || codes.back() != kEscape;
      const bool spell = plain && code == 1 && (n + i) % 3 == 0;  // "the " by escapes
      codes = join({codes, spell ? Bytes{255, 't', 255, 'h', 255, 'e', 2} : Bytes{code}});
    }
  }
  return codes;
}

void many_splits8(Writer& out) {
  const Bytes table = table8(kSymbols8);
  Bytes recorded, codes, made;
  std::uint64_t broken_at = 0;
  for (unsigned n = 0; n < kMany; ++n) {
    const Bytes split = spelled8(n);
    if (n == kMany - 2) broken_at = codes.size() + split.size() - 3;
    recorded = join({recorded, big(split.size(), 3)});
    codes = join({codes, split});
    made = join({made, text(kText), text(kText)});
  }
  const auto coded = [&](const Bytes& all) {
    return block(join({big(made.size(), 4), {kMany}, recorded, table, all}));
  };
  out.good("gsst_splits", "many_splits", coded(codes), made);
  Bytes broken = codes;
  broken[broken_at] = 77;  // and the split behind it has an error too, which nobody gets to see
  broken[codes.size() - 3] = 78;
  const std::uint64_t first = 24 + 32 + 8 + bits(recorded) + bits(table);
  out.bad("gsst_splits", "many_splits_two_broken", coded(broken), "no_such_symbol", first + 8 * (broken_at + 1));
}

// The same for splits of constant code count, and interleaved, where an escape may end a split.
void many_codes8(Writer& out) {
  const Bytes table = table8(kSymbols8);
  Bytes codes, made, recorded;
  for (unsigned n = 0; n < kMany; ++n) {
    codes = join({codes, kCodes8, kCodes8});
    made = join({made, text(kText), text(kText)});
    recorded = join({recorded, big(2 * kText.size(), 3)});
  }
  out.good("gsst_codes", "many_splits",
           block(join({big(made.size(), 4), {kMany}, big(2 * kCodes8.size(), 3), recorded, table, codes})), made);

  constexpr unsigned kRow = 71;  // splits of 20 or 21 codes
  Bytes outputs;
  std::size_t at = 0;
  bool escaped = false;
  for (unsigned n = 0; n < kRow; ++n) {
    std::uint64_t here = 0;
    for (std::size_t place = n; place < codes.size(); place += kRow, ++at) {
      const std::uint8_t code = codes[at];
      here += escaped ? 1 : code == kEscape ? 0 : kSymbols8[code].size();
      escaped = !escaped && code == kEscape;
    }
    outputs = join({outputs, big(here, 3)});
  }
  out.good("gsst_interleaved", "many_splits",
           block(join({big(made.size(), 4), {kRow}, outputs, table, interleave(codes, kRow)})), made);
}

void split12(Writer& out) {
  const Bytes table = table12(kSymbols12);
  const Bytes a = pack12({1, 3, 0, 2}), b = pack12({4, 0, 2, 5, 6, 2, 11}), c = pack12({10, 9, 2, 7, 0, 8});
  const auto body = [&](const Bytes& recorded, const Bytes& codes) { return join({{3}, recorded, table, codes}); };
  const Bytes codes = join({a, b, c});
  common(out, {"gsst12_splits", 35, body(sizes({6, 11, 9}), codes)}, true);
  const auto sized = [&](const Bytes& recorded, const Bytes& coded) {
    return block(join({big(kText.size(), 4), body(recorded, coded)}));
  };
  const std::uint64_t first = 24 + 32 + 8 + 72 + bits(table);
  out.bad("gsst12_splits", "split_too_short", sized(sizes({3, 14, 9}), codes), "output_short", first + 24);
  out.bad("gsst12_splits", "splits_too_large", sized(sizes({6, 11, 10}), codes), "end_of_input", first + 136);
  out.bad("gsst12_splits", "codes_behind_splits", sized(sizes({6, 11, 9}), join({codes, {0}})), "bytes_left",
          first + 208);
}

// Splits of 8 codes; the second one ends with filler, because an escape would be its last code.
void codes8(Writer& out) {
  const Bytes table = table8(kSymbols8);
  const Bytes codes{1, 255, 'c', 0, 2, 255, 's', 0, 2, 255, 'o', 255, 'n', 2, 1, 255, 255, 'm', 0, 255, '!'};
  const auto body = [&](unsigned each, const Bytes& recorded, const Bytes& coded) {
    return join({{3}, big(each, 3), recorded, table, coded});
  };
  constexpr std::uint64_t kFiller = 1 << 23;
  const Bytes recorded = sizes({11, 8 | kFiller, 4});
  common(out, {"gsst_codes", 31, body(8, recorded, codes)}, true);
  const auto sized = [&](const Bytes& all) { return block(join({big(kText.size(), 4), all})); };
  const std::uint64_t first = 24 + 32 + 8 + 24 + 72 + bits(table);
  out.good("gsst_codes", "more_splits_than_codes",
           block(join({big(2, 4), {3}, big(2, 3), sizes({2, 0, 0}), table8({"ab"}), {0}})), text("ab"));
  Bytes filled = codes;
  filled[15] = 2;
  out.bad("gsst_codes", "filler_is_a_code", sized(body(8, recorded, filled)), "bad_filler", first + 128);
  out.bad("gsst_codes", "no_room_for_filler", block(join({big(0, 4), {1}, big(8, 3), sizes({kFiller}), table})),
          "no_filler", 24 + 32 + 8 + 24 + 24 + bits(table));
  out.bad("gsst_codes", "escape_across_splits", sized(body(8, sizes({11, 8, 4}), kCodes8)), "end_of_input",
          first + 128);
  out.bad("gsst_codes", "outputs_too_few", sized(body(8, sizes({10, 8 | kFiller, 5}), codes)), "output_full",
          first + 64);
  out.bad("gsst_codes", "outputs_too_many", sized(body(8, sizes({12, 8 | kFiller, 3}), codes)), "output_short",
          first + 64);
  out.bad("gsst_codes", "codes_behind_splits", sized(body(8, recorded, join({codes, {0, 0, 0, 0}}))), "output_full",
          first + 176);
  out.bad("gsst_codes", "codes_behind_full_splits",
          sized(body(7, sizes({9, 6, 4}),
                     {1, 255, 'c', 0, 2, 255, 's', 0, 2, 255, 'o', 255, 'n', 2, 1, 0, 0, 0, 0, 0, 0, 0})),
          "output_full", first + 128);
}

void codes12(Writer& out) {
  const Bytes table = table12(kSymbols12);
  const auto body = [&](unsigned each, const Bytes& recorded, const Bytes& coded) {
    return join({{3}, big(each, 3), recorded, table, coded});
  };
  const Bytes codes = pack12(kCodes12);
  const Bytes recorded = sizes({11, 9, 3});
  const auto sized = [&](const Bytes& all) { return block(join({big(kText.size(), 4), all})); };
  const std::uint64_t first = 24 + 32 + 8 + 24 + 72 + bits(table);
  common(out, {"gsst12_codes", 38, body(6, recorded, codes)}, true);
  out.bad("gsst12_codes", "odd_code_count", sized(body(5, recorded, codes)), "odd_code_count", 24 + 32 + 8 + 24);
  out.bad("gsst12_codes", "outputs_too_many", sized(body(6, sizes({12, 8, 3}), codes)), "output_short", first + 72);
  out.bad("gsst12_codes", "outputs_too_few", sized(body(6, sizes({10, 10, 3}), codes)), "output_full", first + 72);
}

void interleaved8(Writer& out) {
  const Bytes table = table8(kSymbols8);
  const auto body = [&](const Bytes& recorded, const Bytes& coded) {
    return join({{static_cast<std::uint8_t>(recorded.size() / 3)}, recorded, table, coded});
  };
  const auto sized = [&](const Bytes& all) { return block(join({big(kText.size(), 4), all})); };
  // Splits of 5 codes; the second one ends with an escape whose byte begins the third.
  common(out, {"gsst_interleaved", 28, body(sizes({8, 4, 7, 4}), interleave(kCodes8, 4))}, true);
  out.good("gsst_interleaved", "last_row_short", sized(body(sizes({9, 6, 8}), interleave(kCodes8, 3))), text(kText));
  const Bytes wrong = sized(body(sizes({8, 5, 6, 4}), interleave(kCodes8, 4)));
  out.bad("gsst_interleaved", "outputs_too_many", wrong, "output_short", bits(wrong));
  const Bytes full = sized(body(sizes({7, 5, 7, 4}), interleave(kCodes8, 4)));
  out.bad("gsst_interleaved", "outputs_too_few", full, "output_full", bits(full));
  const Bytes open = block(join({big(2, 4), body(sizes({2}), {0, kEscape})}));
  out.bad("gsst_interleaved", "escape_at_end", open, "escape_without_byte", bits(open));
  const Bytes unknown = block(join({big(2, 4), body(sizes({2}), {9})}));
  out.bad("gsst_interleaved", "code_without_symbol", unknown, "no_such_symbol", bits(unknown));
}

void interleaved12(Writer& out) {
  const Bytes table = table12(kSymbols12);
  const auto body = [&](const Bytes& recorded, const Bytes& coded) {
    return join({{static_cast<std::uint8_t>(recorded.size() / 3)}, recorded, table, coded});
  };
  const auto sized = [&](const Bytes& all) { return block(join({big(kText.size(), 4), all})); };
  common(out, {"gsst12_interleaved", 35, body(sizes({8, 5, 6, 4}), pack12(interleave(kCodes12, 4)))}, true);
  out.good("gsst12_interleaved", "odd_number_of_codes",
           block(join({big(7, 4), body(sizes({5, 2}), pack12({1, 0, 3}))})), text("the cat"));
  const Bytes wrong = sized(body(sizes({9, 4, 6, 4}), pack12(interleave(kCodes12, 4))));
  out.bad("gsst12_interleaved", "outputs_too_many", wrong, "output_short", bits(wrong));
  const Bytes full = sized(body(sizes({7, 6, 6, 4}), pack12(interleave(kCodes12, 4))));
  out.bad("gsst12_interleaved", "outputs_too_few", full, "output_full", bits(full));
  const Bytes unknown = block(join({big(2, 4), body(sizes({2}), pack12({12}))}));
  out.bad("gsst12_interleaved", "code_without_symbol", unknown, "no_such_symbol", bits(unknown));
}

}  // namespace

void make_fsst(Writer& writer) {
  strings8(writer);
  plain8(writer);
  plain12(writer);
  blocks(writer, "gsst_blocks", 24, table8(kSymbols8), kCodes8, join({kCodes8, {255, 'x'}}), 8);
  split8(writer);
  many_splits8(writer);
  many_codes8(writer);
  codes8(writer);
  interleaved8(writer);
  std::vector<unsigned> longer = kCodes12;
  longer.push_back(8);
  blocks(writer, "gsst12_blocks", 31, table12(kSymbols12), pack12(kCodes12), pack12(longer), 0);
  split12(writer);
  codes12(writer);
  interleaved12(writer);
}

}  // namespace sluice::test::vectors
