// Vectors of Patel's container (codecs/patel/README.md), by hand.
#include "tests/support/vectors/bzip2_block.h"

namespace sluice::test::vectors {
namespace {

// "banana": the sorted rotations end in n n b a a a, the fourth is the text itself. In a list of all bytes n is at 110,
// then at 0; b is at 99, because n stands before it; a is at 99, because n and b do.
struct Block {
  std::uint32_t size = 6;
  std::uint32_t origin = 3;
  std::vector<std::pair<unsigned, unsigned>> lengths{{0, 1}, {99, 2}, {110, 2}};  // symbol, bits
  std::vector<unsigned> arrays{2};                                                // recorded bytes
  Bytes codes{0b1101'0100, 0};                                                    // 110 0 99 99 0 0

  [[nodiscard]] Bytes data() const {
    std::vector<unsigned> all(256, 0);
    for (const auto& [symbol, bits] : lengths) all[symbol] = bits;
    MsbWriter header;
    for (const unsigned bits : all) header.bits(bits, 4);
    Bytes sizes;
    for (const unsigned bytes : arrays) sizes = join({sizes, little(bytes, 2)});
    return join({little(size, 4), little(origin, 4), header.data(), sizes, codes});
  }
};

// Bit positions in a block.
constexpr std::uint64_t kAfterLengths = 64 + 256 * 4;
constexpr std::uint64_t kArray = kAfterLengths + 16;

void refused(Writer& out) {
  const auto wrong = [&](const std::string& name, auto change, const std::string& reason, std::uint64_t position) {
    Block block;
    change(block);
    out.bad("patel", name, block.data(), reason, position);
  };
  wrong(
      "size_0", [](Block& b) { b.size = 0; }, "bad_block_size", 32);
  wrong(
      "size_too_large", [](Block& b) { b.size = (1 << 20) + 1; }, "bad_block_size", 32);
  wrong(
      "origin_is_size", [](Block& b) { b.origin = 6; }, "bad_origin", 64);
  wrong(
      "oversubscribed",
      [](Block& b) {
        b.lengths.push_back({1, 1});
      },
      "oversubscribed", kAfterLengths);
  wrong(
      "incomplete", [](Block& b) { b.lengths[1].second = 3; }, "incomplete", kAfterLengths);
  wrong(
      "array_one_byte_longer", [](Block& b) { b.arrays[0] = 3; }, "end_of_input", kArray);
  wrong(
      "array_one_byte_shorter", [](Block& b) { b.arrays[0] = 1; }, "end_of_input", kArray + 8);
  wrong(
      "bytes_left_in_array",
      [](Block& b) {
        b.arrays[0] = 3;
        b.codes.push_back(0);
      },
      "bytes_left", kArray + 16);
  // The goal of 6 symbols is what ends the array, however much of it is left.
  wrong(
      "many_bytes_left_in_array",
      [](Block& b) {
        b.arrays[0] = 102;
        b.codes.insert(b.codes.end(), 100, 0);
      },
      "bytes_left", kArray + 16);
  wrong(
      "padding_not_zero", [](Block& b) { b.codes[1] = 1; }, "padding_not_zero", kArray + 9);
  Bytes cut = Block().data();
  cut.resize(100);
  out.bad("patel", "lengths_cut", cut, "end_of_input", 800);
  out.bad("patel", "byte_after_end", join({Block().data(), {0}}), "end_of_input", kArray + 16);
}

}  // namespace

void make_patel(Writer& out) {
  const Bytes banana = Block().data();
  out.good("patel", "empty", {}, {});
  out.good("patel", "small", banana, text("banana"));
  out.good("patel", "two_blocks", join({banana, banana}), text("bananabanana"));
  // Any row is some text: the sixth begins with the last n.
  Block rotated;
  rotated.origin = 5;
  out.good("patel", "another_row", rotated.data(), text("nanaba"));
  // Equal rotations: the permutation has three cycles. The last column b b b a a a is 98 0 0 98 0 0.
  Block equal;
  equal.origin = 0;
  equal.lengths = {{0, 1}, {98, 1}};
  equal.codes = {0b1001'0000};
  equal.arrays = {1};
  out.good("patel", "equal_rotations", equal.data(), text("ababab"));
  // One symbol: a code of one bit. 4097 times the byte 0, the last in an array of its own.
  Block lone;
  lone.size = 4097;
  lone.origin = 0;
  lone.lengths = {{0, 1}};
  lone.arrays = {512, 1};
  lone.codes = Bytes(513, 0);
  out.good("patel", "two_arrays", lone.data(), Bytes(4097, 0));
  Block unused = lone;
  unused.codes[512] = 0x80;
  out.bad("patel", "unused_code", unused.data(), "end_of_input", kAfterLengths + 32 + 512 * 8);
  refused(out);
}

}  // namespace sluice::test::vectors
