// Encoders of Parquet's encodings for tests: whatever the layout allows, not what packs best.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace sluice::test {

// How a stream of DELTA_BINARY_PACKED is laid out.
struct DeltaLayout {
  unsigned bits = 64;        // of the stored type: 32 or 64
  unsigned block_size = 128;  // a multiple of 128
  unsigned miniblocks = 4;   // in a block; each holds a multiple of 32 values
  unsigned spare_width = 0;  // bits more than a miniblock needs, as far as the type has them
};

// The low `bits` of the values, packed with the least step of each block and the width each miniblock needs.
std::vector<std::uint8_t> encode_delta(std::span<const std::uint64_t> values, const DeltaLayout& layout);

// Runs of eight and more equal values, and groups of eight of the others, at most so many at a time. The low `width` bits
// of each value; the last group ends in zeros.
std::vector<std::uint8_t> encode_hybrid(std::span<const std::uint64_t> values, unsigned width, unsigned most_groups = 63);

// The first byte of every element of `size` bytes, then every second one, and so on. Elements are whole.
std::vector<std::uint8_t> split_bytes(std::span<const std::uint8_t> elements, unsigned size);

}  // namespace sluice::test
