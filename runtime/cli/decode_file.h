#pragma once
// Decoding whole files of unknown output size through the public interface.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/api/sluice.hpp"
#include "runtime/cli/files.h"
#include "runtime/cli/room.h"

namespace sluice::cli {

struct Decoded {
  Status status;
  Buffer buffer;  // at least status.produced elements
  std::vector<Buffer> further = {};  // likewise of each further output

  // `decoder`: a Decoder, or a cuda::Decoder.
  template <class AnyDecoder>
  std::span<const std::uint8_t> output(const AnyDecoder& decoder) {
    return buffer.bytes().first(status.produced * decoder.output_element_bytes());
  }
  template <class AnyDecoder>
  std::span<const std::uint8_t> further_output(const AnyDecoder& decoder, std::size_t k) {
    return further[k].bytes().first(status.further[k] * decoder.further_outputs()[k].element_bytes);
  }
};

// Bytes of an element of each output, the format's own first.
template <class AnyDecoder>
std::vector<std::uint64_t> element_sizes(const AnyDecoder& decoder) {
  std::vector<std::uint64_t> sizes{decoder.output_element_bytes()};
  for (const FurtherOutput& o : decoder.further_outputs()) sizes.push_back(o.element_bytes);
  return sizes;
}

// Bytes that each output takes, by what was counted; no more than there is room for.
std::vector<std::uint64_t> counted_bytes(const Status& counted, std::span<const std::uint64_t> element_sizes, const Room& room);

// A chunk that is decoded to these buffers, of which the first `bytes` of each are its room.
class Rooms {
 public:
  // `make`: a Buffer of so many bytes, or nothing. Nothing when one can't be had.
  template <class Make>
  static std::optional<Rooms> make(std::span<const std::uint64_t> bytes, const Make& make) {
    Rooms rooms;
    for (const std::uint64_t size : bytes) {
      auto buffer = make(size);
      if (!buffer) return std::nullopt;
      rooms.spans_.push_back(buffer->bytes().first(std::min<std::uint64_t>(buffer->bytes().size(), size)));
      rooms.buffers_.push_back(std::move(*buffer));
    }
    return rooms;
  }
  Chunk chunk(std::span<const std::uint8_t> in) const { return {in, spans_[0], std::span(spans_).subspan(1)}; }
  std::uint64_t smallest() const;  // bytes of the smallest room
  Decoded decoded(const Status& status) &&;

 private:
  std::vector<Buffer> buffers_;
  std::vector<std::span<std::uint8_t>> spans_;
};

// What to say of a chunk that was refused.
template <class AnyDecoder>
std::string refusal_text(const AnyDecoder& decoder, std::uint64_t error, std::uint64_t chunk, const Room& room) {
  return error == kNoRoom ? no_room_text(room) : decoder.describe(error, chunk);
}

// Decodes every input as one chunk of a batch, in order, each with `room`. One file is decoded once, into addresses for
// all the room there is. Several share it, and what does not fit its share is decoded again, alone. Nothing when memory
// runs out or the call is refused: `error` says why. A chunk the format rejects is no such error, it has its word in
// `status`; one without enough room has kNoRoom.
std::optional<std::vector<Decoded>> decode_all(const Decoder& decoder,
                                               std::span<const std::span<const std::uint8_t>> inputs,
                                               const Batch& batch, const Room& room, std::string& error);

}  // namespace sluice::cli
