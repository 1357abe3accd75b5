#pragma once
// Decoding whole files of unknown output size on a GPU.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/api/sluice_cuda.hpp"
#include "runtime/cli/decode_file.h"

namespace sluice::cli {

// As decode_all of decode_file.h: the sizes are found by counting where the format allows it, else by giving more room
// as long as the room is what lacks.
std::optional<std::vector<Decoded>> decode_all(const cuda::Decoder& decoder,
                                               std::span<const std::span<const std::uint8_t>> inputs,
                                               const Batch& batch, const Room& room, std::string& error);

}  // namespace sluice::cli
