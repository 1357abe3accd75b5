// Vectors of bzip2: blocks laid out by hand.
#include "tests/support/control.h"
#include "tests/support/vectors/bzip2_block.h"

namespace sluice::test::vectors {
namespace {

constexpr unsigned kLevel = 1;
constexpr std::uint64_t kFirstBlock = 4 * 8;  // bit position after the header

// A stream of one block, with the places of its parts.
struct One {
  Bytes data;
  Bzip2Places at;
};

One one(const Bzip2Block& block) {
  MsbWriter out;
  write_header(out, kLevel);
  const Bzip2Places at = write_block(out, block);
  write_end(out, block.crc);
  return {out.data(), at};
}

Bytes stream(const Bytes& raw) { return one(Bzip2Block::of(raw)).data; }

Bytes repeated(const Bytes& part, unsigned times) {
  Bytes out;
  for (unsigned i = 0; i < times; ++i) out.insert(out.end(), part.begin(), part.end());
  return out;
}

Bytes run(char value, std::size_t count) { return Bytes(count, static_cast<std::uint8_t>(value)); }

void good_blocks(Writer& out) {
  out.good("bzip2", "one_byte", stream(text("a")), text("a"));
  out.good("bzip2", "bananas", stream(text("bananas")), text("bananas"));
  out.good("bzip2", "libbz2_prose", *control_compress("bzip2", prose(), 9), prose());
  // Every boundary of a run: 3, 4 with the count 0, 5, 4 with the count 255, one more.
  const Bytes runs = join({run('a', 3), run('b', 4), run('c', 5), run('d', 259), run('e', 260), run('f', 1)});
  out.good("bzip2", "runs", stream(runs), runs);
  const Bytes all = join({prose(), prose(), text("0123456789"), prose()});
  out.good("bzip2", "six_codes_in_turn", one(Bzip2Block::of(all, 6)).data, all);
  Bzip2Block many = Bzip2Block::of(text("selectors to spare"));
  many.selectors.insert(many.selectors.end(), 20, 1);
  out.good("bzip2", "selectors_left_over", one(many).data, text("selectors to spare"));
  Bzip2Block gaps = Bzip2Block::of(text("abba"));
  for (auto& lengths : gaps.lengths) lengths = {20, 3, 7, 3};
  out.good("bzip2", "code_with_gaps", one(gaps).data, text("abba"));
  // The rows of this column form two cycles; walking from row 0 stays in the first.
  Bzip2Block cycles = Bzip2Block::of_column(text("ab"), 0);
  cycles.crc = bzip2_crc(text("aa"));
  out.good("bzip2", "rows_in_two_cycles", one(cycles).data, text("aa"));
}

// The first bytes of a randomised block that have their lowest bit flipped. The distances begin with 619 and 720, and
// the first of them counts from two bytes before the block.
constexpr std::size_t kFlips[] = {619 - 2, 619 - 2 + 720};

void randomised(Writer& out) {
  const Bytes raw = repeated(text("Hard to sort. "), 100);
  Bytes flipped = raw;
  for (const std::size_t at : kFlips) flipped[at] ^= 1;
  Bzip2Block block = Bzip2Block::of_text(flipped);
  block.crc = bzip2_crc(raw);
  block.randomised = true;
  out.good("bzip2", "randomised", one(block).data, raw);
}

void streams(Writer& out) {
  const Bytes first = text("first stream, ");
  const Bytes second = text("second stream");
  const Bytes empty = bzip2_stream(9, {});
  out.good("bzip2", "no_blocks", empty, {});
  out.good("bzip2", "three_streams_one_empty", join({stream(first), empty, stream(second)}), join({first, second}));
  const Bzip2Block blocks[] = {Bzip2Block::of(first), Bzip2Block::of(second)};
  const Bytes two = bzip2_stream(kLevel, blocks);
  out.good("bzip2", "two_blocks", two, join({first, second}));
  out.good("bzip2", "garbage_ignored", join({two, text("BZip")}), join({first, second}));
  out.good("bzip2", "one_byte_of_garbage", join({two, text("?")}), join({first, second}));
  out.good("bzip2", "header_of_level_0_is_garbage", join({two, text("BZh0")}), join({first, second}));
  out.bad("bzip2", "second_header_cut", join({two, text("BZ")}), "end_of_input", 8 * two.size());
  out.bad("bzip2", "second_stream_cut", join({two, text("BZh9")}), "end_of_input", 8 * two.size() + 32);
  const Writer::Extra strict{"ignore_garbage=false", {}};
  out.good("bzip2", "strict_two_streams", join({two, stream(first)}), join({first, second, first}), strict);
  out.bad("bzip2", "strict_garbage", join({two, text("garbage")}), "bad_magic", 8 * two.size() + 24, strict);
  out.bad("bzip2", "no_input", {}, "end_of_input", 0);
  out.bad("bzip2", "magic_wrong", text("BZip2"), "bad_magic", 24);
  out.bad("bzip2", "level_0", text("BZh0"), "bad_level", 32);
  Bytes wrong = stream(first);
  wrong[4] ^= 1;
  out.bad("bzip2", "block_magic_wrong", wrong, "bad_block_magic", kFirstBlock + 48);
  MsbWriter end;
  write_header(end, 9);
  write_end(end, 1);
  out.bad("bzip2", "stream_crc_wrong", end.data(), "bad_stream_crc", end.position());
}

void bad_tables(Writer& out) {
  const Bzip2Block right = Bzip2Block::of(text("bananas"));
  Bzip2Block block = right;
  block.used.reset();
  One made = one(block);
  out.bad("bzip2", "no_values", made.data, "no_values", made.at.used + 16);
  for (const unsigned tables : {1U, 7U}) {
    block = right;
    block.tables = tables;
    made = one(block);
    out.bad("bzip2", "table_count_" + std::to_string(tables), made.data, "bad_table_count", made.at.tables + 3);
  }
  block = right;
  block.selectors.clear();
  made = one(block);
  out.bad("bzip2", "no_selectors", made.data, "no_selectors", made.at.selectors);
  block = right;
  block.selectors = {0, 2};
  made = one(block);
  // Refused at the second of the two bits that lead to table 2 of 0..1, after the selector 0.
  out.bad("bzip2", "selector_of_no_table", made.data, "bad_selector", made.at.selectors + 1 + 2);
  for (const unsigned first : {0U, 21U}) {
    block = right;
    block.lengths[0][0] = first;
    made = one(block);
    out.bad("bzip2", "code_length_" + std::to_string(first), made.data, "bad_code_length", made.at.lengths + 5);
  }
  block = right;
  block.lengths[1] = std::vector<unsigned>(block.lengths[1].size(), 1);
  made = one(block);
  out.bad("bzip2", "code_oversubscribed", made.data, "oversubscribed", made.at.after_lengths[1]);
}

void bad_codes(Writer& out) {
  const Bytes raw = text("bananas");
  const Bzip2Block right = Bzip2Block::of(raw);
  // All symbols have 5 bits but one, so that 1s are no code; the second symbol is written with them.
  Bzip2Block block = Bzip2Block::of(text("abc"));
  block.lengths[0] = {5, 5, 5, 5, 1};
  MsbWriter bits;
  write_header(bits, kLevel);
  block.symbols = {0};
  const Bzip2Places at = write_block(bits, block);
  const std::uint64_t start = at.end;
  bits.bits(0xfffff, 20).bits(0, 4);
  out.bad("bzip2", "no_such_code", bits.data(), "no_such_code", start);

  // 120 symbols need three selectors.
  block = Bzip2Block::of(repeated(text("abcdefghijklmnopqrstuvwxyz"), 1));
  block.symbols.assign(120, 3);
  block.fit();
  block.selectors.pop_back();
  One made = one(block);
  out.bad("bzip2", "too_few_selectors", made.data, "too_few_selectors", made.at.codes + 50ULL * (block.lengths[0][3] + block.lengths[1][3]));

  // Zeros: 2^17 - 1 in 17 digits of 1, more than a block of level 1 holds; the 17th has 2^16.
  block = right;
  block.symbols.assign(17, 0);
  block.fit();
  made = one(block);
  out.bad("bzip2", "run_too_long", made.data, "block_too_large", made.at.end);
  // Two runs that fit alone, and the symbol between or the end that finds them too many: 65535 zeros each.
  std::vector<unsigned> twice(33, 0);
  twice[16] = 2;
  block.symbols = twice;
  block.symbols.push_back(2);
  block.fit();
  made = one(block);
  out.bad("bzip2", "block_too_large_at_value", made.data, "block_too_large", made.at.end);
  block.symbols.back() = static_cast<unsigned>(block.used.count()) + 1;
  block.fit();
  made = one(block);
  out.bad("bzip2", "block_too_large_at_end", made.data, "block_too_large", made.at.end);
  made = one(right);
  // Lengths are single bits, so the first bit that is missing is the place.
  const std::uint64_t size = made.at.codes / 8;
  out.bad("bzip2", "lengths_cut", Bytes(made.data.begin(), made.data.begin() + static_cast<std::ptrdiff_t>(size)), "end_of_input",
          8 * size);
}

void bad_text(Writer& out) {
  const Bzip2Block right = Bzip2Block::of(text("bananas"));
  Bzip2Block block = right;
  block.origin = 7;
  One made = one(block);
  out.bad("bzip2", "origin_past_the_end", made.data, "bad_origin", made.at.end);
  block = right;
  block.symbols = {right.symbols.back()};
  block.origin = 0;
  made = one(block);
  out.bad("bzip2", "no_text", made.data, "bad_origin", made.at.end);
  made = one(Bzip2Block::of_text(text("aaaa")));
  out.bad("bzip2", "run_without_count", made.data, "output_short", made.at.end);
  block = right;
  block.crc ^= 1;
  made = one(block);
  out.bad("bzip2", "block_crc_wrong", made.data, "bad_block_crc", made.at.end);
}

}  // namespace

void make_bzip2(Writer& writer) {
  good_blocks(writer);
  randomised(writer);
  streams(writer);
  bad_tables(writer);
  bad_codes(writer);
  bad_text(writer);
}

}  // namespace sluice::test::vectors
