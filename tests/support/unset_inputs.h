// Inputs for the specs in tests/support/specs, whose chunks may read what they never put there.
#pragma once
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace sluice::test {

// Zeros, ones, and noise of four densities, short and long, so that reads fail at codes, at the end of the input, and not
// at all. The first byte, which says what is built, takes all values.
inline std::vector<std::vector<std::uint8_t>> unset_inputs(std::size_t count) {
  constexpr std::size_t kLong = 600;
  std::mt19937 random(20261122);
  std::vector<std::vector<std::uint8_t>> inputs{{}};
  for (const int all : {0x00, 0xff}) inputs.emplace_back(kLong, static_cast<std::uint8_t>(all));
  while (inputs.size() < count) {
    const unsigned zeros = inputs.size() % 4;
    std::vector<std::uint8_t> bytes(inputs.size() % 3 == 0 ? kLong : random() % 40);
    for (std::uint8_t& byte : bytes) {
      byte = static_cast<std::uint8_t>(random());
      for (unsigned i = 0; i < zeros; ++i) byte &= static_cast<std::uint8_t>(random());
    }
    if (!bytes.empty()) bytes.front() = static_cast<std::uint8_t>(inputs.size());
    inputs.push_back(std::move(bytes));
  }
  return inputs;
}

}  // namespace sluice::test
