#pragma once
// Batches in host memory on the GPU: cut into slices, each through pinned buffers there and back, two in flight.
//
//   slice 0   copy in | to device | kernel | statuses back | output back | copy out
//   slice 1             copy in   | to device | kernel     | ...
#include <cstdint>
#include <span>
#include <string>

#include "runtime/api/cuda_abi.h"
#include "runtime/api/sluice.hpp"
#include "runtime/launch/cuda_launch.h"

namespace sluice::runtime {

// Runs every chunk; one status each. `element_bytes`: of the format's output, and of each further one. `common` brings the arguments, `dictionary` is in host memory. In count mode
// Chunk::out is not looked at, and `count_limit` elements are counted. Allocates what it needs and frees it, waits for the results. Returns the sentence when
// the driver refuses something: the statuses then mean nothing. Empty is success.
[[nodiscard]] CallError run_from_host(const CudaProgram& program, CudaMode mode, std::span<const Chunk> chunks,
                                        std::span<Status> statuses, const sluice_cuda_batch& common,
                                        std::span<const std::uint8_t> dictionary, std::span<const std::uint64_t> element_bytes,
                                        std::uint64_t count_limit);

// Chunks of the largest slice that a batch to be decoded is cut into: what one launch has at most.
[[nodiscard]] std::size_t largest_slice(std::span<const Chunk> chunks);

// A slice ends when its inputs and outputs are more than this, and holds at least one chunk. Large enough that a copy
// over PCIe (about a millisecond) hides the cost of starting things, small enough that two don't crowd the device.
inline constexpr std::uint64_t kSliceBytes = std::uint64_t{32} << 20;
inline constexpr std::size_t kSliceChunks = 1 << 16;

}  // namespace sluice::runtime
