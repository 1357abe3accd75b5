#pragma once
// GSST's layouts (Vonk: "GSST", thesis, chapter 4): what stands between a block's size and its codes, and in which
// order the codes stand. The READMEs of the codecs gsst_* state them byte by byte.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codecs/fsst/train.h"
#include "runtime/encode/encoder.h"

namespace sluice::encode::gsst {

enum class Layout : std::uint8_t {
  Blocks,       // output size only
  Splits,       // splits of constant output, their compressed sizes recorded
  Codes,        // splits of constant code count, their outputs recorded
  Interleaved,  // the same with code x of split n at n + x * splits
};

// What the spec of the interleaved layouts holds of one block: bytes of its codes.
constexpr std::size_t kInterleavedMost = 1'000'000;

// Options of the encoders: the sizes that the thesis' figures and measurements vary.
inline constexpr Option kBlockSize{"block_size", "bytes of input in a block", 262144, 1, 1 << 22};
inline constexpr Option kBlockOptions[] = {kBlockSize};
inline constexpr Option kSplitOptions[] = {kBlockSize, {"splits", "splits in a block", 32, 1, 255}};

// Encodes `in` in blocks of that layout.
Result<std::vector<std::uint8_t>> encode(Layout layout, const fsst::CodeSet& set, std::span<const std::uint8_t> in,
                                         const Settings& settings, const Progress& progress);

}  // namespace sluice::encode::gsst
