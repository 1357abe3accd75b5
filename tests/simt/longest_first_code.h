// Complete codes whose longest codes come first, by definition: numbers that rise from 0, longer codes first, among equals the smaller
// symbol first. What tests compare with, and write streams by.
#pragma once
#include <cstdint>
#include <random>
#include <vector>

namespace sluice::simt::test {

// Lengths of at most `symbols` symbols, all of which have a code: leaves of a tree, split at random.
inline std::vector<std::uint8_t> complete_lengths(std::mt19937& random, std::size_t symbols, unsigned max_bits) {
  std::vector<std::uint8_t> leaves{0};
  for (std::size_t tries = 8 * symbols; leaves.size() < symbols && tries > 0; --tries) {
    const std::size_t at = random() % 2 ? random() % leaves.size() : leaves.size() - 1;
    if (leaves[at] < max_bits) leaves.push_back(++leaves[at]);
  }
  return leaves;
}

// Their codes; of what has no length none.
inline std::vector<std::uint32_t> longest_first(const std::vector<std::uint8_t>& lengths, unsigned max_bits) {
  std::vector<std::uint32_t> codes(lengths.size());
  std::uint32_t number = 0;
  for (unsigned length = max_bits; length > 0; --length, number /= 2)
    for (std::size_t s = 0; s < lengths.size(); ++s)
      if (lengths[s] == length) codes[s] = number++;
  return codes;
}

}  // namespace sluice::simt::test
