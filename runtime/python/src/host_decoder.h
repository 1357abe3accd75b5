#pragma once
// A decoder of host memory as Python sees it: outputs are arrays of NumPy.
#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/api/sluice.hpp"
#include "runtime/python/src/any_decoder.h"
#include "runtime/python/src/errors.h"
#include "runtime/python/src/input.h"
#include "runtime/python/src/output.h"

namespace sluice::python {

// The arguments of a decoder's last call, which most often are those of the next one: pages of a column. Used with the GIL.
class LastArguments {
 public:
  // What a dict of them means, of which all values are ints; nullptr: it is another one.
  [[nodiscard]] const std::vector<std::uint64_t>* find(nb::handle dict) const;
  void keep(nb::handle dict, const std::vector<std::uint64_t>& bound);

 private:
  struct Given {
    nb::object name;
    long long value;
  };
  std::vector<Given> given_;
  std::vector<std::uint64_t> bound_;
};

class HostDecoder;

// What one call was given beside its data. Lives as long as the call.
class CallOptions {
 public:
  // max_output, dictionary and arguments may be None. Throws ValueError or TypeError.
  CallOptions(const HostDecoder& of, nb::handle max_output, nb::handle dictionary, nb::handle arguments);

  [[nodiscard]] Batch batch() const;
  // The most bytes that one chunk may make. Without max_output, what memory is free: looked up when first asked for.
  [[nodiscard]] const Room& limit();
  // The same as far as it is known without looking: no more than `bytes`.
  [[nodiscard]] std::uint64_t at_most(std::uint64_t bytes) const;
  [[nodiscard]] bool has_limit() const { return limit_.has_value(); }  // it is known without looking
  [[nodiscard]] bool limited() const { return limit_ && limit_->by == Room::Set::MaxOutput; }

 private:
  std::optional<Room> limit_;
  std::optional<Input> dictionary_;
  std::vector<std::uint64_t> arguments_;
};

class HostDecoder {
 public:
  // How it runs, as far as that decides how it is to be called.
  struct Traits {
    bool slow = false;           // see Work
    bool counts_first = false;   // rooms cost more than counting: sizes are found before anything is decoded
  };
  HostDecoder(std::shared_ptr<const AnyDecoder> decoder, Traits traits);

  // Where a format has outputs beside its own, what is an array here is a dict of arrays, by their names; its own is "output".
  // One chunk. `out`: None, or where it goes. The array, or the part of `out` that was written. Throws DecodeError.
  [[nodiscard]] nb::object decode(nb::handle data, nb::handle out, CallOptions& options) const;

  struct BatchCall {
    nb::handle out, sizes;     // None, or as the interface says
    bool return_errors = false;
    unsigned threads = 0;      // 0: as many as pay, at most one a core
    nb::handle progress;       // not valid: none
  };
  // A list of arrays; or with return_errors a pair: that list, with None for what was refused, and a list of ChunkStatus.
  [[nodiscard]] nb::object decode_batch(const Inputs& inputs, const BatchCall& call, CallOptions& options) const;
  // Elements of every chunk's output, as an array of uint64. Throws DecodeError, NotCountableError.
  [[nodiscard]] nb::object decoded_sizes(const Inputs& inputs, unsigned threads, CallOptions& options) const;

  [[nodiscard]] const AnyDecoder& decoder() const { return *decoder_; }
  [[nodiscard]] const Element& element() const { return element_; }

 private:
  friend class BatchRun;
  friend class CallOptions;
  friend class SeveralRun;
  // several.cpp: formats that have further outputs.
  [[nodiscard]] bool several() const { return !decoder_->further_outputs().empty(); }
  [[nodiscard]] nb::object decode_several(nb::handle data, nb::handle out, CallOptions& options) const;
  [[nodiscard]] nb::object decode_batch_several(const Inputs& inputs, const BatchCall& call, CallOptions& options) const;
  [[nodiscard]] nb::object sizes_of_several(std::span<const Status> statuses) const;
  void refuse_rooms(nb::handle out, nb::handle sizes) const;  // throws where one is not None
  [[nodiscard]] nb::object decode_into(nb::handle data, nb::handle out, CallOptions& options) const;
  [[nodiscard]] nb::object decode_new(const Input& input, CallOptions& options) const;
  // Decodes one chunk into new memory, whatever its output takes up to the limit; the status without an error.
  [[nodiscard]] Status decode_growing(std::span<const std::uint8_t> input, CallOptions& options,
                                      std::unique_ptr<Memory>& memory) const;
  // Runs chunks; throws what Python is to raise when the call fails, not for what is wrong with a chunk.
  void run_chunks(std::span<const Chunk> chunks, std::span<Status> statuses, Batch batch, nb::handle progress = {}) const;
  [[nodiscard]] unsigned threads_for(unsigned asked, std::uint64_t bytes) const;
  // Counts `inputs`, each up to the limit.
  void count(std::span<const std::span<const std::uint8_t>> inputs, std::span<Status> statuses, Batch batch,
             CallOptions& options) const;
  // Bytes of room that will probably do for an input of so many bytes: what did before, and a little more.
  [[nodiscard]] std::uint64_t guess(std::uint64_t input_bytes) const;
  void learn(std::uint64_t input_bytes, std::uint64_t output_bytes) const;

  std::shared_ptr<const AnyDecoder> decoder_;
  Element element_;
  Traits traits_;
  mutable std::atomic<std::uint64_t> ratio_;  // of output to input, rounded up, the largest seen lately
  mutable std::atomic<bool> counted_{false};  // decoded sizes have been asked for
  mutable LastArguments last_arguments_;
};

}  // namespace sluice::python
