// Prefix codes for encoders: lengths within a limit, and the canonical codes that belong to them.
//
//   counts [5, 0, 1, 1], limit 15  ->  lengths [1, 0, 2, 2]  ->  codes 0, -, 10, 11
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace sluice::encode {

// Lengths of an optimal prefix code with no code longer than `limit` bits (package-merge: Larmore and Hirschberg 1990).
// A symbol that does not occur gets 0; one that is alone gets 1. `limit` is 1..32 and 2^limit is at least the number of
// symbols that occur. Equal counts are told apart by the symbol: the result depends on the arguments alone.
std::vector<std::uint8_t> code_lengths(std::span<const std::uint64_t> counts, unsigned limit);

// The canonical codes of these lengths (shorter first, then the smaller symbol), most significant bit first.
std::vector<std::uint32_t> canonical_codes(std::span<const std::uint8_t> lengths);

}  // namespace sluice::encode
