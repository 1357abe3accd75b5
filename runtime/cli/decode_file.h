#pragma once
// Decoding whole files of unknown output size through the public interface.
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

  // `decoder`: a Decoder, or a cuda::Decoder.
  template <class AnyDecoder>
  std::span<const std::uint8_t> output(const AnyDecoder& decoder) {
    return buffer.bytes().first(status.produced * decoder.output_element_bytes());
  }
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
