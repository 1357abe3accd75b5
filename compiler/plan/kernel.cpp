#include "compiler/plan/kernel.h"

#include <algorithm>

#include "compiler/plan/objects.h"

namespace sluice::plan {
namespace {

using schedule::kLanes;

// Beside a chunk's own memory, a warp's input ring.
constexpr std::uint64_t kRing = 256;
// A ring with its padding.
constexpr std::uint64_t kRingRoom = 264;
static_assert(kBlockRoom + schedule::kMaxBlockThreads / kLanes * kRingRoom < schedule::kStaticShared / 2);
// Strategies whose lanes wait want as many warps on a multiprocessor as this many threads make.
constexpr std::uint64_t kResidentThreads = 1024;
// Of formats whose stages have their room over the codes (note [lent room]): so many leave a thread 96 registers.
constexpr std::uint64_t kStageWarps = 20;

// Warps of blocks of `warps` that a multiprocessor's shared memory holds, each with so much of it.
std::uint64_t resident_warps(const schedule::Device& device, std::uint64_t warps, std::uint64_t shared,
                             std::uint64_t most = kResidentThreads / kLanes) {
  const std::uint64_t block = warps * (shared + kRingRoom) + schedule::kReservedShared;
  const std::uint64_t blocks = device.shared / ((block + schedule::kSharedUnit - 1) / schedule::kSharedUnit * schedule::kSharedUnit);
  return std::min<std::uint64_t>(std::min<std::uint64_t>(blocks, device.blocks) * warps, most);
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
      if (kernel.block_warps != 0) return kernel.block_warps;
      return shared <= shared_of_many(kernel.device) ? 2 : 1;
    case Blocks::Resident:
      return resident_warps(kernel.device, 2, shared) > resident_warps(kernel.device, 1, shared) ? 2 : 1;
  }
  return 1;
}

// Where a chunk has a block to itself, every warp of that reads the input through a ring of its own.
std::uint64_t rings_of_block(const Kernel& kernel) {
  return kernel.blocks == Blocks::OneChunk ? kernel.workers / kLanes * kRingRoom : 0;
}

// Shared memory that a kernel declares whatever its members do: rings, and what stages and parts keep.
std::uint64_t declared(const Kernel& kernel, std::uint64_t chunks, std::uint64_t warps) {
  return chunks * (kernel.memory.stages_bytes + kernel.memory.staging_bytes) + warps * kRingRoom;
}

}  // namespace

void finish(Kernel& kernel, const ir::Module& module, std::span<const Table> tables) {
  const schedule::Schedule& schedule = kernel.schedule;
  const bool asked = schedule.shared_memory != 0;
  const std::uint64_t most = asked ? std::uint64_t{schedule.shared_memory} << 10 : schedule::kStaticShared;
  kernel.memory = memory_of(module, tables, most - kBlockRoom - rings_of_block(kernel),
                            asked ? LongArrays::Shared : LongArrays::Temporary, kernel.staging_bytes, schedule::asked_table_bits(schedule), kernel.lent_arrays);
  const std::uint64_t shared = kernel.memory.shared_bytes;
  kernel.warps = warps_of(kernel);
  LaunchPlan& launch = kernel.launch;
  launch.chunks_per_block = 1;
  if (kernel.blocks != Blocks::OneChunk) {
    if (schedule.warps_per_block != 0) kernel.warps = schedule.warps_per_block;
    const auto fits = [&](std::uint64_t warps) {
      return warps * (shared + kRing) <= most && declared(kernel, warps, warps) <= schedule::kStaticShared;
    };
    while (kernel.warps > 1 && !fits(kernel.warps)) --kernel.warps;
    launch.chunks_per_block = kernel.warps;
  }
  if (kernel.blocks == Blocks::Resident)
    kernel.min_blocks = static_cast<std::uint32_t>(
        std::max<std::uint64_t>(1, resident_warps(kernel.device, kernel.warps, shared) / kernel.warps));
  if (kernel.resident_warps != 0)
    kernel.min_blocks = static_cast<std::uint32_t>(std::max<std::uint64_t>(
        1, resident_warps(kernel.device, kernel.warps, shared, kernel.resident_warps) / kernel.warps));
  // The room that stages lend is for more chunks at once, which registers must not forbid.
  if (kernel.memory.under_stages != 0 && kernel.blocks != Blocks::OneChunk && kernel.min_blocks == 0)
    kernel.min_blocks = static_cast<std::uint32_t>(
        std::max<std::uint64_t>(1, resident_warps(kernel.device, kernel.warps, shared, kStageWarps) / kernel.warps));
  const std::uint32_t chunk_warps = kernel.chunk_warps + kernel.walker_warps + kernel.writer_warps;
  if (chunk_warps > 1)
    kernel.min_blocks = static_cast<std::uint32_t>(std::max<std::uint64_t>(
        1, std::min<std::uint64_t>(resident_warps(kernel.device, 1, shared), kernel.resident_warps / chunk_warps)));
  kernel.block_shared = launch.chunks_per_block * shared + kernel.warps * kRingRoom;
  launch.dynamic_shared_bytes = 0;
  if (asked && kernel.block_shared > schedule::kStaticShared)
    launch.dynamic_shared_bytes = static_cast<std::uint32_t>(launch.chunks_per_block * kernel.memory.scratch_bytes);
  launch.carve_out = schedule.carve_out;
  kernel.prefetch = kernel.prefetch && !kernel.memory.temporary();
  launch.threads_per_block = kLanes * (kernel.warps * chunk_warps + (kernel.prefetch ? 1 : 0));
  kernel.objects.registers = registers_of(launch.threads_per_block, kernel.min_blocks);
  launch.temp_bytes_per_slot = kernel.memory.temporary_bytes;
  launch.input_alignment = schedule.input_alignment;
  launch.output_alignment = schedule.output_alignment;
}

}  // namespace sluice::plan
