// Cutting a block into sequences of literals and one copy, as Gompresso does (paper: section IV-B and figure 7).
//
//   "abcabcabcd", shortest 3  ->  {3 literals, copy distance 3 length 6}, {1 literal, no copy}
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace sluice::encode {

struct Sequence {
  std::uint32_t literals = 0;  // bytes taken as they are
  std::uint32_t length = 0;    // bytes copied after them; 0: no copy
  std::uint32_t distance = 0;
};

struct LzSettings {
  std::uint32_t window = 8192;  // largest distance
  std::uint32_t shortest = 3;   // 3 or 4
  std::uint32_t longest = 64;   // the paper's look-ahead
  std::uint32_t chain = 64;     // candidates looked at for each match
  // Dependency elimination: copies end at or before the output position at which their group of sequences started.
  bool independent = false;
  std::uint32_t group = 32;        // sequences that a warp decodes side by side
  std::uint32_t staleness = 1024;  // an old candidate is kept until it lies this far behind
};

// Greedy: the longest match, among equals the nearest. The block starts with an empty window.
//
// With `independent`, a group in which new content appears can't refer to it, and figure 7 has no way out: with no
// match below the mark the group never ends, and the first group of a block has no output before it at all. So literals
// that could have been copied without the mark are counted, and when they outweigh the sequences left in the group,
// these are given away empty, one byte each at most, and the mark moves up.
std::vector<Sequence> lz_sequences(std::span<const std::uint8_t> block, const LzSettings& settings);

}  // namespace sluice::encode
