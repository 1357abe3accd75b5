#include "runtime/cli/decode_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
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

// Decodes one input with so many bytes of room for each output, or fewer where so many addresses can't be had.
std::optional<Decoded> decode_into(const Decoder& decoder, std::span<const std::uint8_t> input, const Batch& batch,
                                   std::span<const std::uint64_t> bytes, std::uint64_t* had, std::string& error) {
  auto rooms = Rooms::make(bytes, [](std::uint64_t size) { return reserve(size, std::min(size, kMinGuess)); });
  if (!rooms) {
    error = "not enough memory for the output";
    return std::nullopt;
  }
  *had = rooms->smallest();
  const Chunk chunk = rooms->chunk(input);
  Status status;
  error = decoder.decode_batch({&chunk, 1}, {&status, 1}, batch);
  if (!error.empty()) return std::nullopt;
  return std::move(*rooms).decoded(status);
}

// Once, with all the room there is; but for what may be a bomb, and where addresses are scarce. Then counting tells how
// much it takes: the format's verdict does not depend on room, and no more is made than counted.
std::optional<Decoded> decode_one(const Decoder& decoder, std::span<const std::uint8_t> input, const Batch& batch,
                                  const Room& room, std::string& error) {
  const std::vector<std::uint64_t> sizes = element_sizes(decoder);
  std::vector<std::uint64_t> bytes(sizes.size(), std::min(room.bytes, std::max(kBombBytes, times(input.size(), kBombRatio))));
  std::uint64_t had = 0;
  auto decoded = decode_into(decoder, input, batch, bytes, &had, error);
  if (!decoded || decoded->status.error != kNoRoom || had >= room.bytes) return decoded;
  Batch counting = batch;
  counting.count_limit = room.bytes / *std::ranges::min_element(sizes);
  const Status counted = decoder.decoded_size(input, counting);
  if (counted.error == kNoRoom) return decoded;
  decoded.reset();  // its memory is wanted
  if (counted.error != kUncounted) bytes = counted_bytes(counted, sizes, room);
  else std::ranges::fill(bytes, room.bytes);
  const bool all = std::ranges::all_of(bytes, [&](std::uint64_t one) { return one >= room.bytes; });
  decoded = decode_into(decoder, input, batch, bytes, &had, error);
  if (decoded && decoded->status.error == kNoRoom && all && had < room.bytes) {
    error = "not enough memory for the output";
    return std::nullopt;
  }
  return decoded;
}

}  // namespace

std::vector<std::uint64_t> counted_bytes(const Status& counted, std::span<const std::uint64_t> sizes, const Room& room) {
  std::vector<std::uint64_t> bytes;
  for (std::size_t k = 0; k < sizes.size(); ++k)
    bytes.push_back(std::min(room.bytes, times(k == 0 ? counted.produced : counted.further[k - 1], sizes[k])));
  return bytes;
}

std::uint64_t Rooms::smallest() const {
  return std::ranges::min(spans_, {}, [](const auto& span) { return span.size(); }).size();
}

Decoded Rooms::decoded(const Status& status) && {
  Decoded made{status, std::move(buffers_[0])};
  made.further.assign(std::make_move_iterator(buffers_.begin() + 1), std::make_move_iterator(buffers_.end()));
  return made;
}

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
  std::vector<Rooms> rooms;
  const std::size_t outputs = 1 + decoder.further_outputs().size();
  for (const auto input : inputs) {
    const std::uint64_t guess = std::max(kMinGuess, input.size() * kGuessedRatio);
    const std::uint64_t share = std::min(room.bytes, std::max(guess, room.bytes / inputs.size()));
    auto made = Rooms::make(std::vector<std::uint64_t>(outputs, share), [&](std::uint64_t size) { return reserve(size, std::min(size, guess)); });
    if (!made) {
      error = "not enough memory for the output";
      return std::nullopt;
    }
    rooms.push_back(std::move(*made));
    chunks.push_back(rooms.back().chunk(input));
  }
  error = decoder.decode_batch(chunks, statuses, batch);
  if (!error.empty()) return std::nullopt;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::uint64_t had = rooms[i].smallest();
    decoded.push_back(std::move(rooms[i]).decoded(statuses[i]));
    if (statuses[i].error != kNoRoom || had >= room.bytes) continue;
    // What the others have made is no longer free.
    const Room rest = room.asked ? room : Room{std::min(room.bytes, available_memory()), false};
    auto again = decode_one(decoder, inputs[i], batch, rest, error);
    if (!again) return std::nullopt;
    decoded[i] = std::move(*again);
  }
  return decoded;
}

}  // namespace sluice::cli
