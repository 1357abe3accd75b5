#include "runtime/cli/decode_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace sluice::cli {
namespace {

// The guess is generous, since pages that stay untouched cost nothing: text rarely compresses better than 1:8.
constexpr std::size_t kGuessedRatio = 8, kLeastGuess = 1 << 20;

// note [roomy decode]: more than any declared size that is not absurd; a hundredth of x86-64's addresses.
constexpr std::uint64_t kRoomyBytes = std::uint64_t{1} << 40;

// What decoded_size says of a format whose size only decoding can find.
constexpr std::uint64_t kNotCountable = std::numeric_limits<std::uint64_t>::max();

}  // namespace

std::optional<Buffer> roomy_buffer(const Status& counted, std::size_t element_bytes, std::string& error) {
  const std::uint64_t memory = physical_memory();
  if (counted.produced > memory / element_bytes) {
    error = fmt::format("not enough memory for an output of {} elements", counted.produced);
    return std::nullopt;
  }
  std::uint64_t size = counted.error == kNotCountable ? memory / 2 : kRoomyBytes;
  const std::uint64_t least = std::max<std::uint64_t>(counted.produced * element_bytes, kLeastGuess);
  for (;; size /= 2) {  // a limit on addresses (ulimit -v) may ask for modesty
    if (auto buffer = Buffer::make(std::max(size, least))) return buffer;
    if (size <= least) break;
  }
  error = "not enough memory for the output";
  return std::nullopt;
}

std::optional<std::vector<Decoded>> decode_all(const Decoder& decoder,
                                               std::span<const std::span<const std::uint8_t>> inputs,
                                               const Batch& batch, std::string& error) {
  std::vector<Decoded> decoded;
  decoded.reserve(inputs.size());
  std::vector<Chunk> chunks;
  std::vector<Status> statuses(inputs.size());
  for (const auto input : inputs) {
    auto buffer = Buffer::make(std::max(kLeastGuess, input.size() * kGuessedRatio));
    if (!buffer) {
      error = "not enough memory for the output";
      return std::nullopt;
    }
    decoded.push_back({{}, std::move(*buffer)});
    chunks.push_back({input, decoded.back().buffer.bytes()});
  }
  error = decoder.decode_batch(chunks, statuses, batch);
  if (!error.empty()) return std::nullopt;

  for (std::size_t i = 0; i < inputs.size(); ++i) {
    decoded[i].status = statuses[i];
    if (statuses[i].error == 0) continue;
    auto buffer = roomy_buffer(decoder.decoded_size(inputs[i], batch), decoder.output_element_bytes(), error);
    if (!buffer) return std::nullopt;
    decoded[i].buffer = std::move(*buffer);
    decoded[i].status = decoder.decode({inputs[i], decoded[i].buffer.bytes()}, batch);
  }
  return decoded;
}

}  // namespace sluice::cli
