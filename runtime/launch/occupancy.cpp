#include "runtime/launch/occupancy.h"

#include <algorithm>

namespace sluice::runtime {
namespace {

using namespace schedule;

constexpr unsigned round_up(unsigned n, unsigned to) { return (n + to - 1) / to * to; }

}  // namespace

Occupancy occupancy_of(const Device& device, unsigned threads_per_block, unsigned registers, unsigned shared_bytes) {
  const unsigned warps = std::max(1u, round_up(threads_per_block, kLanes) / kLanes);
  const unsigned registers_per_warp = round_up(std::max(registers, 1u) * kLanes, kRegisterUnit);
  const unsigned resident_warps = kRegisters / registers_per_warp / kWarpUnit * kWarpUnit;
  Occupancy found{device.blocks, 0, "blocks"};
  const auto limit = [&](unsigned blocks, std::string_view what) {
    if (blocks < found.blocks) found = {blocks, 0, what};
  };
  limit(device.threads / (warps * kLanes), "threads");
  limit(resident_warps / warps, "registers");
  limit(device.shared / (round_up(shared_bytes, kSharedUnit) + kReservedShared), "shared memory");
  found.share = static_cast<double>(found.blocks * warps * kLanes) / device.threads;
  return found;
}

unsigned shared_of(const plan::LaunchPlan& plan, const KernelResources& kernel) { return kernel.shared + plan.dynamic_shared_bytes; }

Occupancy occupancy_of(const Device& device, const plan::LaunchPlan& plan, const KernelResources& kernel) {
  const auto of = [&](const Device& any) { return occupancy_of(any, plan.threads_per_block, kernel.registers, shared_of(plan, kernel)); };
  const Occupancy whole = of(device);
  if (plan.carve_out == kAnyCarveOut || whole.blocks == 0) return whole;
  Device carved = device;
  carved.shared = device.carved_shared(static_cast<std::uint32_t>(plan.carve_out));
  const Occupancy some = of(carved);
  if (some.blocks != 0) return some;
  Occupancy one = whole;  // a wish: a block that needs more gets it
  one.share /= one.blocks;
  one.blocks = 1;
  return one;
}

std::uint32_t chunks_of_block(const plan::LaunchPlan& plan, std::uint64_t chunks, unsigned multiprocessors) {
  std::uint32_t of_block = plan.chunks_per_block;
  if (!plan.narrows()) return of_block;
  while (of_block > 1 && (chunks + of_block - 1) / of_block < kBlocksOfMultiprocessor * multiprocessors) of_block /= 2;
  return of_block;
}

}  // namespace sluice::runtime
