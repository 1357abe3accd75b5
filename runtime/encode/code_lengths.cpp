#include "runtime/encode/code_lengths.h"

#include <algorithm>
#include <cstddef>

namespace sluice::encode {
namespace {

// One level of the coin collector's problem: all leaves and the packages of the level below, by weight. Which item is a
// leaf is all that has to be kept: leaves stand in ascending order of weight on each level.
struct Level {
  std::vector<std::uint64_t> weights;
  std::vector<bool> leaf;
};

Level next_level(const std::vector<std::uint64_t>& leaves, const Level& below) {
  Level level;
  const std::size_t packages = below.weights.size() / 2;
  std::size_t l = 0;
  std::size_t p = 0;
  while (l < leaves.size() || p < packages) {
    const std::uint64_t package = p < packages ? below.weights[2 * p] + below.weights[2 * p + 1] : 0;
    const bool take_leaf = l < leaves.size() && (p == packages || leaves[l] <= package);
    level.weights.push_back(take_leaf ? leaves[l++] : package);
    level.leaf.push_back(take_leaf);
    if (!take_leaf) ++p;
  }
  return level;
}

}  // namespace

std::vector<std::uint8_t> code_lengths(std::span<const std::uint64_t> counts, unsigned limit) {
  std::vector<std::uint8_t> lengths(counts.size(), 0);
  std::vector<std::size_t> symbols;
  for (std::size_t s = 0; s < counts.size(); ++s) {
    if (counts[s] != 0) symbols.push_back(s);
  }
  if (symbols.size() == 1) lengths[symbols[0]] = 1;
  if (symbols.size() < 2) return lengths;
  std::stable_sort(symbols.begin(), symbols.end(), [&](std::size_t a, std::size_t b) { return counts[a] < counts[b]; });

  std::vector<std::uint64_t> leaves;
  for (const std::size_t s : symbols) leaves.push_back(counts[s]);
  std::vector<Level> levels;
  Level below;
  for (unsigned i = 0; i < limit; ++i) {
    levels.push_back(next_level(leaves, below));
    below = levels.back();
  }
  // 2n - 2 items of the last level pay for a complete code. Each package taken takes two items of the level below.
  std::size_t take = 2 * symbols.size() - 2;
  for (std::size_t i = levels.size(); i-- > 0;) {
    const auto leaf = levels[i].leaf.begin();
    const auto taken = static_cast<std::size_t>(std::count(leaf, leaf + static_cast<std::ptrdiff_t>(take), true));
    for (std::size_t k = 0; k < taken; ++k) ++lengths[symbols[k]];
    take = 2 * (take - taken);
  }
  return lengths;
}

std::vector<std::uint32_t> canonical_codes(std::span<const std::uint8_t> lengths) {
  std::vector<std::uint32_t> codes(lengths.size(), 0);
  const unsigned longest = lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
  std::uint32_t next = 0;
  for (unsigned length = 1; length <= longest; ++length) {
    next <<= 1;
    for (std::size_t s = 0; s < lengths.size(); ++s) {
      if (lengths[s] == length) codes[s] = next++;
    }
  }
  return codes;
}

}  // namespace sluice::encode
