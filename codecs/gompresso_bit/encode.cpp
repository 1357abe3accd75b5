// The encoder of Gompresso/Bit. Layout: README.md.
#include <array>
#include <bit>

#include "codecs/gompresso_byte/gompresso.h"
#include "runtime/encode/code_lengths.h"

namespace sluice::encode {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint32_t kShortest = 3;
constexpr std::size_t kLitlenSymbols = 286;
constexpr std::size_t kDistanceSymbols = 30;
constexpr std::uint32_t kNoCopy = 256;
constexpr std::size_t kMaxSubBlocks = 65535;   // of 16 bits
constexpr std::size_t kSubBlocksPerGroup = 32;  // the spec's
// 286 symbols need codes of 9 bits.
constexpr std::array kOptions{gompresso::kBlockSize,
                              gompresso::kWindow,
                              Option{"look_ahead", "longest copy", 64, kShortest, 258},
                              gompresso::kChain,
                              gompresso::kIndependent,
                              gompresso::kStaleness,
                              Option{"sub_block", "sequences of a sub-block", 32, 1, 32},
                              Option{"max_bits", "longest code", 10, 9, 15, true}};

// A value as a symbol and the bits behind it: Deflate's tables (RFC 1951, 3.2.5), computed.
struct Coded {
  std::uint32_t symbol = 0;
  std::uint32_t extra = 0;
  unsigned extra_bits = 0;
};

// Intervals of 2^k values, 2^steps of them of each size once the first 2^(steps+1) values have had one each.
Coded interval(std::uint32_t value, unsigned steps) {
  if (value < 2u << steps) return {value, 0, 0};
  const auto bits = static_cast<unsigned>(std::bit_width(value)) - 1 - steps;
  return {(bits << steps) + (value >> bits), value & ((1u << bits) - 1), bits};
}

Coded coded_length(std::uint32_t length) {
  if (length == 258) return {285, 0, 0};
  Coded coded = interval(length - 3, 2);
  coded.symbol += kNoCopy + 1;
  return coded;
}

Coded coded_distance(std::uint32_t distance) { return interval(distance - 1, 1); }

struct Code {
  Bytes lengths;
  std::vector<std::uint32_t> codes;
};

Code make_code(std::span<const std::uint64_t> counts, unsigned limit) {
  Code code{code_lengths(counts, limit), {}};
  code.codes = canonical_codes(code.lengths);
  return code;
}

// Calls literal(byte), copy(length, distance) or nothing_copied() for all of the sequences, in order.
template <typename Literal, typename Copy, typename Nothing>
void walk(std::span<const std::uint8_t> block, std::size_t& position, std::span<const Sequence> sequences,
          Literal literal, Copy copy, Nothing nothing_copied) {
  for (const Sequence& sequence : sequences) {
    for (std::uint32_t i = 0; i < sequence.literals; ++i) literal(block[position + i]);
    if (sequence.length != 0) {
      copy(coded_length(sequence.length), coded_distance(sequence.distance));
    } else {
      nothing_copied();
    }
    position += sequence.literals + sequence.length;
  }
}

struct Codes {
  Code litlen, distance;
};

Codes codes_of(std::span<const std::uint8_t> block, std::span<const Sequence> sequences, unsigned limit) {
  std::array<std::uint64_t, kLitlenSymbols> litlen{};
  std::array<std::uint64_t, kDistanceSymbols> distance{};
  std::size_t position = 0;
  walk(
      block, position, sequences, [&](std::uint8_t byte) { ++litlen[byte]; },
      [&](const Coded& length, const Coded& far) {
        ++litlen[length.symbol];
        ++distance[far.symbol];
      },
      [&] { ++litlen[kNoCopy]; });
  return {make_code(litlen, limit), make_code(distance, limit)};
}

void put_symbol(LsbPacker& out, const Code& code, std::uint32_t symbol) {
  out.code(code.codes[symbol], code.lengths[symbol]);
}

void put_coded(LsbPacker& out, const Code& code, const Coded& coded) {
  put_symbol(out, code, coded.symbol);
  out.number(coded.extra, coded.extra_bits);
}

// One sub-block: so many sequences, which begin at `position`.
void put_sub_block(LsbPacker& out, std::span<const std::uint8_t> block, std::size_t& position,
                   std::span<const Sequence> sequences, const Codes& codes) {
  walk(
      block, position, sequences, [&](std::uint8_t byte) { put_symbol(out, codes.litlen, byte); },
      [&](const Coded& length, const Coded& far) {
        put_coded(out, codes.litlen, length);
        put_coded(out, codes.distance, far);
      },
      [&] { put_symbol(out, codes.litlen, kNoCopy); });
}

// What the sub-blocks take, in bits: their sizes stand before them, so they are written twice.
std::vector<std::uint64_t> sub_block_sizes(std::span<const std::uint8_t> block,
                                           std::span<const std::span<const Sequence>> parts, const Codes& codes) {
  Bytes scratch;
  LsbPacker measured(scratch);
  std::vector<std::uint64_t> sizes;
  std::size_t position = 0;
  for (const auto& part : parts) {
    const std::uint64_t start = measured.written();
    put_sub_block(measured, block, position, part, codes);
    sizes.push_back(measured.written() - start);
  }
  return sizes;
}

void put_block(Bytes& out, std::span<const std::uint8_t> block, const Settings& settings) {
  LzSettings lz = gompresso::lz_settings(settings, kShortest);
  lz.group = static_cast<std::uint32_t>(settings["sub_block"]);
  const std::vector<Sequence> sequences = lz_sequences(block, lz);
  const Codes codes = codes_of(block, sequences, static_cast<unsigned>(settings["max_bits"]));
  std::vector<std::span<const Sequence>> parts;
  for (std::span<const Sequence> left = sequences; !left.empty(); left = left.subspan(parts.back().size()))
    parts.push_back(left.first(std::min<std::size_t>(left.size(), settings["sub_block"])));
  const auto sizes = sub_block_sizes(block, parts, codes);
  const auto width = static_cast<unsigned>(std::bit_width(*std::max_element(sizes.begin(), sizes.end())));
  put_little(out, sizes.size(), 2);
  LsbPacker bits(out);
  bits.number(width, 5);
  for (const std::uint8_t length : codes.litlen.lengths) bits.number(length, 4);
  for (const std::uint8_t length : codes.distance.lengths) bits.number(length, 4);
  std::size_t position = 0;
  for (std::size_t first = 0; first < parts.size(); first += kSubBlocksPerGroup) {
    const std::size_t end = std::min(parts.size(), first + kSubBlocksPerGroup);
    for (std::size_t n = first; n < end; ++n) bits.number(sizes[n], width);
    for (std::size_t n = first; n < end; ++n) put_sub_block(bits, block, position, parts[n], codes);
  }
}

Result<Bytes> encode(std::span<const std::uint8_t> in, const Settings& settings, const Progress& progress) {
  // A sequence has three bytes or, where dependency elimination gives them away empty, is paid for by one.
  const std::size_t fewest = settings["independent"] != 0 ? 1 : kShortest;
  const std::size_t largest_block = std::min<std::size_t>(settings["block_size"], in.size());
  if (largest_block / (fewest * settings["sub_block"]) > kMaxSubBlocks) {
    return Error{Error::Kind::Usage,
                 "a block could have more than 65535 sub-blocks: make block_size smaller or sub_block larger",
                 {}};
  }
  Bytes out;
  gompresso::put_file_header(out, "GOBI", settings, in.size());
  put_little(out, settings["sub_block"], 1);
  put_little(out, settings["max_bits"], 1);
  gompresso::put_blocks(out, in, settings, progress,
                        [&](std::span<const std::uint8_t> block, Bytes& body) { put_block(body, block, settings); });
  return out;
}

}  // namespace

Encoder encoder_gompresso_bit() { return {"gompresso_bit", kOptions, encode}; }

}  // namespace sluice::encode
