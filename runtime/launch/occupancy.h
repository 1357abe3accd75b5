#pragma once
// How many blocks of a kernel a multiprocessor holds at the same time, without asking a driver: for explain pages on
// machines that have no GPU. Where there is one, CudaKernel::blocks_per_sm has the driver's own answer.
//
//   sm_90, 64 threads a block, 40 registers a thread, 1 KiB shared  ->  24 blocks, 75 %, limited by registers
#include <cstdint>
#include <string_view>

#include "compiler/plan/launch.h"
#include "compiler/schedule/device.h"
#include "runtime/jit/ptxas_log.h"

namespace sluice::runtime {

struct Occupancy {
  unsigned blocks = 0;     // of one multiprocessor; 0: the kernel can't be launched
  double share = 0;        // threads of those there is room for
  std::string_view limit;  // what would have to shrink for more: "threads", "blocks", "registers", "shared memory"
};

[[nodiscard]] Occupancy occupancy_of(const schedule::Device& device, unsigned threads_per_block, unsigned registers,
                                     unsigned shared_bytes);

// Bytes of a block: what the kernel declares, and what it is given at launch.
[[nodiscard]] unsigned shared_of(const plan::LaunchPlan& plan, const KernelResources& kernel);
// Of a kernel as it was compiled, launched as its plan says, with the carve-out that it wants.
[[nodiscard]] Occupancy occupancy_of(const schedule::Device& device, const plan::LaunchPlan& plan, const KernelResources& kernel);

// Chunks of a block of the launch: so many as its plan says, or fewer where blocks would then be less than
// kBlocksOfMultiprocessor for each of the multiprocessors.
//
//   4 chunks a block, 132 multiprocessors   ->   1500 chunks: 4    300 chunks: 1
[[nodiscard]] std::uint32_t chunks_of_block(const plan::LaunchPlan& plan, std::uint64_t chunks, unsigned multiprocessors);
// Fewer than that leave some without work while others have two blocks to do.
inline constexpr std::uint64_t kBlocksOfMultiprocessor = 2;

}  // namespace sluice::runtime
