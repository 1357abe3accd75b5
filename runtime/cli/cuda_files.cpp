#include "runtime/cli/cuda_files.h"

#include <algorithm>
#include <utility>

namespace sluice::cli {
namespace {

// Where the size can't be counted, or counting says that the data is refused, rooms of these sizes are tried in turn.
// Unlike a host's, a device's memory is taken in full, so note [roomy decode] holds here up to the last of them.
constexpr std::size_t kRooms[] = {std::size_t{1} << 20, std::size_t{16} << 20, std::size_t{256} << 20,
                                  std::size_t{4} << 30};
constexpr std::size_t kGuessedRatio = 8;

// Decodes one input with room for `bytes`. Nothing when the call fails.
std::optional<Decoded> decode_one(const cuda::Decoder& decoder, std::span<const std::uint8_t> input,
                                  std::uint64_t bytes, const Batch& batch) {
  auto buffer = Buffer::make(bytes);
  if (!buffer) return std::nullopt;
  const Chunk chunk{input, buffer->bytes()};
  Status status;
  if (!decoder.decode_batch({&chunk, 1}, {&status, 1}, batch).empty()) return std::nullopt;
  return Decoded{status, std::move(*buffer)};
}

}  // namespace

std::optional<std::vector<Decoded>> decode_all(const cuda::Decoder& decoder,
                                               std::span<const std::span<const std::uint8_t>> inputs,
                                               const Batch& batch, std::string& error) {
  std::vector<Status> counted(inputs.size());
  if (decoder.countable()) {
    error = decoder.decoded_sizes(inputs, counted, batch);
    if (!error.empty()) return std::nullopt;
  }
  std::vector<Decoded> decoded;
  std::vector<Chunk> chunks;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::uint64_t bytes = decoder.countable() && counted[i].error == 0
                                    ? counted[i].produced * decoder.output_element_bytes()
                                    : std::max(kRooms[0], inputs[i].size() * kGuessedRatio);
    auto buffer = Buffer::make(std::max<std::uint64_t>(bytes, 1));
    if (!buffer) {
      error = "not enough memory for the output";
      return std::nullopt;
    }
    chunks.push_back({inputs[i], buffer->bytes().first(bytes)});
    decoded.push_back({{}, std::move(*buffer)});
  }
  std::vector<Status> statuses(inputs.size());
  error = decoder.decode_batch(chunks, statuses, batch);
  if (!error.empty()) return std::nullopt;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    decoded[i].status = statuses[i];
    for (const std::size_t room : kRooms) {
      if (decoded[i].status.error == 0) break;
      if (room <= chunks[i].out.size()) continue;
      auto next = decode_one(decoder, inputs[i], room, batch);
      // Too little memory on the device, or no longer a matter of room: what the last one said stands.
      if (!next || next->status == decoded[i].status) break;
      decoded[i] = std::move(*next);
    }
  }
  return decoded;
}

}  // namespace sluice::cli
