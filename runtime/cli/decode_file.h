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

namespace sluice::cli {

// Room for a decode that `counted` (the status of counting the same input) comes before. note [roomy decode]: counting
// goes at least as far as decoding does, so at most counted.produced elements are written, and that much memory is
// used. But a format may promise more than bad data keeps (`producing N` asks for room for N at once), and then too
// little room would hide the true reason of a refusal. So the room is addresses for far more.
// Nothing when counted.produced elements can't fit the machine's memory: `error` says so.
std::optional<Buffer> roomy_buffer(const Status& counted, std::size_t element_bytes, std::string& error);

struct Decoded {
  Status status;
  Buffer buffer;  // at least status.produced elements

  // `decoder`: a Decoder, or a cuda::Decoder.
  template <class AnyDecoder>
  std::span<const std::uint8_t> output(const AnyDecoder& decoder) {
    return buffer.bytes().first(status.produced * decoder.output_element_bytes());
  }
};

// Decodes every input as one chunk of a batch, in order. The first try gets a guessed capacity; what is refused with
// that is counted and decoded again with all the room there is. Nothing when memory runs out or the call is refused:
// `error` says why. A chunk the format rejects is no such error, it has its word in `status`.
std::optional<std::vector<Decoded>> decode_all(const Decoder& decoder,
                                               std::span<const std::span<const std::uint8_t>> inputs,
                                               const Batch& batch, std::string& error);

}  // namespace sluice::cli
