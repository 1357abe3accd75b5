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

std::vector<Slice> cut(std::span<const Chunk> chunks, CudaMode mode) {
  std::vector<Slice> slices;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const std::uint64_t in = round_up(chunks[i].in.size());
    const std::uint64_t out = mode == CudaMode::Decode ? round_up(chunks[i].out.size()) : 0;
    const bool full = slices.empty() || slices.back().count >= kSliceChunks ||
                      slices.back().in_bytes + slices.back().out_bytes + in + out > kSliceBytes;
    if (full) slices.push_back({i, 0, 0, 0});
    slices.back().count += 1;
    slices.back().in_bytes += in;
    slices.back().out_bytes += out;
  }
  return slices;
}

// Arrays of 64-bit words that go to the device before a slice, and those that come back after it.
enum Sent : std::uint64_t { kIn, kInBytes, kOut, kCapacity, kSentArrays };
enum Returned : std::uint64_t { kProduced, kError, kConsumed, kReturnedArrays };

// The buffers of one slice in flight. What goes to the device lies as on the host: arrays, then inputs, so that it is
// one copy.
class Lane {
 public:
  Lane(const CudaProgram& program, CudaMode mode, const sluice_cuda_batch& common, std::uint64_t element_bytes,
       std::uint64_t count_limit)
      : program_(program),
        driver_(*program.device()->driver),
        mode_(mode),
        common_(common),
        element_(element_bytes),
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
      const std::uint64_t capacity = mode_ == CudaMode::Decode ? chunk.out.size() / element_ : count_limit_;
      const std::array<std::uint64_t, kSentArrays> words{in_.get() + in_at, chunk.in.size(), out_.get() + out_at,
                                                         capacity};
      for (std::size_t k = 0; k < words.size(); ++k)
        std::memcpy(host + (k * most_chunks_ + i) * sizeof words[k], &words[k], sizeof words[k]);
      if (!chunk.in.empty()) std::memcpy(host + in_at, chunk.in.data(), chunk.in.size());
      out_offsets_.push_back(out_at);
      in_at += round_up(chunk.in.size());
      if (mode_ == CudaMode::Decode) out_at += round_up(chunk.out.size());
    }
    sluice_cuda_batch batch = common_;
    batch.in = array<const unsigned char* const>(in_, kIn);
    batch.in_size = array<const unsigned long long>(in_, kInBytes);
    batch.out = mode_ == CudaMode::Decode ? array<unsigned char* const>(in_, kOut) : nullptr;
    batch.out_capacity = array<const unsigned long long>(in_, kCapacity);
    batch.produced = array<unsigned long long>(returned_, kProduced);
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
    for (std::size_t i = 0; i < chunks_.size(); ++i)
      statuses[i] = {words[kError * most_chunks_ + i], words[kProduced * most_chunks_ + i],
                     words[kConsumed * most_chunks_ + i]};
    if (mode_ == CudaMode::Count) return {};
    if (CallError failure = fetch_outputs(statuses); !failure.empty()) return failure;
    const auto* host = static_cast<const std::uint8_t*>(host_out_.get());
    for (std::size_t i = 0; i < chunks_.size(); ++i)
      if (const std::uint64_t bytes = output_bytes(i, statuses[i]); bytes != 0)
        std::memcpy(chunks_[i].out.data(), host + out_offsets_[i], bytes);
    return {};
  }

 private:
  std::uint64_t sent_bytes() const { return round_up(kSentArrays * most_chunks_ * sizeof(std::uint64_t)); }
  std::uint64_t returned_bytes() const { return kReturnedArrays * most_chunks_ * sizeof(std::uint64_t); }

  // Array `k` of those at the head of a device buffer.
  template <class T>
  T* array(const DeviceMemory& memory, std::uint64_t k) const {
    return reinterpret_cast<T*>(static_cast<std::uintptr_t>(memory.get() + k * most_chunks_ * sizeof(std::uint64_t)));
  }

  // What chunk `i` wrote; never more than its room.
  std::uint64_t output_bytes(std::size_t i, const Status& status) const {
    return std::min<std::uint64_t>(status.produced, chunks_[i].out.size() / element_) * element_;
  }

  CallError fetch_outputs(std::span<const Status> statuses) {
    std::uint64_t begin = 0, end = 0;  // not fetched yet
    const auto fetch = [&]() -> cu::Code {
      if (begin == end) return 0;
      return driver_.copy_to_host(static_cast<std::uint8_t*>(host_out_.get()) + begin, out_.get() + begin, end - begin,
                                  stream_.get());
    };
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      const std::uint64_t bytes = output_bytes(i, statuses[i]);
      if (bytes == 0) continue;
      if (out_offsets_[i] > end + kGap || begin == end) {
        if (const cu::Code code = fetch(); code != 0) return driver_.call_error("cuMemcpyDtoHAsync", code);
        begin = out_offsets_[i];
      }
      end = out_offsets_[i] + bytes;
    }
    if (const cu::Code code = fetch(); code != 0) return driver_.call_error("cuMemcpyDtoHAsync", code);
    return driver_.call_error("cuStreamSynchronize", driver_.stream_synchronize(stream_.get()));
  }

  const CudaProgram& program_;
  const CudaDriver& driver_;
  const CudaMode mode_;
  const sluice_cuda_batch common_;
  const std::uint64_t element_, count_limit_;
  std::size_t most_chunks_ = 0;
  std::uint64_t temp_bytes_ = 0;
  CudaStream stream_;
  CudaEvent done_;
  PinnedMemory host_in_, host_returned_, host_out_;
  DeviceMemory in_, returned_, out_, temp_;
  std::span<const Chunk> chunks_;  // of the slice in flight
  std::vector<std::uint64_t> out_offsets_;
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
                          std::span<const std::uint8_t> dictionary, std::uint64_t element_bytes,
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
