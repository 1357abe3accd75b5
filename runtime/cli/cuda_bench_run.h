#pragma once
// One measurement on a GPU: chunks tiled until they are far larger than the caches, decoded, every byte compared,
// timed.
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/api/sluice_cuda.hpp"
#include "runtime/launch/cuda_device.h"

namespace sluice::cli {

// Chunks and what they decode to.
struct BenchChunks {
  std::vector<std::span<const std::uint8_t>> in, out;
};

struct BenchSize {
  double gigabytes = 1;   // of output at least, by repeating the chunks
  unsigned warm_ups = 2;  // untimed runs after the checked one
  unsigned repeats = 11;  // timed runs, fewer when they take long
};

struct CudaRun {
  std::uint64_t chunks = 0, in_bytes = 0, out_bytes = 0;  // of the whole batch
  std::uint64_t largest_out = 0;                          // bytes of one chunk
  std::uint64_t temp_bytes = 0;
  std::vector<double> seconds;  // of the kernel by events, in ascending order
  double median() const { return seconds[seconds.size() / 2]; }
  // As the decoder was told of it: no addresses, but what decides which kernel it takes.
  cuda::DeviceBatch batch() const {
    return {.chunks = chunks, .largest_output = largest_out, .total_output = out_bytes, .total_input = in_bytes};
  }
};

// Nothing when the device refuses something, or an error word, a size or a byte is not as it should be: `error` says
// which. Bytes around the outputs are compared too.
std::optional<CudaRun> run_on_device(const cuda::Decoder& decoder,
                                     const std::shared_ptr<const runtime::CudaDevice>& device,
                                     const BenchChunks& chunks, std::span<const std::uint64_t> arguments,
                                     const BenchSize& size, std::string& error);

}  // namespace sluice::cli
