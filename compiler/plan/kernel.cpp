#include "compiler/plan/kernel.h"

#include <algorithm>

namespace sluice::plan {
namespace {

using schedule::kLanes;

// Beside a chunk's own memory, a warp's input ring.
constexpr std::uint64_t kRing = 256;
// A ring with its padding.
constexpr std::uint64_t kRingRoom = 264;
// Strategies whose lanes wait want as many warps on a multiprocessor as this many threads make.
constexpr std::uint64_t kResidentThreads = 1024;

// Warps of blocks of `warps` that a multiprocessor's shared memory holds, each with so much of it.
std::uint64_t resident_warps(const schedule::Device& device, std::uint64_t warps, std::uint64_t shared) {
  const std::uint64_t blocks = device.shared / (warps * (shared + kRingRoom) + schedule::kReservedShared);
  return std::min<std::uint64_t>(std::min<std::uint64_t>(blocks, device.blocks) * warps, kResidentThreads / kLanes);
}

// What a warp may have of a block of two where a multiprocessor's memory holds as many such blocks as it can run: in
// whole KiB, since a chunk's memory is an estimate.
std::uint64_t shared_of_many(const schedule::Device& device) {
  return (device.shared / device.blocks - schedule::kReservedShared) / 2 >> 10 << 10;
}

std::uint32_t warps_of(const Kernel& kernel) {
  const std::uint64_t shared = kernel.memory.shared_bytes;
  switch (kernel.blocks) {
    case Blocks::OneChunk:
      return kernel.workers / kLanes;
    case Blocks::Small:
      return shared <= shared_of_many(kernel.device) ? 2 : 1;
    case Blocks::Resident:
      return resident_warps(kernel.device, 2, shared) > resident_warps(kernel.device, 1, shared) ? 2 : 1;
  }
  return 1;
}

}  // namespace

void finish(Kernel& kernel, const ir::Module& module, std::span<const Lookup> lookups) {
  const schedule::Schedule& schedule = kernel.schedule;
  kernel.memory = memory_of(module, lookups, kStaticChunk, kernel.staging_bytes);
  const std::uint64_t shared = kernel.memory.shared_bytes;
  kernel.warps = warps_of(kernel);
  LaunchPlan& launch = kernel.launch;
  launch.chunks_per_block = 1;
  if (kernel.blocks != Blocks::OneChunk) {
    if (schedule.warps_per_block != 0) kernel.warps = schedule.warps_per_block;
    while (kernel.warps > 1 && kernel.warps * (shared + kRing) > schedule::kStaticShared) --kernel.warps;
    launch.chunks_per_block = kernel.warps;
  }
  if (kernel.blocks == Blocks::Resident)
    kernel.min_blocks = static_cast<std::uint32_t>(
        std::max<std::uint64_t>(1, resident_warps(kernel.device, kernel.warps, shared) / kernel.warps));
  kernel.prefetch = kernel.prefetch && !kernel.memory.temporary();
  launch.threads_per_block = kLanes * (kernel.warps + (kernel.prefetch ? 1 : 0));
  launch.temp_bytes_per_slot = kernel.memory.temporary_bytes;
  launch.input_alignment = schedule.input_alignment;
  launch.output_alignment = schedule.output_alignment;
}

}  // namespace sluice::plan
