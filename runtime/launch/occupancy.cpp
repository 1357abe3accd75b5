#include "runtime/launch/occupancy.h"

#include <algorithm>
#include <array>

namespace sluice::runtime {
namespace {

constexpr unsigned kKib = 1024;
constexpr std::array<SmLimits, 10> kLimits{{{"sm_80", 2048, 32, 164 * kKib},
                                            {"sm_86", 1536, 16, 100 * kKib},
                                            {"sm_87", 1536, 16, 164 * kKib},
                                            {"sm_89", 1536, 24, 100 * kKib},
                                            {"sm_90", 2048, 32, 228 * kKib},
                                            {"sm_90a", 2048, 32, 228 * kKib},
                                            {"sm_100", 2048, 32, 228 * kKib},
                                            {"sm_103", 2048, 32, 228 * kKib},
                                            {"sm_120", 1536, 24, 100 * kKib},
                                            {"sm_121", 1536, 24, 100 * kKib}}};

// The same on all of them.
constexpr unsigned kLanes = 32;
constexpr unsigned kRegisters = 64 * kKib;      // of a multiprocessor
constexpr unsigned kRegisterUnit = 256;         // given to a warp at a time
constexpr unsigned kWarpUnit = 4;               // warps share the register file in fours
constexpr unsigned kSharedUnit = 128;           // bytes
constexpr unsigned kReservedShared = 1 * kKib;  // of each block, by the system

constexpr unsigned round_up(unsigned n, unsigned to) { return (n + to - 1) / to * to; }

}  // namespace

const SmLimits* sm_limits(std::string_view arch) {
  const auto at = std::ranges::find(kLimits, arch, &SmLimits::arch);
  return at == kLimits.end() ? nullptr : &*at;
}

Occupancy occupancy_of(const SmLimits& limits, unsigned threads_per_block, unsigned registers, unsigned shared_bytes) {
  const unsigned warps = std::max(1u, round_up(threads_per_block, kLanes) / kLanes);
  const unsigned registers_per_warp = round_up(std::max(registers, 1u) * kLanes, kRegisterUnit);
  const unsigned resident_warps = kRegisters / registers_per_warp / kWarpUnit * kWarpUnit;
  Occupancy found{limits.blocks, 0, "blocks"};
  const auto limit = [&](unsigned blocks, std::string_view what) {
    if (blocks < found.blocks) found = {blocks, 0, what};
  };
  limit(limits.threads / (warps * kLanes), "threads");
  limit(resident_warps / warps, "registers");
  limit(limits.shared / (round_up(shared_bytes, kSharedUnit) + kReservedShared), "shared memory");
  found.share = static_cast<double>(found.blocks * warps * kLanes) / limits.threads;
  return found;
}

}  // namespace sluice::runtime
