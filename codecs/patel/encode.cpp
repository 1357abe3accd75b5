// The encoder of Patel's container. Layout: README.md.
#include <algorithm>
#include <array>

#include "codecs/patel/rotations.h"
#include "runtime/encode/bit_packer.h"
#include "runtime/encode/code_lengths.h"
#include "runtime/encode/encoder.h"

namespace sluice::encode {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kSymbolsPerArray = 4096;
constexpr unsigned kMaxBits = 15;
constexpr std::array kOptions{Option{"block_size", "uncompressed bytes of a block", 1 << 20, 1, 1 << 20}};

// The last column of the sorted rotations; `origin`: the row that the block itself stands in.
Bytes last_column(std::span<const std::uint8_t> block, std::size_t& origin) {
  const std::vector<std::uint32_t> rows = sorted_rotations(block);
  Bytes column;
  column.reserve(block.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r] == 0) origin = r;
    column.push_back(block[rows[r] == 0 ? block.size() - 1 : rows[r] - 1]);
  }
  return column;
}

// Each byte becomes its position in a list of all bytes, and moves to its front.
void move_to_front(Bytes& bytes) {
  std::array<std::uint8_t, 256> list{};
  for (unsigned i = 0; i < 256; ++i) list[i] = static_cast<std::uint8_t>(i);
  for (std::uint8_t& byte : bytes) {
    const auto at = std::find(list.begin(), list.end(), byte);
    byte = static_cast<std::uint8_t>(at - list.begin());
    std::rotate(list.begin(), at, at + 1);
  }
}

void put_block(Bytes& out, std::span<const std::uint8_t> block) {
  std::size_t origin = 0;
  Bytes symbols = last_column(block, origin);
  move_to_front(symbols);
  std::array<std::uint64_t, 256> counts{};
  for (const std::uint8_t s : symbols) ++counts[s];
  const Bytes lengths = code_lengths(counts, kMaxBits);
  const std::vector<std::uint32_t> codes = canonical_codes(lengths);

  Bytes arrays;
  std::vector<std::size_t> sizes;
  for (std::size_t first = 0; first < symbols.size(); first += kSymbolsPerArray) {
    const std::size_t start = arrays.size();
    MsbPacker bits(arrays);
    const auto part = std::span(symbols).subspan(first, std::min(kSymbolsPerArray, symbols.size() - first));
    for (const std::uint8_t s : part) bits.number(codes[s], lengths[s]);
    sizes.push_back(arrays.size() - start);
  }

  put_little(out, block.size(), 4);
  put_little(out, origin, 4);
  MsbPacker header(out);
  for (const std::uint8_t length : lengths) header.number(length, 4);
  for (const std::size_t size : sizes) put_little(out, size, 2);
  out.insert(out.end(), arrays.begin(), arrays.end());
}

Result<Bytes> encode(std::span<const std::uint8_t> in, const Settings& settings, const Progress& progress) {
  const std::size_t block_size = settings["block_size"];
  Bytes out;
  for (std::size_t done = 0; done < in.size();) {
    const auto block = in.subspan(done, std::min(block_size, in.size() - done));
    put_block(out, block);
    done += block.size();
    if (progress) progress(done);
  }
  return out;
}

}  // namespace

Encoder encoder_patel() { return {"patel", kOptions, encode}; }

}  // namespace sluice::encode
