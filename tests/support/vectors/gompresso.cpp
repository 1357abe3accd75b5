// Vectors of Gompresso/Byte and Gompresso/Bit (codecs/gompresso_byte/README.md, codecs/gompresso_bit/README.md), by
// hand.
#include <utility>

#include "tests/support/vectors/writer.h"

namespace sluice::test::vectors {
namespace {

std::uint64_t bits(const Bytes& data) { return 8 * data.size(); }

// The 22 bytes both formats start with; right by default.
struct Header {
  std::string_view magic = "GOBY";
  std::uint8_t version = 1, flags = 0;
  std::uint32_t window = 8192, longest = 64, block_size = 1 << 18;
  std::uint64_t total = 0;

  [[nodiscard]] Bytes data() const {
    return join({text(magic),
                 {version, flags},
                 little(window, 2),
                 little(longest, 2),
                 little(block_size, 4),
                 little(total, 8)});
  }
};

Header making(std::uint64_t total) {
  Header header;
  header.total = total;
  return header;
}

Bytes sized(const Bytes& body) { return join({little(body.size(), 4), body}); }

// Both halves of a token of Gompresso/Byte; copy lengths count from 4, 0 is no copy.
Bytes token(unsigned literals, unsigned copy) {
  return {static_cast<std::uint8_t>(literals << 4 | (copy == 0 ? 0 : copy - 3))};
}

Bytes repeat(const Bytes& what, std::size_t times) {
  Bytes out;
  for (std::size_t i = 0; i < times; ++i) out.insert(out.end(), what.begin(), what.end());
  return out;
}

// Four literals, eight bytes from four back, one literal.
Bytes small_body() { return join({token(4, 8), text("abcd"), little(4, 2), token(1, 0), text("!")}); }
Bytes small_output() { return text("abcdabcdabcd!"); }

void byte_headers(Writer& out) {
  const auto wrong = [&](const std::string& name, auto change, const std::string& reason, std::uint64_t position) {
    Header header = making(13);
    change(header);
    out.bad("gompresso_byte", name, join({header.data(), sized(small_body())}), reason, position);
  };
  wrong(
      "magic_wrong", [](Header& h) { h.magic = "GOBI"; }, "bad_magic", 32);
  wrong(
      "version_2", [](Header& h) { h.version = 2; }, "unknown_version", 40);
  wrong(
      "flag_2", [](Header& h) { h.flags = 2; }, "reserved_flag", 48);
  wrong(
      "window_0", [](Header& h) { h.window = 0; }, "bad_window", 64);
  wrong(
      "window_32769", [](Header& h) { h.window = 32769; }, "bad_window", 64);
  wrong(
      "block_size_0", [](Header& h) { h.block_size = 0; }, "bad_block_size", 112);
  wrong(
      "block_size_too_large", [](Header& h) { h.block_size = (1 << 20) + 1; }, "bad_block_size", 112);
  wrong(
      "file_too_large", [](Header& h) { h.total = (std::uint64_t{1} << 40) + 1; }, "file_too_large", 176);
  wrong(
      "second_block_missing",
      [](Header& h) {
        h.total = 14;
        h.block_size = 13;
      },
      "end_of_input", 176 + 32 + bits(small_body()));
}

void byte_copies(Writer& out) {
  const auto refused = [&](const std::string& name, const Header& header, const Bytes& body, const std::string& reason,
                           std::uint64_t into_body) {
    out.bad("gompresso_byte", name, join({header.data(), sized(body)}), reason, 208 + into_body);
  };
  Header narrow = making(13);
  narrow.window = 3;
  refused("copy_past_window", narrow, small_body(), "copy_past_window", 56);
  refused("distance_0", making(13), join({token(4, 8), text("abcd"), little(0, 2), token(1, 0), text("!")}),
          "bad_distance", 56);
  refused("distance_before_start", making(13), join({token(4, 8), text("abcd"), little(5, 2), token(1, 0), text("!")}),
          "bad_distance", 56);
  refused("output_short", making(14), small_body(), "output_short", bits(small_body()));
  refused("output_long", making(12), small_body(), "output_full", 64);
  refused("literals_cut", making(5), join({token(5, 0), text("abcd")}), "end_of_input", 40);
  refused("extension_cut", making(300), {0xf0, 255}, "end_of_input", 16);
  out.bad("gompresso_byte", "block_cut", join({making(13).data(), little(9, 4), text("abcd")}), "end_of_input", 208);
  out.bad("gompresso_byte", "trailing_byte", join({making(13).data(), sized(small_body()), {0}}), "trailing_bytes",
          208 + bits(small_body()));
}

// Groups of 32 sequences: the mark of the second is 32 + 3 bytes of output.
void byte_groups(Writer& out) {
  Header independent = making(44);
  independent.flags = 1;
  const Bytes first = join({token(4, 0), text("wxyz"), repeat(join({token(1, 0), text("-")}), 31)});
  const Bytes right = join({first, token(1, 8), text("a"), little(36, 2)});
  const Bytes expected = join({text("wxyz"), repeat(text("-"), 31), text("a"), text("wxyz----")});
  out.good("gompresso_byte", "independent", join({independent.data(), sized(right)}), expected);
  // One byte further, the source would end with the first byte of its own group: 9 bytes from 9 back.
  const Bytes near_mark = join({first, token(1, 8), text("a"), little(9, 2)});
  out.good("gompresso_byte", "independent_up_to_the_mark", join({independent.data(), sized(near_mark)}),
           join({text("wxyz"), repeat(text("-"), 31), text("a"), text("--------")}));
  const Bytes above = join({first, token(1, 8), text("a"), little(8, 2)});
  out.bad("gompresso_byte", "dependent_copy", join({independent.data(), sized(above)}), "dependent_copy",
          208 + bits(first) + 32);
  out.good("gompresso_byte", "dependent_copy_allowed", join({making(44).data(), sized(above)}),
           join({text("wxyz"), repeat(text("-"), 31), text("a"), text("-------a")}));
}

// ---- Gompresso/Bit: codes of two bits for '!', 'a', 'b' and symbol 261 (length 7), of one bit for distance 2 -------

constexpr unsigned kLengthSymbol = 261;

struct BitBlock {
  unsigned sub_blocks = 1;
  unsigned width = 4;
  std::vector<unsigned> sizes{9};
  std::vector<unsigned> lengths = std::vector<unsigned>(316, 0);
  std::vector<std::pair<unsigned, unsigned>> tail{{0b01, 2}, {0b10, 2}, {0b11, 2}, {0, 1}, {0b00, 2}};  // a b copy !
  unsigned padding = 0;  // of the last byte

  BitBlock() {
    for (const unsigned symbol : {unsigned{'!'}, unsigned{'a'}, unsigned{'b'}, kLengthSymbol}) lengths[symbol] = 2;
    lengths[286 + 1] = 1;
  }

  [[nodiscard]] Bytes data() const {
    BitWriter body;
    body.bits(sub_blocks, 16).bits(width, 5);
    for (const unsigned length : lengths) body.bits(length, 4);
    for (const unsigned size : sizes) body.bits(size, width);
    for (const auto& [value, count] : tail) body.code(value, count);
    if (padding != 0) body.bits(padding, static_cast<unsigned>(8 - body.position() % 8));
    return sized(body.align().data());
  }
};

Bytes bit_header(std::uint64_t total, unsigned per_sub_block = 16, unsigned limit = 10, Header header = {}) {
  header.magic = "GOBI";
  header.total = total;
  return join({header.data(), little(per_sub_block, 1), little(limit, 1)});
}

constexpr std::uint64_t kBody = 192 + 32;           // first bit of the first block's body
constexpr std::uint64_t kLengths = kBody + 21;
constexpr std::uint64_t kSizes = kLengths + 316 * 4;
constexpr std::uint64_t kCodes = kSizes + 4;  // with one size of four bits

void bit_headers(Writer& out) {
  const Bytes block = BitBlock().data();
  const auto wrong = [&](const std::string& name, const Bytes& header, const std::string& reason,
                         std::uint64_t position) {
    out.bad("gompresso_bit", name, join({header, block}), reason, position);
  };
  const auto changed = [](auto change) {
    Header header;
    change(header);
    return bit_header(10, 16, 10, header);
  };
  Bytes magic = bit_header(10);
  magic[3] = 'Y';
  wrong("magic_wrong", magic, "bad_magic", 32);
  wrong("version_0", changed([](Header& h) { h.version = 0; }), "unknown_version", 40);
  wrong("flag_2", changed([](Header& h) { h.flags = 2; }), "reserved_flag", 48);
  wrong("window_0", changed([](Header& h) { h.window = 0; }), "bad_window", 64);
  wrong("block_size_0", changed([](Header& h) { h.block_size = 0; }), "bad_block_size", 112);
  wrong("file_too_large", bit_header((std::uint64_t{1} << 40) + 1), "file_too_large", 176);
  wrong("sub_block_0", bit_header(10, 0), "bad_sub_block", 184);
  wrong("sub_block_33", bit_header(10, 33), "bad_sub_block", 184);
  wrong("code_limit_0", bit_header(10, 16, 0), "bad_code_limit", 192);
  wrong("code_limit_11", bit_header(10, 16, 11), "bad_code_limit", 192);
  wrong("output_short", bit_header(11), "output_short", 192 + bits(block));
}

void bit_blocks(Writer& out) {
  const auto wrong = [&](const std::string& name, auto change, const std::string& reason, std::uint64_t position) {
    BitBlock block;
    change(block);
    out.bad("gompresso_bit", name, join({bit_header(10), block.data()}), reason, position);
  };
  wrong(
      "size_width_25", [](BitBlock& b) { b.width = 25; }, "bad_size_width", kBody + 21);
  wrong(
      "length_11", [](BitBlock& b) { b.lengths[0] = 11; }, "bad_code_length", kLengths + 4);
  wrong(
      "litlen_oversubscribed", [](BitBlock& b) { b.lengths[0] = 2; }, "oversubscribed", kSizes);
  wrong(
      "litlen_incomplete", [](BitBlock& b) { b.lengths['a'] = 3; }, "incomplete", kSizes);
  wrong(
      "dist_oversubscribed", [](BitBlock& b) { b.lengths[286] = b.lengths[287] = b.lengths[288] = 1; },
      "oversubscribed", kSizes);
  wrong(
      "unused_distance_code",
      [](BitBlock& b) {
        b.tail[3] = {1, 1};
      },
      "end_of_input", kCodes + 6);
  wrong(
      "sub_block_one_bit_longer", [](BitBlock& b) { b.sizes[0] = 10; }, "end_of_input", kCodes + 9);
  wrong(
      "sub_block_one_bit_shorter", [](BitBlock& b) { b.sizes[0] = 8; }, "end_of_input", kCodes + 7);
  wrong(
      "padding_not_zero", [](BitBlock& b) { b.padding = 1; }, "padding_not_zero", kCodes + 9);
  wrong(
      "short_sub_block",
      [](BitBlock& b) {
        b.sub_blocks = 2;
        b.sizes = {7, 2};
      },
      "short_sub_block", kCodes + 4 + 7);
}

void bit_copies(Writer& out) {
  const auto with = [](auto change) {
    Header header;
    change(header);
    return bit_header(10, 16, 10, header);
  };
  const Bytes block = BitBlock().data();
  out.bad("gompresso_bit", "copy_past_window", join({with([](Header& h) { h.window = 1; }), block}), "copy_past_window",
          kCodes + 7);
  out.bad("gompresso_bit", "copy_too_long", join({with([](Header& h) { h.longest = 6; }), block}), "copy_too_long",
          kCodes + 7);
  out.bad("gompresso_bit", "dependent_copy", join({with([](Header& h) { h.flags = 1; }), block}), "dependent_copy",
          kCodes + 7);
  BitBlock far;
  std::swap(far.lengths[286 + 1], far.lengths[286 + 2]);
  out.bad("gompresso_bit", "distance_before_start", join({bit_header(10), far.data()}), "bad_distance", kCodes + 7);
  out.bad("gompresso_bit", "long_sub_block", join({bit_header(10, 1), block}), "long_sub_block", kCodes + 7);
  out.bad("gompresso_bit", "trailing_byte", join({bit_header(10), block, {0}}), "trailing_bytes", 192 + bits(block));
}

}  // namespace

void make_gompresso_byte(Writer& out) {
  const Bytes small = join({making(13).data(), sized(small_body())});
  out.good("gompresso_byte", "empty", making(0).data(), {});
  out.good("gompresso_byte", "small", small, small_output());
  Header blocks = making(26);
  blocks.block_size = 13;
  out.good("gompresso_byte", "two_blocks", join({blocks.data(), sized(small_body()), sized(small_body())}),
           repeat(small_output(), 2));
  out.bad("gompresso_byte", "copy_into_block_before",
          join({blocks.data(), sized(small_body()), sized(join({token(1, 12), text("?"), little(2, 2)}))}),
          "bad_distance", 208 + bits(small_body()) + 32 + 32);
  // 20 literals, then 64 bytes from 20 back: nibbles of 15 with an extension each.
  out.good("gompresso_byte", "extensions",
           join({making(84).data(), sized(join({{0xff, 5}, text("twenty literals here"), little(20, 2), {46}}))}),
           join({repeat(text("twenty literals here"), 4), text("twen")}));
  Header longest = making(13);
  longest.longest = 7;
  out.bad("gompresso_byte", "copy_too_long", join({longest.data(), sized(small_body())}), "copy_too_long", 208 + 56);
  byte_headers(out);
  byte_copies(out);
  byte_groups(out);
}

void make_gompresso_bit(Writer& out) {
  const Bytes expected = text("ababababa!");
  out.good("gompresso_bit", "empty", bit_header(0), {});
  out.good("gompresso_bit", "small", join({bit_header(10), BitBlock().data()}), expected);
  // One sequence a sub-block; the second has literals only, and its copy is left out at the block's end.
  BitBlock two;
  two.sub_blocks = 2;
  two.width = 3;
  two.sizes = {7, 2};
  out.good("gompresso_bit", "two_sub_blocks", join({bit_header(10, 1), two.data()}), expected);
  // 33 sub-blocks of one sequence: "ab" and a copy, which reads what the sub-block before has made, the last one without
  // its literals. The sizes of 32 stand before the first, that of the last before it.
  BitBlock many;
  many.sub_blocks = 33;
  many.width = 3;
  many.sizes = std::vector<unsigned>(32, 7);
  many.tail.clear();
  for (unsigned n = 0; n < 32; ++n) many.tail.insert(many.tail.end(), {{0b01, 2}, {0b10, 2}, {0b11, 2}, {0, 1}});
  many.tail.insert(many.tail.end(), {{0b110, 3}, {0b11, 2}, {0, 1}});  // first bits first: a size of 3
  out.good("gompresso_bit", "33_sub_blocks", join({bit_header(32 * 9 + 7, 1), many.data()}),
           join({repeat(text("ababababa"), 32), text("bababab")}));
  // A block that ends in the sub-block before the last one of 32: each fits what is left, and their sum does not. What they
  // are is there, behind the block.
  Bytes cut = many.data();
  cut[0] = static_cast<std::uint8_t>(cut[0] - 3);
  out.bad("gompresso_bit", "sub_blocks_past_block", join({bit_header(32 * 9 + 7, 1), cut}), "end_of_input",
          kCodes - 4 + 32 * 3 + 30 * 7);
  // The same with symbol 256 in the place of the copy that is left out, and one in the middle.
  BitBlock closed;
  closed.lengths[256] = 2;
  closed.lengths['!'] = closed.lengths['a'] = 3;
  // Codes in order: 256 is 01, 261 is 10, b is 00, ! is 110, a is 111.
  closed.tail = {{0b111, 3}, {0b01, 2}, {0b00, 2}, {0b10, 2}, {0, 1}, {0b110, 3}, {0b01, 2}};
  closed.sizes = {15};
  out.good("gompresso_bit", "symbol_256", join({bit_header(10), closed.data()}), expected);
  BitBlock deep;
  deep.lengths['!'] = 1;
  deep.lengths['a'] = 2;
  // 'b' and 261 at 11 bits, the rest of the code in between: 3 + ... + 10 on unused symbols, complete.
  for (unsigned k = 0; k < 8; ++k) deep.lengths[k] = 3 + k;
  deep.lengths['b'] = deep.lengths[kLengthSymbol] = 11;
  deep.width = 6;
  deep.sizes = {2 + 11 + 11 + 1 + 1};
  deep.tail = {{0b10, 2}, {0b11111111110, 11}, {0b11111111111, 11}, {0, 1}, {0, 1}};
  out.good("gompresso_bit", "codes_of_11_bits", join({bit_header(10, 16, 11), deep.data()}), expected,
           {"max_bits=11", {}});
  bit_headers(out);
  bit_blocks(out);
  bit_copies(out);
}

}  // namespace sluice::test::vectors
