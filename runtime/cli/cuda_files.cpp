#include "runtime/cli/cuda_files.h"

#include <algorithm>
#include <utility>

namespace sluice::cli {
namespace {

// A device's memory is taken in full, so where the size can't be counted the first room is a guess, and each next one
// this much larger: what is decoded in vain is at most a fifteenth of what is decoded at last.
constexpr std::uint64_t kMinGuess = 1 << 20, kGuessedRatio = 8, kGrowth = 16;

// What counting found, else a guess. A count without enough room leaves the decode none: it finds the same.
std::uint64_t first_room(const cuda::Decoder& decoder, const Status& counted, std::size_t input, const Room& room) {
  if (decoder.countable()) return counted.error == kNoRoom ? 0 : counted.produced * decoder.output_element_bytes();
  return std::min(room.bytes, std::max(kMinGuess, input * kGuessedRatio));
}

}  // namespace

std::optional<std::vector<Decoded>> decode_all(const cuda::Decoder& decoder,
                                               std::span<const std::span<const std::uint8_t>> inputs,
                                               const Batch& batch, const Room& room, std::string& error) {
  std::vector<Status> counted(inputs.size()), statuses(inputs.size());
  if (decoder.countable()) {
    Batch counting = batch;
    counting.count_limit = room.bytes / decoder.output_element_bytes();
    error = decoder.decoded_sizes(inputs, counted, counting);
    if (!error.empty()) return std::nullopt;
  }
  std::vector<Decoded> decoded;
  std::vector<Chunk> chunks;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::uint64_t bytes = first_room(decoder, counted[i], inputs[i].size(), room);
    auto buffer = Buffer::make(bytes);
    if (!buffer) {
      error = "not enough memory for the output";
      return std::nullopt;
    }
    chunks.push_back({inputs[i], buffer->bytes().first(bytes)});
    decoded.push_back({{}, std::move(*buffer)});
  }
  error = decoder.decode_batch(chunks, statuses, batch);
  if (!error.empty()) return std::nullopt;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    decoded[i].status = statuses[i];
    if (decoder.countable()) continue;
    for (std::uint64_t bytes = chunks[i].out.size(); decoded[i].status.error == kNoRoom && bytes < room.bytes;) {
      bytes = bytes > room.bytes / kGrowth ? room.bytes : bytes * kGrowth;
      auto buffer = Buffer::make(bytes);
      if (!buffer) {
        error = "not enough memory for the output";
        return std::nullopt;
      }
      const Chunk chunk{inputs[i], buffer->bytes().first(bytes)};
      Status status;
      error = decoder.decode_batch({&chunk, 1}, {&status, 1}, batch);
      if (!error.empty()) return std::nullopt;  // too little memory on the device
      decoded[i] = {status, std::move(*buffer)};
    }
  }
  return decoded;
}

}  // namespace sluice::cli
