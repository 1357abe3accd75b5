#include "runtime/launch/cuda_host.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "compiler/schedule/schedule.h"

namespace sluice::runtime {
namespace {

// Chunks start at multiples of a cache line, in the slice's input and in its output, as device memory itself starts at
// multiples of 256. So they lie where any schedule may promise them.
constexpr std::uint64_t kLine = 128;
static_assert(kLine % schedule::kMaxInputAlignment == 0 && kLine % schedule::kMaxOutputAlignment == 0);
// Outputs closer together than this come back in one copy.
constexpr std::uint64_t kGap = 64 << 10;

constexpr std::uint64_t round_up(std::uint64_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

// Chunks [first, first + count) of the batch.
struct Slice {
  std::size_t first = 0, count = 0;
  std::uint64_t in_bytes = 0, out_bytes = 0;  // each chunk rounded up to lines
};

// Output `k` of a chunk: its own, then further ones.
std::span<std::uint8_t> room_of(const Chunk& chunk, std::size_t k) { return k == 0 ? chunk.out : chunk.further[k - 1]; }
std::uint64_t& produced_of(Status& status, std::size_t k) { return k == 0 ? status.produced : status.further[k - 1]; }
std::uint64_t produced_of(const Status& status, std::size_t k) { return k == 0 ? status.produced : status.further[k - 1]; }

std::uint64_t out_bytes_of(const Chunk& chunk) {
  std::uint64_t bytes = round_up(chunk.out.size());
  for (const auto room : chunk.further) bytes += round_up(room.size());
  return bytes;
}

std::vector<Slice> cut(std::span<const Chunk> chunks, CudaMode mode) {
  std::vector<Slice> slices;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const std::uint64_t in = round_up(chunks[i].in.size());
    const std::uint64_t out = mode == CudaMode::Decode ? out_bytes_of(chunks[i]) : 0;
    const bool full = slices.empty() || slices.back().count >= kSliceChunks ||
                      slices.back().in_bytes + slices.back().out_bytes + in + out > kSliceBytes;
    if (full) slices.push_back({i, 0, 0, 0});
    slices.back().count += 1;
    slices.back().in_bytes += in;
    slices.back().out_bytes += out;
  }
  return slices;
}

// Arrays of 64-bit words that go to the device before a slice, and those that come back after it. Behind these, of each output
// its address and capacity, and how much was produced.
enum Sent : std::uint64_t { kIn, kInBytes, kSentOnce };
enum Returned : std::uint64_t { kError, kConsumed, kReturnedOnce };
constexpr std::uint64_t out_array(std::size_t k) { return kSentOnce + 2 * k; }
constexpr std::uint64_t capacity_array(std::size_t k) { return kSentOnce + 2 * k + 1; }
constexpr std::uint64_t produced_array(std::size_t k) { return kReturnedOnce + k; }

// The buffers of one slice in flight. What goes to the device lies as on the host: arrays, then inputs, so that it is
// one copy.
class Lane {
 public:
  Lane(const CudaProgram& program, CudaMode mode, const sluice_cuda_batch& common, std::span<const std::uint64_t> element_bytes,
       std::uint64_t count_limit)
      : program_(program),
        driver_(*program.device()->driver),
        mode_(mode),
        common_(common),
        elements_(element_bytes),
        count_limit_(count_limit) {}
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  // The device may still be writing into the buffers when something else failed.
  ~Lane() {
    const Current current(*program_.device());
    if (stream_.get()) static_cast<void>(driver_.stream_synchronize(stream_.get()));
  }

  CallError allocate(std::size_t chunks, std::uint64_t in_bytes, std::uint64_t out_bytes) {
    const auto& device = program_.device();
    most_chunks_ = chunks;
    temp_bytes_ = program_.temp_bytes(chunks);
    CallError failure;
    const auto take = [&](auto made, auto& into) {
      if (made)
        into = std::move(*made);
      else if (failure.empty())
        failure = CallError::from(made.error());
    };
    take(make_stream(device), stream_);
    take(make_event(device, Timing::No), done_);
    take(make_pinned_memory(device, sent_bytes() + in_bytes), host_in_);
    take(make_pinned_memory(device, returned_bytes()), host_returned_);
    take(make_pinned_memory(device, out_bytes), host_out_);
    take(make_device_memory(device, sent_bytes() + in_bytes), in_);
    take(make_device_memory(device, returned_bytes()), returned_);
    take(make_device_memory(device, out_bytes), out_);
    take(make_device_memory(device, temp_bytes_), temp_);
    return failure;
  }

  // Copies the slice's inputs and queues its work.
  CallError start(std::span<const Chunk> chunks, const Slice& slice) {
    chunks_ = chunks.subspan(slice.first, slice.count);
    auto* host = static_cast<std::uint8_t*>(host_in_.get());
    std::uint64_t in_at = sent_bytes(), out_at = 0;
    out_offsets_.clear();
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      const Chunk& chunk = chunks_[i];
      const auto send = [&](std::uint64_t array, std::uint64_t word) {
        std::memcpy(host + (array * most_chunks_ + i) * sizeof word, &word, sizeof word);
      };
      send(kIn, in_.get() + in_at);
      send(kInBytes, chunk.in.size());
      if (!chunk.in.empty()) std::memcpy(host + in_at, chunk.in.data(), chunk.in.size());
      in_at += round_up(chunk.in.size());
      for (std::size_t k = 0; k < elements_.size(); ++k) {
        const bool decodes = mode_ == CudaMode::Decode;
        send(out_array(k), out_.get() + out_at);
        send(capacity_array(k), decodes ? room_of(chunk, k).size() / elements_[k] : count_limit_);
        out_offsets_.push_back(out_at);
        if (decodes) out_at += round_up(room_of(chunk, k).size());
      }
    }
    sluice_cuda_batch batch = common_;
    batch.in = array<const unsigned char* const>(in_, kIn);
    batch.in_size = array<const unsigned long long>(in_, kInBytes);
    batch.out = mode_ == CudaMode::Decode ? array<unsigned char* const>(in_, out_array(0)) : nullptr;
    batch.out_capacity = array<const unsigned long long>(in_, capacity_array(0));
    batch.produced = array<unsigned long long>(returned_, produced_array(0));
    for (std::size_t k = 1; k < elements_.size(); ++k)
      batch.further[k - 1] = {mode_ == CudaMode::Decode ? array<unsigned char* const>(in_, out_array(k)) : nullptr,
                              array<const unsigned long long>(in_, capacity_array(k)),
                              array<unsigned long long>(returned_, produced_array(k)), 0};
    batch.error = array<unsigned long long>(returned_, kError);
    batch.consumed = array<unsigned long long>(returned_, kConsumed);
    batch.chunks = chunks_.size();
    if (const cu::Code code = driver_.copy_to_device(in_.get(), host, in_at, stream_.get()); code != 0)
      return driver_.call_error("cuMemcpyHtoDAsync", code);
    if (CallError failure = program_.launch(mode_, batch, temp_.get(), temp_bytes_, stream_.get()); !failure.empty())
      return failure;
    if (const cu::Code code =
            driver_.copy_to_host(host_returned_.get(), returned_.get(), returned_bytes(), stream_.get());
        code != 0)
      return driver_.call_error("cuMemcpyDtoHAsync", code);
    return driver_.call_error("cuEventRecord", driver_.event_record(done_.get(), stream_.get()));
  }

  // Waits for the slice, then brings statuses and outputs to the caller.
  CallError finish(std::span<Status> statuses) {
    if (const cu::Code code = driver_.event_synchronize(done_.get()); code != 0)
      return driver_.call_error("cuEventSynchronize", code);
    const auto* words = static_cast<const std::uint64_t*>(host_returned_.get());
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      statuses[i] = {words[kError * most_chunks_ + i], 0, words[kConsumed * most_chunks_ + i]};
      for (std::size_t k = 0; k < elements_.size(); ++k) produced_of(statuses[i], k) = words[produced_array(k) * most_chunks_ + i];
    }
    if (mode_ == CudaMode::Count) return {};
    if (CallError failure = fetch_outputs(statuses); !failure.empty()) return failure;
    const auto* host = static_cast<const std::uint8_t*>(host_out_.get());
    each_output(statuses, [&](std::size_t at, std::span<std::uint8_t> room, std::uint64_t bytes) -> cu::Code {
      std::memcpy(room.data(), host + out_offsets_[at], bytes);
      return 0;
    });
    return {};
  }

 private:
  std::uint64_t sent_bytes() const { return round_up(out_array(elements_.size()) * most_chunks_ * sizeof(std::uint64_t)); }
  std::uint64_t returned_bytes() const { return produced_array(elements_.size()) * most_chunks_ * sizeof(std::uint64_t); }

  // Array `k` of those at the head of a device buffer.
  template <class T>
  T* array(const DeviceMemory& memory, std::uint64_t k) const {
    return reinterpret_cast<T*>(static_cast<std::uintptr_t>(memory.get() + k * most_chunks_ * sizeof(std::uint64_t)));
  }

  // Calls visit(number of the output in the slice, its room, bytes written there, never more than the room) for every output that
  // has got something, as long as that returns 0.
  template <class Visit>
  cu::Code each_output(std::span<const Status> statuses, const Visit& visit) const {
    for (std::size_t i = 0; i < chunks_.size(); ++i)
      for (std::size_t k = 0; k < elements_.size(); ++k) {
        const auto room = room_of(chunks_[i], k);
        const std::uint64_t bytes = std::min<std::uint64_t>(produced_of(statuses[i], k), room.size() / elements_[k]) * elements_[k];
        if (bytes == 0) continue;
        if (const cu::Code code = visit(i * elements_.size() + k, room, bytes); code != 0) return code;
      }
    return 0;
  }

  CallError fetch_outputs(std::span<const Status> statuses) {
    std::uint64_t begin = 0, end = 0;  // not fetched yet
    const auto fetch = [&]() -> cu::Code {
      if (begin == end) return 0;
      return driver_.copy_to_host(static_cast<std::uint8_t*>(host_out_.get()) + begin, out_.get() + begin, end - begin,
                                  stream_.get());
    };
    cu::Code code = each_output(statuses, [&](std::size_t at, std::span<std::uint8_t>, std::uint64_t bytes) -> cu::Code {
      if (out_offsets_[at] > end + kGap || begin == end) {
        if (const cu::Code failed = fetch(); failed != 0) return failed;
        begin = out_offsets_[at];
      }
      end = out_offsets_[at] + bytes;
      return 0;
    });
    if (code == 0) code = fetch();
    if (code != 0) return driver_.call_error("cuMemcpyDtoHAsync", code);
    return driver_.call_error("cuStreamSynchronize", driver_.stream_synchronize(stream_.get()));
  }

  const CudaProgram& program_;
  const CudaDriver& driver_;
  const CudaMode mode_;
  const sluice_cuda_batch common_;
  const std::span<const std::uint64_t> elements_;  // bytes of an element of each output
  const std::uint64_t count_limit_;
  std::size_t most_chunks_ = 0;
  std::uint64_t temp_bytes_ = 0;
  CudaStream stream_;
  CudaEvent done_;
  PinnedMemory host_in_, host_returned_, host_out_;
  DeviceMemory in_, returned_, out_, temp_;
  std::span<const Chunk> chunks_;  // of the slice in flight
  std::vector<std::uint64_t> out_offsets_;  // of every output of each chunk
};

// The dictionary on the device, there before anything else is queued.
CallError send_dictionary(const CudaProgram& program, std::span<const std::uint8_t> dictionary,
                            DeviceMemory& memory) {
  if (dictionary.empty()) return {};
  const CudaDriver& driver = *program.device()->driver;
  auto made = make_device_memory(program.device(), dictionary.size());
  if (!made) return CallError::from(made.error());
  memory = std::move(*made);
  if (const cu::Code code = driver.copy_to_device(memory.get(), dictionary.data(), dictionary.size(), nullptr);
      code != 0)
    return driver.call_error("cuMemcpyHtoDAsync", code);
  return driver.call_error("cuStreamSynchronize", driver.stream_synchronize(nullptr));
}

}  // namespace

std::size_t largest_slice(std::span<const Chunk> chunks) {
  std::size_t most = 0;
  for (const Slice& slice : cut(chunks, CudaMode::Decode)) most = std::max(most, slice.count);
  return most;
}

CallError run_from_host(const CudaProgram& program, CudaMode mode, std::span<const Chunk> chunks,
                          std::span<Status> statuses, const sluice_cuda_batch& common,
                          std::span<const std::uint8_t> dictionary, std::span<const std::uint64_t> element_bytes,
                          std::uint64_t count_limit) {
  if (chunks.empty()) return {};
  const Current current(*program.device());
  if (CallError failure = current.call_error(); !failure.empty()) return failure;
  DeviceMemory dictionary_memory;
  if (CallError failure = send_dictionary(program, dictionary, dictionary_memory); !failure.empty()) return failure;
  sluice_cuda_batch batch = common;
  batch.dictionary = reinterpret_cast<const unsigned char*>(static_cast<std::uintptr_t>(dictionary_memory.get()));
  batch.dictionary_size = dictionary.size();

  const std::vector<Slice> slices = cut(chunks, mode);
  Slice most;
  for (const Slice& slice : slices) {
    most.count = std::max(most.count, slice.count);
    most.in_bytes = std::max(most.in_bytes, slice.in_bytes);
    most.out_bytes = std::max(most.out_bytes, slice.out_bytes);
  }
  std::array<Lane, 2> lanes{Lane(program, mode, batch, element_bytes, count_limit),
                            Lane(program, mode, batch, element_bytes, count_limit)};
  for (std::size_t i = 0; i < std::min(slices.size(), lanes.size()); ++i)
    if (CallError failure = lanes[i].allocate(most.count, most.in_bytes, most.out_bytes); !failure.empty())
      return failure;
  const auto finish = [&](std::size_t i) {
    return lanes[i % 2].finish(statuses.subspan(slices[i].first, slices[i].count));
  };
  // Slice i - 1 is brought home while the device works on slice i; its lane is free for slice i + 1 then.
  for (std::size_t i = 0; i < slices.size(); ++i) {
    if (CallError failure = lanes[i % 2].start(chunks, slices[i]); !failure.empty()) return failure;
    if (i == 0) continue;
    if (CallError failure = finish(i - 1); !failure.empty()) return failure;
  }
  return finish(slices.size() - 1);
}

}  // namespace sluice::runtime
