#include "runtime/cli/cuda_bench_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace sluice::cli {
namespace {

namespace cu = runtime::cu;

constexpr std::uint64_t kAlign = 128;  // of each chunk in memory, as an allocator would give it
constexpr std::uint8_t kPoison = 0xa5;
constexpr std::uint64_t kPiece = 64 << 20;  // brought back at a time
constexpr std::uint64_t kMaxChunks = 1 << 22;  // of a batch: files of a few bytes would fill hours
constexpr double kMaxSeconds = 10;         // of timed runs
constexpr double kMemoryShare = 0.9;        // of what is free

std::uint64_t round_up(std::uint64_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

// One copy of the chunks as it lies on the device.
struct Tile {
  std::vector<std::uint8_t> in, out;  // out: what is expected, poison between the chunks
  std::vector<std::uint64_t> in_at, out_at;
  std::uint64_t in_bytes = 0, out_bytes = 0;  // without the padding
  std::uint64_t largest_out = 0;
};

Tile make_tile(const BenchChunks& chunks) {
  Tile tile;
  for (const auto in : chunks.in) {
    tile.in_at.push_back(tile.in.size());
    tile.in_bytes += in.size();
    tile.in.insert(tile.in.end(), in.begin(), in.end());
    tile.in.resize(round_up(tile.in.size() + 1));
  }
  for (const auto out : chunks.out) {
    tile.out_at.push_back(tile.out.size());
    tile.out_bytes += out.size();
    tile.largest_out = std::max<std::uint64_t>(tile.largest_out, out.size());
    tile.out.insert(tile.out.end(), out.begin(), out.end());
    tile.out.resize(round_up(tile.out.size() + 1), kPoison);
  }
  return tile;
}

class DeviceRun {
 public:
  DeviceRun(const cuda::Decoder& decoder, const std::shared_ptr<const runtime::CudaDevice>& device, Tile tile)
      : decoder_(decoder), device_(device), driver_(*device->driver), tile_(std::move(tile)) {}

  bool prepare(const BenchSize& size, std::span<const std::uint64_t> arguments) {
    const std::uint64_t n = tile_.in_at.size();
    const auto wanted =
        std::ceil(size.gigabytes * 1e9 / static_cast<double>(std::max<std::uint64_t>(tile_.out_bytes, 1)));
    const std::uint64_t one = tile_.in.size() + tile_.out.size() + n * kWords * sizeof(std::uint64_t);
    const double free = static_cast<double>(runtime::free_memory(*device_)) * kMemoryShare;
    const double temp = static_cast<double>(decoder_.temp_bytes(static_cast<std::size_t>(1) << 30));
    const auto fits = std::floor((free - temp) / static_cast<double>(one));
    if (fits < 1) return fail("the chunks do not fit the device's memory");
    tiles_ = static_cast<std::uint64_t>(std::clamp(wanted, 1.0, fits));
    tiles_ = std::clamp<std::uint64_t>(tiles_, 1, std::max<std::uint64_t>(kMaxChunks / n, 1));
    chunks_ = tiles_ * n;
    temp_bytes_ = decoder_.temp_bytes(chunks_);
    if (!take(runtime::make_device_memory(device_, tiles_ * tile_.in.size()), in_) ||
        !take(runtime::make_device_memory(device_, tiles_ * tile_.out.size()), out_) ||
        !take(runtime::make_device_memory(device_, chunks_ * kWords * sizeof(std::uint64_t)), words_) ||
        !take(runtime::make_device_memory(device_, temp_bytes_), temp_) ||
        !take(runtime::make_pinned_memory(device_, kPiece), pinned_) || !take(runtime::make_stream(device_), stream_) ||
        !take(runtime::make_event(device_, runtime::Timing::Yes), start_) ||
        !take(runtime::make_event(device_, runtime::Timing::Yes), stop_))
      return false;

    std::vector<std::uint64_t> words(chunks_ * kSent);
    for (std::uint64_t t = 0; t < tiles_; ++t)
      for (std::uint64_t i = 0; i < n; ++i) {
        const std::uint64_t k = t * n + i;
        words[kIn * chunks_ + k] = in_.get() + t * tile_.in.size() + tile_.in_at[i];
        words[kInBytes * chunks_ + k] = in_sizes_[i];
        words[kOut * chunks_ + k] = out_.get() + t * tile_.out.size() + tile_.out_at[i];
        words[kCapacity * chunks_ + k] = out_sizes_[i];
      }
    if (!ok("copy to the device",
            driver_.copy_to_device(words_.get(), words.data(), words.size() * sizeof words[0], stream_.get())) ||
        !ok("copy to the device", driver_.copy_to_device(in_.get(), tile_.in.data(), tile_.in.size(), stream_.get())))
      return false;
    for (std::uint64_t t = 1; t < tiles_; t *= 2)  // what is there once more behind itself
      if (!ok("copy on the device",
              driver_.copy_on_device(in_.get() + t * tile_.in.size(), in_.get(),
                                     std::min(t, tiles_ - t) * tile_.in.size(), stream_.get())))
        return false;
    batch_.in = array<const void* const>(kIn);
    batch_.in_bytes = array<const std::uint64_t>(kInBytes);
    batch_.out = array<void* const>(kOut);
    batch_.out_capacity = array<const std::uint64_t>(kCapacity);
    batch_.produced = array<std::uint64_t>(kProduced);
    batch_.errors = array<std::uint64_t>(kErrors);
    batch_.chunks = chunks_;
    batch_.arguments = arguments;
    batch_.temp = reinterpret_cast<void*>(static_cast<std::uintptr_t>(temp_.get()));
    batch_.temp_bytes = temp_bytes_;
    batch_.largest_output = tile_.largest_out;
    batch_.total_output = tiles_ * tile_.out_bytes;
    batch_.total_input = tiles_ * tile_.in_bytes;
    return ok("synchronise", driver_.stream_synchronize(stream_.get()));
  }

  // One run over poisoned outputs, everything compared.
  bool check() {
    const std::uint64_t results = chunks_ * (kWords - kSent) * sizeof(std::uint64_t);
    if (!ok("fill", driver_.set_bytes(out_.get(), kPoison, tiles_ * tile_.out.size(), stream_.get())) ||
        !ok("fill", driver_.set_bytes(words_.get() + chunks_ * kSent * sizeof(std::uint64_t), kPoison, results,
                                      stream_.get())) ||
        !decode())
      return false;
    std::vector<std::uint64_t> words(chunks_ * (kWords - kSent));
    if (!ok("copy to the host",
            driver_.copy_to_host(words.data(), words_.get() + chunks_ * kSent * sizeof(std::uint64_t), results,
                                 stream_.get())) ||
        !ok("the kernel", driver_.stream_synchronize(stream_.get())))
      return false;
    const std::uint64_t n = tile_.in_at.size();
    for (std::uint64_t k = 0; k < chunks_; ++k) {
      const std::uint64_t produced = words[k], word = words[chunks_ + k];
      if (word != 0) return fail(decoder_.describe(word, k));
      if (produced != out_sizes_[k % n])
        return fail(fmt::format("chunk {}: {} elements, not {}", k, produced, out_sizes_[k % n]));
    }
    const std::uint64_t all = tiles_ * tile_.out.size();
    for (std::uint64_t at = 0; at < all; at += kPiece)
      if (!check_piece(at, std::min(kPiece, all - at))) return false;
    return true;
  }

  bool time(const BenchSize& size, CudaRun& run) {
    for (unsigned i = 0; i < size.warm_ups; ++i)
      if (!decode()) return false;
    double total = 0;
    while (run.seconds.size() < size.repeats && total < kMaxSeconds) {
      float ms = 0;
      if (!ok("event", driver_.event_record(start_.get(), stream_.get())) || !decode() ||
          !ok("event", driver_.event_record(stop_.get(), stream_.get())) ||
          !ok("the kernel", driver_.event_synchronize(stop_.get())) ||
          !ok("event", driver_.event_elapsed(&ms, start_.get(), stop_.get())))
        return false;
      run.seconds.push_back(ms / 1e3);
      total += run.seconds.back();
    }
    std::ranges::sort(run.seconds);
    run.chunks = chunks_;
    run.in_bytes = batch_.total_input;
    run.out_bytes = batch_.total_output;
    run.largest_out = batch_.largest_output;
    run.temp_bytes = temp_bytes_;
    return true;
  }

  void sizes(const BenchChunks& chunks) {
    for (const auto in : chunks.in) in_sizes_.push_back(in.size());
    for (const auto out : chunks.out) out_sizes_.push_back(out.size() / decoder_.output_element_bytes());
  }

  const std::string& error() const { return error_; }

 private:
  // Arrays of 64-bit words in one stretch of device memory; the first four go there, the others come back.
  enum Words : std::uint64_t { kIn, kInBytes, kOut, kCapacity, kProduced, kErrors, kWords, kSent = kProduced };

  template <class T>
  T* array(std::uint64_t k) const {
    return reinterpret_cast<T*>(static_cast<std::uintptr_t>(words_.get() + k * chunks_ * sizeof(std::uint64_t)));
  }

  bool fail(std::string text) {
    error_ = std::move(text);
    return false;
  }
  bool ok(const char* what, cu::Code code) { return code == 0 || fail(driver_.failure(what, code)); }
  template <class T>
  bool take(Result<T> made, T& into) {
    if (!made) return fail(made.error().text);
    into = std::move(*made);
    return true;
  }
  bool decode() {
    std::string failure = decoder_.decode_async(batch_, stream_.get());
    return failure.empty() || fail(std::move(failure));
  }

  // Output bytes [at, at + bytes), which are copies of the tile one behind the other.
  bool check_piece(std::uint64_t at, std::uint64_t bytes) {
    if (!ok("copy to the host", driver_.copy_to_host(pinned_.get(), out_.get() + at, bytes, stream_.get())) ||
        !ok("synchronise", driver_.stream_synchronize(stream_.get())))
      return false;
    const auto* got = static_cast<const std::uint8_t*>(pinned_.get());
    for (std::uint64_t done = 0; done < bytes;) {
      const std::uint64_t in_tile = (at + done) % tile_.out.size();
      const std::uint64_t n = std::min(bytes - done, tile_.out.size() - in_tile);
      const std::uint8_t* expected = tile_.out.data() + in_tile;
      if (std::memcmp(got + done, expected, n) != 0) return differs((at + done) / tile_.out.size(), in_tile, got + done, n);
      done += n;
    }
    return true;
  }
  // Tile t holds `got` and not what it should, n bytes from `in_tile` on.
  bool differs(std::uint64_t t, std::uint64_t in_tile, const std::uint8_t* got, std::uint64_t n) {
    const std::uint8_t* expected = tile_.out.data() + in_tile;
    const auto wrong = static_cast<std::uint64_t>(std::mismatch(got, got + n, expected).first - got);
    const auto chunk =
        static_cast<std::uint64_t>(std::ranges::upper_bound(tile_.out_at, in_tile + wrong) - tile_.out_at.begin()) - 1;
    return fail(fmt::format("copy {} of chunk {}: byte {} is 0x{:02x}, not 0x{:02x}", t, chunk,
                            in_tile + wrong - tile_.out_at[chunk], got[wrong], expected[wrong]));
  }

  const cuda::Decoder& decoder_;
  std::shared_ptr<const runtime::CudaDevice> device_;
  const runtime::CudaDriver& driver_;
  Tile tile_;
  std::vector<std::uint64_t> in_sizes_, out_sizes_;  // bytes, elements
  std::uint64_t tiles_ = 0, chunks_ = 0, temp_bytes_ = 0;
  runtime::DeviceMemory in_, out_, words_, temp_;
  runtime::PinnedMemory pinned_;
  runtime::CudaStream stream_;
  runtime::CudaEvent start_, stop_;
  cuda::DeviceBatch batch_;
  std::string error_;
};

}  // namespace

std::optional<CudaRun> run_on_device(const cuda::Decoder& decoder,
                                     const std::shared_ptr<const runtime::CudaDevice>& device,
                                     const BenchChunks& chunks, std::span<const std::uint64_t> arguments,
                                     const BenchSize& size, std::string& error) {
  if (!decoder.further_outputs().empty()) {
    error = fmt::format("{} has several outputs, and kernels are measured of formats that have one", decoder.name());
    return std::nullopt;
  }
  const runtime::Current current(*device);
  error = current.failure();
  if (!error.empty()) return std::nullopt;
  DeviceRun on_device(decoder, device, make_tile(chunks));
  on_device.sizes(chunks);
  CudaRun run;
  if (on_device.prepare(size, arguments) && on_device.check() && on_device.time(size, run)) return run;
  error = on_device.error();
  return std::nullopt;
}

}  // namespace sluice::cli
