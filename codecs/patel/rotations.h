// The order of a block's rotations, for the Burrows-Wheeler transform.
//
//   "banana"  ->  5 3 1 0 4 2   (abanan anaban ananab banana nabana nanaba)
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace sluice::encode {

// Start of the smallest rotation, of the second smallest, and so on; equal rotations in no particular order, but always
// the same. At most 2^31 bytes. O(n log n) time (prefix doubling with counting sorts), 20 bytes of memory per byte.
std::vector<std::uint32_t> sorted_rotations(std::span<const std::uint8_t> block);

}  // namespace sluice::encode
