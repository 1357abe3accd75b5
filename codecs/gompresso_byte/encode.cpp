// The encoder of Gompresso/Byte. Layout: README.md.
#include <array>

#include "codecs/gompresso_byte/gompresso.h"

namespace sluice::encode {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint32_t kShortest = 4;  // a copy costs two bytes and half a token
constexpr std::array kOptions{
    gompresso::kBlockSize, gompresso::kWindow,      Option{"look_ahead", "longest copy", 64, kShortest, 65535},
    gompresso::kChain,     gompresso::kIndependent, gompresso::kStaleness};

// A count of 15 and more goes on in bytes of which only the last is not 255.
std::uint8_t nibble(std::uint32_t count) { return static_cast<std::uint8_t>(std::min(count, 15u)); }

void put_extension(Bytes& out, std::uint32_t count) {
  if (count < 15) return;
  count -= 15;
  for (; count >= 255; count -= 255) out.push_back(255);
  out.push_back(static_cast<std::uint8_t>(count));
}

void put_sequences(Bytes& out, std::span<const std::uint8_t> block, std::span<const Sequence> sequences) {
  std::size_t position = 0;
  for (const Sequence& sequence : sequences) {
    // 0 says that there is no copy, so that lengths count from 4.
    const std::uint32_t copy = sequence.length == 0 ? 0 : sequence.length - (kShortest - 1);
    out.push_back(static_cast<std::uint8_t>(nibble(sequence.literals) << 4 | nibble(copy)));
    put_extension(out, sequence.literals);
    const auto literals = block.subspan(position, sequence.literals);
    out.insert(out.end(), literals.begin(), literals.end());
    if (copy != 0) {
      put_little(out, sequence.distance, 2);
      put_extension(out, copy);
    }
    position += sequence.literals + sequence.length;
  }
}

Result<Bytes> encode(std::span<const std::uint8_t> in, const Settings& settings, const Progress& progress) {
  const LzSettings lz = gompresso::lz_settings(settings, kShortest);
  Bytes out;
  gompresso::put_file_header(out, "GOBY", settings, in.size());
  gompresso::put_blocks(out, in, settings, progress, [&](std::span<const std::uint8_t> block, Bytes& body) {
    put_sequences(body, block, lz_sequences(block, lz));
  });
  return out;
}

}  // namespace

Encoder encoder_gompresso_byte() { return {"gompresso_byte", kOptions, encode}; }

}  // namespace sluice::encode
