// What the encoders of Gompresso/Byte and Gompresso/Bit have in common: options, the file header, cutting into blocks.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "codecs/gompresso_byte/lz_sequences.h"
#include "runtime/encode/bit_packer.h"
#include "runtime/encode/encoder.h"

namespace sluice::encode::gompresso {

// Names are those of the paper's section V where it has one; the defaults are its defaults.
inline constexpr Option kBlockSize{"block_size", "uncompressed bytes of a block", 256 << 10, 1, 1 << 20};
inline constexpr Option kWindow{"window", "largest distance of a copy", 8192, 1, 32768};
inline constexpr Option kChain{"chain", "candidates looked at for each match", 64, 1, 32768};
inline constexpr Option kIndependent{"independent", "1: dependency elimination", 0, 0, 1};
inline constexpr Option kStaleness{"staleness", "bytes before a candidate of dependency elimination is replaced", 1024,
                                   0, 32768};

inline LzSettings lz_settings(const Settings& settings, std::uint32_t shortest) {
  LzSettings lz;
  lz.window = static_cast<std::uint32_t>(settings[kWindow.name]);
  lz.shortest = shortest;
  lz.longest = static_cast<std::uint32_t>(settings["look_ahead"]);
  lz.chain = static_cast<std::uint32_t>(settings[kChain.name]);
  lz.independent = settings[kIndependent.name] != 0;
  lz.staleness = static_cast<std::uint32_t>(settings[kStaleness.name]);
  return lz;
}

// The 22 bytes that both formats start with (codecs/gompresso_byte/README.md).
inline void put_file_header(std::vector<std::uint8_t>& out, std::string_view magic, const Settings& settings,
                            std::size_t total) {
  for (const char c : magic) out.push_back(static_cast<std::uint8_t>(c));
  put_little(out, 1, 1);
  put_little(out, settings[kIndependent.name], 1);
  put_little(out, settings[kWindow.name], 2);
  put_little(out, settings["look_ahead"], 2);
  put_little(out, settings[kBlockSize.name], 4);
  put_little(out, total, 8);
}

// Appends each block of `in` as its size in the file and what `body(block, out)` appends.
template <typename Body>
void put_blocks(std::vector<std::uint8_t>& out, std::span<const std::uint8_t> in, const Settings& settings,
                const Progress& progress, Body body) {
  const std::size_t block_size = settings[kBlockSize.name];
  for (std::size_t done = 0; done < in.size();) {
    const std::span<const std::uint8_t> block = in.subspan(done, std::min(block_size, in.size() - done));
    const std::size_t size_at = out.size();
    put_little(out, 0, 4);
    body(block, out);
    const std::size_t body_size = out.size() - size_at - 4;
    for (unsigned i = 0; i < 4; ++i) out[size_at + i] = static_cast<std::uint8_t>(body_size >> (8 * i));
    done += block.size();
    if (progress) progress(done);
  }
}

}  // namespace sluice::encode::gompresso
