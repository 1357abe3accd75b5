#pragma once
// The checksums a format may ask for, over bytes at hand.
#include <cstdint>
#include <span>

#include "compiler/ir/ir.h"

namespace sluice::interp {

// Adler-32: RFC 1950 section 9. CRC-32: RFC 1952 section 8. CRC-32C: RFC 3720 appendix B.4 (Castagnoli polynomial).
// bzip2's CRC: the CRC-32 polynomial, most significant bit first. xxHash32 and xxHash64: their specification 0.1.1,
// seed 0. Sums of 32 bits stand in the low half.
std::uint64_t checksum(ir::Algo algo, std::span<const std::uint8_t> bytes);

}  // namespace sluice::interp
