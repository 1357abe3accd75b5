// Formats that have outputs beside their own: of each chunk a dict of arrays, by the names of outputs.
//
//   decoder.decode(page)        {"output": array([...], dtype=uint8), "offsets": array([...], dtype=int32)}
//
// Sizes are counted first, so that every array is made as large as it gets; where they can't be counted, rooms grow, and what was made there is
// copied.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "runtime/python/src/call.h"
#include "runtime/python/src/host_decoder.h"

namespace sluice::python {
namespace {

constexpr std::uint64_t kGrowth = 8;

std::uint64_t produced_of(const Status& status, std::size_t k) { return k == 0 ? status.produced : status.further[k - 1]; }

}  // namespace

class SeveralRun {
 public:
  SeveralRun(const HostDecoder& decoder, std::span<const std::span<const std::uint8_t>> inputs, CallOptions& options, unsigned threads,
             nb::handle progress)
      : decoder_(decoder), inputs_(inputs), options_(options), progress_(progress), count_(inputs.size()), statuses_(count_), counts_(count_),
        arrays_(count_), batch_(options.batch()) {
    elements_.push_back(decoder.element());
    names_.emplace_back("output");
    for (const FurtherOutput& o : decoder.decoder().further_outputs()) {
      elements_.push_back({o.element_bytes, o.is_signed});
      names_.push_back(o.name);
    }
    std::uint64_t bytes = 0;
    for (const auto input : inputs) bytes += input.size();
    batch_.threads = decoder.threads_for(threads, 2 * bytes);
  }

  void run() {
    if (decoder_.decoder().countable()) return counted();
    std::vector<std::size_t> which(count_);
    for (std::size_t i = 0; i < count_; ++i) which[i] = i;
    for (std::uint64_t growth = 1; !which.empty(); growth *= kGrowth) {
      guessed(which, growth);
      std::erase_if(which, [&](std::size_t i) { return statuses_[i].error != kNoRoom || room(i, growth) >= options_.limit().bytes; });
    }
  }

  // The arrays of a chunk by name; None where it was refused.
  nb::object result(std::size_t i) const {
    if (statuses_[i].error != 0) return nb::none();
    nb::dict dict;
    for (std::size_t k = 0; k < names_.size(); ++k) dict[names_[k].c_str()] = arrays_[i][k];
    return dict;
  }
  nb::object error(std::size_t i) {
    const Status& status = statuses_[i];
    return status.error == 0 ? nb::none() : decode_error(decoder_.decoder(), status.error, i, status.produced, options_.limit());
  }
  const Status& status(std::size_t i) const { return statuses_[i]; }

 private:
  void counted() {
    decoder_.count(inputs_, counts_, batch_, options_);
    std::vector<Chunk> chunks(count_);
    std::vector<std::vector<std::span<std::uint8_t>>> rooms(count_);
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t k = 0; k < elements_.size(); ++k) {
        const std::uint64_t most = options_.at_most(~std::uint64_t{0}) / elements_[k].bytes;
        NewArray made = new_array(elements_[k], counts_[i].error == 0 ? std::min(produced_of(counts_[i], k), most) : 0);
        rooms[i].push_back(made.bytes);
        arrays_[i].push_back(std::move(made.array));
      }
      chunks[i] = chunk(i, rooms[i]);
    }
    decoder_.run_chunks(chunks, statuses_, batch_, progress_);
    // A chunk that counting refused has no room; where decoding it does not end earlier, counting has the format's verdict.
    for (std::size_t i = 0; i < count_; ++i)
      if (statuses_[i].error == kNoRoom && counts_[i].error != 0) statuses_[i] = counts_[i];
  }

  // Bytes for each output of a chunk that can't be counted.
  std::uint64_t room(std::size_t i, std::uint64_t growth) {
    const std::uint64_t guess = decoder_.guess(inputs_[i].size());
    return options_.at_most(guess > ~std::uint64_t{0} / growth ? options_.limit().bytes : std::min(guess * growth, options_.limit().bytes));
  }

  void guessed(const std::vector<std::size_t>& which, std::uint64_t growth) {
    std::vector<Chunk> chunks;
    std::vector<std::unique_ptr<Memory>> memory;
    std::vector<std::vector<std::span<std::uint8_t>>> rooms(which.size());
    for (std::size_t at = 0; at < which.size(); ++at) {
      for (std::size_t k = 0; k < elements_.size(); ++k) {
        memory.push_back(Memory::make(room(which[at], growth), false));
        if (!memory.back()) throw std::bad_alloc();
        rooms[at].push_back(memory.back()->bytes());
      }
      chunks.push_back(chunk(which[at], rooms[at]));
    }
    std::vector<Status> statuses(which.size());
    decoder_.run_chunks(chunks, statuses, batch_, growth == 1 ? progress_ : nb::handle());
    for (std::size_t at = 0; at < which.size(); ++at) {
      statuses_[which[at]] = statuses[at];
      if (statuses[at].error != 0) continue;
      decoder_.learn(inputs_[which[at]].size(), statuses[at].produced * elements_[0].bytes);
      for (std::size_t k = 0; k < elements_.size(); ++k) {
        NewArray made = new_array(elements_[k], produced_of(statuses[at], k));
        if (!made.bytes.empty()) std::memcpy(made.bytes.data(), rooms[at][k].data(), made.bytes.size());
        arrays_[which[at]].push_back(std::move(made.array));
      }
    }
  }

  Chunk chunk(std::size_t i, const std::vector<std::span<std::uint8_t>>& rooms) const {
    return {inputs_[i], rooms[0], std::span(rooms).subspan(1)};
  }

  const HostDecoder& decoder_;
  std::span<const std::span<const std::uint8_t>> inputs_;
  CallOptions& options_;
  nb::handle progress_;
  std::vector<Element> elements_;  // of each output, the format's own first
  std::vector<std::string> names_;
  const std::size_t count_;
  std::vector<Status> statuses_, counts_;
  std::vector<std::vector<nb::object>> arrays_;  // by chunk and output
  Batch batch_;
};

nb::object HostDecoder::decode_several(nb::handle data, nb::handle out, CallOptions& options) const {
  refuse_rooms(out, nb::none());
  const Input input(data);
  const std::span<const std::uint8_t> in = input.bytes();
  SeveralRun run(*this, {&in, 1}, options, 1, {});
  run.run();
  if (run.status(0).error != 0) raise_object(run.error(0));
  return run.result(0);
}

nb::object HostDecoder::decode_batch_several(const Inputs& inputs, const BatchCall& call, CallOptions& options) const {
  refuse_rooms(call.out, call.sizes);
  SeveralRun run(*this, inputs.chunks(), options, call.threads, call.progress);
  run.run();
  nb::list results, statuses;
  nb::object status_class;
  if (call.return_errors) status_class = error_class("ChunkStatus");
  for (std::size_t i = 0; i < inputs.chunks().size(); ++i) {
    const nb::object error = run.error(i);
    if (!error.is_none() && !call.return_errors) raise_object(error);
    results.append(run.result(i));
    if (call.return_errors) statuses.append(status_class(run.status(i).produced, run.status(i).consumed, error));
  }
  if (!call.return_errors) return results;
  return nb::make_tuple(results, statuses);
}

// Sizes by the names of outputs.
nb::object HostDecoder::sizes_of_several(std::span<const Status> statuses) const {
  nb::dict dict;
  for (std::size_t k = 0; k <= decoder_->further_outputs().size(); ++k) {
    const NewArray sizes = new_array({8, false}, statuses.size());
    for (std::size_t i = 0; i < statuses.size(); ++i) {
      const std::uint64_t made = produced_of(statuses[i], k);
      std::memcpy(sizes.bytes.data() + 8 * i, &made, 8);
    }
    dict[k == 0 ? "output" : decoder_->further_outputs()[k - 1].name.c_str()] = sizes.array;
  }
  return dict;
}

void HostDecoder::refuse_rooms(nb::handle out, nb::handle sizes) const {
  if (!out.is_none() || !sizes.is_none())
    throw nb::value_error((decoder_->name() + " has several outputs, which are made anew: it takes neither out nor sizes").c_str());
}

}  // namespace sluice::python
