#include "runtime/cli/cuda_files.h"

#include <algorithm>
#include <utility>

namespace sluice::cli {
namespace {

// A device's memory is taken in full, so where the size can't be counted the first room is a guess, and each next one
// this much larger: what is decoded in vain is at most a fifteenth of what is decoded at last.
constexpr std::uint64_t kMinGuess = 1 << 20, kGuessedRatio = 8, kGrowth = 16;

// What counting found, else a guess. A count without enough room leaves the decode none: it finds the same.
std::vector<std::uint64_t> first_room(const cuda::Decoder& decoder, const Status& counted, std::size_t input, const Room& room) {
  const std::vector<std::uint64_t> sizes = element_sizes(decoder);
  if (decoder.countable() && counted.error != kNoRoom) return counted_bytes(counted, sizes, room);
  return std::vector<std::uint64_t>(sizes.size(), decoder.countable() ? 0 : std::min(room.bytes, std::max(kMinGuess, input * kGuessedRatio)));
}

}  // namespace

std::optional<std::vector<Decoded>> decode_all(const cuda::Decoder& decoder,
                                               std::span<const std::span<const std::uint8_t>> inputs,
                                               const Batch& batch, const Room& room, std::string& error) {
  std::vector<Status> counted(inputs.size()), statuses(inputs.size());
  if (decoder.countable()) {
    Batch counting = batch;
    counting.count_limit = room.bytes / std::ranges::min(element_sizes(decoder));
    error = decoder.decoded_sizes(inputs, counted, counting);
    if (!error.empty()) return std::nullopt;
  }
  std::vector<Decoded> decoded;
  std::vector<Chunk> chunks;
  std::vector<Rooms> rooms;
  const auto take = [&](std::span<const std::uint64_t> bytes) {
    auto made = Rooms::make(bytes, [](std::uint64_t size) { return Buffer::make(size); });
    if (!made) error = "not enough memory for the output";
    return made;
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    auto made = take(first_room(decoder, counted[i], inputs[i].size(), room));
    if (!made) return std::nullopt;
    rooms.push_back(std::move(*made));
    chunks.push_back(rooms.back().chunk(inputs[i]));
  }
  error = decoder.decode_batch(chunks, statuses, batch);
  if (!error.empty()) return std::nullopt;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::uint64_t bytes = rooms[i].smallest();
    decoded.push_back(std::move(rooms[i]).decoded(statuses[i]));
    if (decoder.countable()) continue;
    while (decoded[i].status.error == kNoRoom && bytes < room.bytes) {
      bytes = bytes > room.bytes / kGrowth ? room.bytes : bytes * kGrowth;
      auto again = take(std::vector<std::uint64_t>(1 + decoder.further_outputs().size(), bytes));
      if (!again) return std::nullopt;
      const Chunk chunk = again->chunk(inputs[i]);
      Status status;
      error = decoder.decode_batch({&chunk, 1}, {&status, 1}, batch);
      if (!error.empty()) return std::nullopt;  // too little memory on the device
      decoded[i] = std::move(*again).decoded(status);
    }
  }
  return decoded;
}

}  // namespace sluice::cli
