// Formats of our own, tests/support/specs: what a programmer would write by hand to decode them, and data to race on.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tests/bench/contest.h"

namespace sluice::bench {

// recent_pixels.sluice. Packed: an image of whole rows. Decoded: false when it is malformed or does not fill `place`.
Bytes pack_pixels(std::span<const std::uint8_t> image, std::uint16_t width);
bool pixels_decode(std::span<const std::uint8_t> in, std::span<std::uint8_t> place);

// xor_windows.sluice, of numbers as they lie in memory.
Bytes pack_windows(std::span<const std::uint8_t> numbers);
bool windows_decode(std::span<const std::uint8_t> in, std::span<std::uint8_t> place);

// seen_strings.sluice.
Bytes pack_strings(std::span<const std::uint8_t> text);
bool strings_decode(std::span<const std::uint8_t> in, std::span<std::uint8_t> place);

// Is it the name of such a format? Where its spec is, and what it is raced on: the same bytes each time.
[[nodiscard]] bool is_own_format(const std::string& codec);
[[nodiscard]] std::string own_spec(const std::string& codec);
[[nodiscard]] std::vector<Material> own_materials(const std::string& codec);

}  // namespace sluice::bench
