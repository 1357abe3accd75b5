#pragma once
// The content hash of an artifact.
#include <cstdint>
#include <span>
#include <string>

#include "compiler/artifact/artifact.h"

namespace sluice::artifact {

// XXH3-128, most significant byte first, of `head` and then `payload`.
[[nodiscard]] std::array<std::uint8_t, kHashBytes> content_hash(std::span<const std::uint8_t> head,
                                                                std::span<const std::uint8_t> payload);

// The hash an artifact carries, in hexadecimal; empty when there are fewer bytes than a header has.
[[nodiscard]] std::string hash_text(std::span<const std::uint8_t> file);

}  // namespace sluice::artifact
