#include "runtime/cli/decode_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sluice::cli {
namespace {

// A share is generous, since pages that stay untouched cost nothing: text rarely compresses better than 1:8.
constexpr std::uint64_t kGuessedRatio = 8, kMinGuess = 1 << 20;

// What decoded_size says of a format whose size only decoding can find.
constexpr std::uint64_t kUncounted = ~std::uint64_t{0};

// What is larger than both may be a bomb: it is counted before memory is filled with it. Deflate comes to 1032:1.
constexpr std::uint64_t kBombRatio = 2048, kBombBytes = std::uint64_t{1} << 30;

std::uint64_t times(std::uint64_t a, std::uint64_t b) { return a > ~std::uint64_t{0} / b ? ~std::uint64_t{0} : a * b; }

// Decodes one input with `bytes` of room, or fewer where so many addresses can't be had.
std::optional<Decoded> decode_into(const Decoder& decoder, std::span<const std::uint8_t> input, const Batch& batch,
                                   std::uint64_t bytes, std::string& error) {
  auto buffer = reserve(bytes, std::min(bytes, kMinGuess));
  if (!buffer) {
    error = "not enough memory for the output";
    return std::nullopt;
  }
  const Chunk chunk{input, buffer->bytes().first(std::min<std::uint64_t>(buffer->bytes().size(), bytes))};
  Status status;
  error = decoder.decode_batch({&chunk, 1}, {&status, 1}, batch);
  if (!error.empty()) return std::nullopt;
  return Decoded{status, std::move(*buffer)};
}

// Once, with all the room there is; but for what may be a bomb, and where addresses are scarce. Then counting tells how
// much it takes: the format's verdict does not depend on room, and no more is made than counted.
std::optional<Decoded> decode_one(const Decoder& decoder, std::span<const std::uint8_t> input, const Batch& batch,
                                  const Room& room, std::string& error) {
  const std::uint64_t first = std::min(room.bytes, std::max(kBombBytes, times(input.size(), kBombRatio)));
  auto decoded = decode_into(decoder, input, batch, first, error);
  if (!decoded || decoded->status.error != kNoRoom) return decoded;
  const std::uint64_t had = std::min<std::uint64_t>(first, decoded->buffer.bytes().size());
  if (had >= room.bytes) return decoded;
  Batch counting = batch;
  counting.count_limit = room.bytes / decoder.output_element_bytes();
  const Status counted = decoder.decoded_size(input, counting);
  if (counted.error == kNoRoom) return decoded;
  decoded.reset();  // its memory is wanted
  const bool known = counted.error != kUncounted;
  decoded = decode_into(decoder, input, batch, known ? counted.produced * decoder.output_element_bytes() : room.bytes, error);
  if (decoded && decoded->status.error == kNoRoom && decoded->buffer.bytes().size() < room.bytes) {
    error = "not enough memory for the output";
    return std::nullopt;
  }
  return decoded;
}

}  // namespace

std::optional<std::vector<Decoded>> decode_all(const Decoder& decoder,
                                               std::span<const std::span<const std::uint8_t>> inputs,
                                               const Batch& batch, const Room& room, std::string& error) {
  std::vector<Decoded> decoded;
  decoded.reserve(inputs.size());
  if (inputs.size() == 1) {
    auto one = decode_one(decoder, inputs[0], batch, room, error);
    if (!one) return std::nullopt;
    decoded.push_back(std::move(*one));
    return decoded;
  }
  std::vector<Chunk> chunks;
  std::vector<Status> statuses(inputs.size());
  for (const auto input : inputs) {
    const std::uint64_t guess = std::max(kMinGuess, input.size() * kGuessedRatio);
    const std::uint64_t share = std::min(room.bytes, std::max(guess, room.bytes / inputs.size()));
    auto buffer = reserve(share, std::min(share, guess));
    if (!buffer) {
      error = "not enough memory for the output";
      return std::nullopt;
    }
    decoded.push_back({{}, std::move(*buffer)});
    const auto bytes = decoded.back().buffer.bytes();
    chunks.push_back({input, bytes.first(std::min<std::uint64_t>(bytes.size(), room.bytes))});
  }
  error = decoder.decode_batch(chunks, statuses, batch);
  if (!error.empty()) return std::nullopt;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    decoded[i].status = statuses[i];
    if (statuses[i].error != kNoRoom || chunks[i].out.size() >= room.bytes) continue;
    // What the others have made is no longer free.
    const Room rest = room.asked ? room : Room{std::min(room.bytes, available_memory()), false};
    auto again = decode_one(decoder, inputs[i], batch, rest, error);
    if (!again) return std::nullopt;
    decoded[i] = std::move(*again);
  }
  return decoded;
}

}  // namespace sluice::cli
