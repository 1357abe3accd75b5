#pragma once
// A decoder of chunks in host memory, whatever runs it: sluice::Decoder and sluice::cuda::Decoder say the same things.
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/api/sluice.hpp"

namespace sluice::python {

struct AnyDecoder {
  virtual ~AnyDecoder() = default;
  [[nodiscard]] virtual CallError decode_batch(std::span<const Chunk>, std::span<Status>, const Batch&) const = 0;
  [[nodiscard]] virtual CallError decoded_sizes(std::span<const std::span<const std::uint8_t>>, std::span<Status>,
                                                const Batch&) const = 0;
  [[nodiscard]] virtual Result<std::vector<std::uint64_t>> bind(std::span<const NamedValue>) const = 0;
  [[nodiscard]] virtual std::string describe(std::uint64_t error, std::uint64_t chunk) const = 0;
  [[nodiscard]] virtual ErrorPlace place(std::uint64_t error) const = 0;
  [[nodiscard]] virtual const std::string& name() const = 0;
  [[nodiscard]] virtual const std::string& why() const = 0;
  [[nodiscard]] virtual const std::string& warnings() const = 0;
  [[nodiscard]] virtual std::size_t output_element_bytes() const = 0;
  [[nodiscard]] virtual bool output_is_signed() const = 0;
  [[nodiscard]] virtual const std::vector<FurtherOutput>& further_outputs() const = 0;
  [[nodiscard]] virtual bool countable() const = 0;
  [[nodiscard]] virtual bool takes_dictionary() const = 0;
  [[nodiscard]] virtual const std::vector<Argument>& arguments() const = 0;
};

template <class Of>
struct DecoderOf final : AnyDecoder {
  explicit DecoderOf(Of of) : decoder(std::move(of)) {}
  CallError decode_batch(std::span<const Chunk> chunks, std::span<Status> statuses, const Batch& batch) const override {
    return decoder.decode_batch(chunks, statuses, batch);
  }
  CallError decoded_sizes(std::span<const std::span<const std::uint8_t>> inputs, std::span<Status> statuses,
                          const Batch& batch) const override {
    return decoder.decoded_sizes(inputs, statuses, batch);
  }
  Result<std::vector<std::uint64_t>> bind(std::span<const NamedValue> values) const override { return decoder.bind(values); }
  std::string describe(std::uint64_t error, std::uint64_t chunk) const override { return decoder.describe(error, chunk); }
  ErrorPlace place(std::uint64_t error) const override { return decoder.place(error); }
  const std::string& name() const override { return decoder.name(); }
  const std::string& why() const override { return decoder.why(); }
  const std::string& warnings() const override { return decoder.warnings(); }
  std::size_t output_element_bytes() const override { return decoder.output_element_bytes(); }
  bool output_is_signed() const override { return decoder.output_is_signed(); }
  const std::vector<FurtherOutput>& further_outputs() const override { return decoder.further_outputs(); }
  bool countable() const override { return decoder.countable(); }
  bool takes_dictionary() const override { return decoder.takes_dictionary(); }
  const std::vector<Argument>& arguments() const override { return decoder.arguments(); }

  Of decoder;
};

}  // namespace sluice::python
