#include "tests/bench/cuda_codag/tiled.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "tests/gpu/parallel.h"

namespace sluice::bench {
namespace {

using gpu::Address;

constexpr std::uint64_t kBehind = 64;  // readable bytes behind the last input: a peer may look ahead
constexpr std::uint8_t kRubbish = 0xcc, kNoResult = 0xdd;

std::uint64_t round_up(std::uint64_t size, std::uint64_t to) { return (size + to - 1) / to * to; }

// `once` at the start of `bytes`, again and again: each copy takes all that is there.
std::string repeat(const gpu::Device& device, Address at, const Bytes& once, std::uint64_t bytes) {
  std::string wrong = device.upload(at, once.data(), once.size());
  for (std::uint64_t done = once.size(); done < bytes && wrong.empty(); done *= 2)
    wrong = device.copy(at + done, at, std::min(done, bytes - done));
  return wrong;
}

}  // namespace

Tiled::Tiled(const gpu::Device& device, const Material& material, std::uint64_t output_bytes, std::uint64_t launch)
    : device_(device), material_(material), chunks_(launch) {
  const std::uint64_t once = material.raw_bytes();
  if (chunks_ == 0) chunks_ = (output_bytes + once - 1) / once * material.raw.size();
  for (std::uint64_t i = 0; i < chunks_; ++i) {
    const std::size_t which = i % material.raw.size();
    output_sizes_.push_back(material.raw[which].size());
    input_sizes_.push_back(material.packed[which].size());
    output_bytes_ += output_sizes_.back();
    input_bytes_ += input_sizes_.back();
  }
}

std::string Tiled::put_outputs(unsigned element_bytes, std::uint64_t alignment) {
  element_bytes_ = element_bytes;
  room_at_.assign(1, 0);
  for (const Bytes& chunk : material_.raw) room_at_.push_back(round_up(room_at_.back() + chunk.size(), alignment));
  const std::size_t distinct = material_.raw.size();
  const std::uint64_t copies = (chunks_ + distinct - 1) / distinct;
  std::string wrong = out_.reserve(device_, copies * room_at_.back());
  if (wrong.empty()) wrong = arrays_.reserve(device_, chunks_ * kArrays * 8);
  if (!wrong.empty()) return wrong;
  std::vector<std::uint64_t> arrays(kArrays * chunks_);
  for (std::uint64_t i = 0; i < chunks_; ++i) {
    arrays[kInBytes * chunks_ + i] = input_sizes_[i];
    arrays[kOut * chunks_ + i] = out_.at() + i / distinct * room_at_.back() + room_at_[i % distinct];
    arrays[kElements * chunks_ + i] = output_sizes_[i] / element_bytes;
    arrays[kCapacityBytes * chunks_ + i] = output_sizes_[i];
  }
  wrong = device_.upload(arrays_.at(), arrays.data(), arrays.size() * 8);
  return wrong.empty() ? device_.wait() : wrong;
}

std::string Tiled::put_inputs(std::uint64_t alignment) {
  const auto same = [&](const Inputs& one) { return one.alignment == alignment; };
  if (std::ranges::any_of(inputs_, same)) return "";
  Bytes once;
  std::vector<std::uint64_t> at;
  for (const Bytes& chunk : material_.packed) {
    at.push_back(once.size());
    once.insert(once.end(), chunk.begin(), chunk.end());
    once.resize(round_up(once.size(), alignment));
  }
  const std::uint64_t copies = (chunks_ + at.size() - 1) / at.size();
  Inputs made;
  made.alignment = alignment;
  std::string wrong = made.bytes.reserve(device_, copies * once.size() + kBehind);
  if (wrong.empty()) wrong = made.places.reserve(device_, chunks_ * 8);
  if (wrong.empty()) wrong = repeat(device_, made.bytes.at(), once, copies * once.size());
  std::vector<std::uint64_t> places;
  for (std::uint64_t i = 0; i < chunks_; ++i)
    places.push_back(made.bytes.at() + i / at.size() * once.size() + at[i % at.size()]);
  if (wrong.empty()) wrong = device_.upload(made.places.at(), places.data(), places.size() * 8);
  if (wrong.empty()) wrong = device_.wait();
  inputs_.push_back(std::move(made));
  return wrong;
}

const Tiled::Inputs& Tiled::inputs(std::uint64_t alignment) const {
  return *std::ranges::find_if(inputs_, [&](const Inputs& one) { return one.alignment == alignment; });
}

cuda::DeviceBatch Tiled::batch(std::uint64_t input_alignment, const gpu::Memory& temp) const {
  cuda::DeviceBatch batch;
  batch.in = gpu::pointer<const void* const>(inputs(input_alignment).places.at());
  batch.in_bytes = gpu::pointer<const std::uint64_t>(array(kInBytes));
  batch.out = gpu::pointer<void* const>(array(kOut));
  batch.out_capacity = gpu::pointer<const std::uint64_t>(array(kElements));
  batch.produced = gpu::pointer<std::uint64_t>(array(kProduced));
  batch.errors = gpu::pointer<std::uint64_t>(array(kErrors));
  batch.chunks = chunks_;
  batch.temp = temp.bytes() == 0 ? nullptr : gpu::pointer<void>(temp.at());
  batch.temp_bytes = temp.bytes();
  batch.largest_output = material_.longest_raw();  // as peers are told
  batch.total_output = output_bytes_;
  batch.total_input = input_bytes_;
  return batch;
}

PeerBatch Tiled::peer_batch(std::uint64_t input_alignment) const {
  return {.device = &device_,
          .in = inputs(input_alignment).places.at(),
          .in_bytes = array(kInBytes),
          .out = array(kOut),
          .capacity = array(kCapacityBytes),
          .produced = array(kProduced),
          .statuses = array(kErrors),
          .chunks = chunks_,
          .longest = material_.longest_raw(),
          .output_bytes = output_bytes_,
          .input_sizes = input_sizes_,
          .output_sizes = output_sizes_};
}

std::string Tiled::spoil() const {
  std::string wrong = device_.fill(out_.at(), kRubbish, out_.bytes());
  return wrong.empty() ? device_.fill(array(kProduced), kNoResult, (kArrays - kProduced) * chunks_ * 8) : wrong;
}

std::string Tiled::check_told(const Told& told, std::string& fatal) const {
  std::vector<std::uint64_t> produced(chunks_), errors(chunks_);
  fatal = device_.download(produced.data(), array(kProduced), chunks_ * 8);
  if (fatal.empty()) fatal = device_.download(errors.data(), array(kErrors), chunks_ * 8);
  if (fatal.empty()) fatal = device_.wait();
  if (!fatal.empty()) return fatal;
  const std::uint64_t unit = told.ours == nullptr ? 1 : element_bytes_;
  for (std::uint64_t i = 0; i < chunks_; ++i) {
    std::uint64_t error = errors[i];
    if (told.ours == nullptr) {
      std::uint32_t status = 0;
      std::memcpy(&status, reinterpret_cast<const std::uint8_t*>(errors.data()) + i * sizeof status, sizeof status);
      error = status;
    }
    if (told.errors && error != 0)
      return told.ours != nullptr ? told.ours->describe(error, i) : fmt::format("chunk {} has status {}", i, error);
    if (told.produced && produced[i] * unit != output_sizes_[i])
      return fmt::format("chunk {} made {} elements", i, produced[i]);
  }
  return "";
}

std::string Tiled::check_bytes(unsigned threads, std::string& fatal) {
  // One repetition at a time, as many as a pinned buffer holds.
  const std::size_t distinct = material_.raw.size();
  const std::uint64_t once = room_at_.back(), copies = (chunks_ + distinct - 1) / distinct;
  const std::uint64_t together = std::clamp<std::uint64_t>(kPinned / once, 1, copies);
  if (pinned_.get() == nullptr) {
    auto pinned = runtime::make_pinned_memory(device_.shared(), together * once);
    if (!pinned) return fatal = pinned.error().text;
    pinned_ = std::move(*pinned);
  }
  const auto* bytes = static_cast<const std::uint8_t*>(pinned_.get());
  std::string wrong;
  std::mutex mutex;
  for (std::uint64_t from = 0; from < copies && wrong.empty(); from += together) {
    const std::uint64_t count = std::min(together, copies - from);
    fatal = device_.download(pinned_.get(), out_.at() + from * once, count * once);
    if (fatal.empty()) fatal = device_.wait();
    if (!fatal.empty()) return fatal;
    gpu::parallel_for(std::min(count * distinct, chunks_ - from * distinct), threads, [&](std::size_t i) {
      const Bytes& right = material_.raw[i % distinct];
      if (std::memcmp(bytes + i / distinct * once + room_at_[i % distinct], right.data(), right.size()) == 0) return;
      const std::lock_guard lock(mutex);
      wrong = fmt::format("chunk {} has other bytes", from * distinct + i);
    });
  }
  return wrong;
}

}  // namespace sluice::bench
