// Vectors of Zstandard's literals by themselves, by hand; the ones called libzstd are cut out of frames that it wrote.
#include <array>

#include "tests/support/control.h"
#include "tests/support/vectors/backward.h"

namespace sluice::test::vectors {
namespace {

std::uint64_t bits(const Bytes& data) { return 8 * data.size(); }

enum Kind : std::uint8_t { kRaw = 0, kRun = 1, kCoded = 2, kSameCode = 3 };

// Literals under a code: one stream, 10 bits for each of their two sizes.
Bytes coded(Kind kind, std::size_t count, const Bytes& content) { return join({little(kind | count << 4 | content.size() << 14, 3), content}); }
Bytes four(std::size_t count, const Bytes& content) { return join({little(kCoded | 1 << 2 | count << 4 | content.size() << 14, 3), content}); }

// Weights in four bits each, of 'a' and whatever comes before; the last symbol, 'b', has none.
Bytes weights(std::uint8_t of_a) {
  Bytes all(1 + 49, 0);
  all[0] = 127 + 98;
  all[49] = of_a;
  return all;
}

// The literals of the first block that libzstd makes of bytes that never repeat: all of the block but its last byte, no sequences.
Bytes libzstd_literals(const Bytes& raw) {
  const Bytes frame = *control_compress("zstd", raw, 1);
  const std::size_t header = 4 + 1 + (raw.size() < 256 ? 1 : 2), size = (frame[header] | frame[header + 1] << 8 | frame[header + 2] << 16) >> 3;
  const auto begin = frame.begin() + static_cast<std::ptrdiff_t>(header + 3);
  return {begin, begin + static_cast<std::ptrdiff_t>(size - 1)};
}

Bytes noise(std::size_t count, unsigned symbols) {
  Bytes out;
  std::uint32_t state = 1;
  while (out.size() < count) {
    state = state * 1664525 + 1013904223;
    out.push_back(static_cast<std::uint8_t>('!' + (state >> 16) % symbols * (state >> 27) / 32));
  }
  return out;
}

}  // namespace

void make_huff0(Writer& out) {
  out.good("huff0", "raw", join({{3 << 3}, text("abc")}), text("abc"));
  out.good("huff0", "raw_of_nothing", {0}, {});
  out.good("huff0", "raw_in_two_bytes", join({little(1 << 2 | 3 << 4, 2), text("abc")}), text("abc"));
  out.good("huff0", "raw_in_three_bytes", join({little(3 << 2 | 3 << 4, 3), text("abc")}), text("abc"));
  out.good("huff0", "run", {30 << 3 | kRun, 'x'}, Bytes(30, 'x'));
  // Weights 1 and 1 of 'a' and 'b' after 97 symbols without a code: a is 0, b is 1.
  const Bytes ab = Backward().take(0b01101, 5).data();
  out.good("huff0", "weights_of_four_bits", coded(kCoded, 5, join({weights(1), ab})), text("abbab"));
  const Bytes a = Backward().take(0, 2).data(), b = Backward().take(3, 2).data();
  out.good("huff0", "four_streams", four(8, join({weights(1), little(1, 2), little(1, 2), little(1, 2), a, b, a, b})), text("aabbaabb"));
  for (const std::size_t count : {200U, 500U, 3000U})
    out.good("huff0", "libzstd_" + std::to_string(count), libzstd_literals(noise(count, 48)), noise(count, 48));

  out.bad("huff0", "no_input", {}, "end_of_input", 0);
  out.bad("huff0", "raw_cut", join({{3 << 3}, text("ab")}), "end_of_input", 24);
  out.bad("huff0", "something_behind", join({{3 << 3}, text("abcd")}), "trailing_bytes", 32);
  constexpr std::uint64_t kTooMany = 131073;
  out.bad("huff0", "raw_too_many", little(3 << 2 | kTooMany << 4, 3), "too_many_literals", 24);
  out.bad("huff0", "coded_too_many", little(2 | 3 << 2 | kTooMany << 4 | 9ULL << 22, 5), "too_many_literals", 40);
  out.bad("huff0", "no_code_before", coded(kSameCode, 5, ab), "no_code_before", 24);
  const std::uint64_t stream = 24 + bits(weights(1));
  out.bad("huff0", "literals_left", coded(kCoded, 5, join({weights(1), Backward().take(0b011010, 6).data()})), "output_full", stream);
  out.bad("huff0", "literals_cut", coded(kCoded, 5, join({weights(1), Backward().take(0b0110, 4).data()})), "output_short", stream + 8);
  out.bad("huff0", "no_padding", coded(kCoded, 5, join({weights(1), {0}})), "bad_padding", stream + 8);
  // Of libzstd's frame the literals: behind 10 bytes of headers, and before the byte that says that there are no sequences.
  const Bytes no_padding(kStreamWithoutPadding.begin() + 10, kStreamWithoutPadding.end() - 1);
  out.bad("huff0", "no_padding_of_four_streams", no_padding, "bad_padding", 264);
  out.bad("huff0", "four_streams_of_five", four(5, join({weights(1), {1, 0, 1, 0, 1, 0, 1, 1, 1, 1}})), "too_few_literals", stream);
  out.bad("huff0", "four_streams_too_large", four(6, join({weights(1), {1, 0, 1, 0, 3, 0, 1, 1, 1, 1}})), "bad_stream_sizes", stream + 48);
  // All 32 states of the weights' code mean 0 and take no bits: they never end.
  const Bytes endless = join({{4}, little(31 << 4 | 1 << 9, 2), Backward().take(0, 10).data()});
  out.bad("huff0", "weights_without_end", coded(kCoded, 5, endless), "too_many_weights", 48);
  out.bad("huff0", "no_pair_of_longest_codes", coded(kCoded, 5, join({weights(2), ab})), "bad_weights", stream);
  out.bad("huff0", "weight_12", coded(kCoded, 5, join({weights(12), ab})), "bad_weight", stream);
  out.bad("huff0", "no_weights", coded(kCoded, 5, join({weights(0), ab})), "bad_weights", stream);
}

}  // namespace sluice::test::vectors
