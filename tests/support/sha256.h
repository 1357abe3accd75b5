// SHA-256, as the manifest of the test data states it.
#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace sluice::test {

// Lower-case hexadecimal SHA-256 of `data`.
std::string sha256_hex(std::span<const std::uint8_t> data);

}  // namespace sluice::test
