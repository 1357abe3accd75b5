#pragma once
// GPUs as data: what a multiprocessor of each architecture has. Everything that knows such a number reads it here: the
// sizes of blocks, the limits of directives, occupancy on explain pages, the checks of artifacts and tests.
//
//   device_for("sm_80")  ->  164 KiB of shared memory a multiprocessor, of which a block may have 163
#include <cstdint>
#include <string_view>

namespace sluice::schedule {

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
struct Device {
  std::string_view arch;       // "sm_90"
  std::uint32_t threads = 0;   // resident on a multiprocessor
  std::uint32_t blocks = 0;    // resident on a multiprocessor
  std::uint32_t shared = 0;    // bytes of a multiprocessor
  std::uint32_t block_shared() const;  // bytes that a block may have of them, where it asks for more than kStaticShared
  // Bytes of a multiprocessor where a kernel wants so many per cent of them: the least of what a driver can set that is no less (kSharedSizes).
  //   sm_90, 50  ->  132 KiB
  [[nodiscard]] std::uint32_t carved_shared(std::uint32_t per_cent) const;
};

// The same on all of them.
inline constexpr std::uint32_t kLanes = 32;                // of a warp
inline constexpr std::uint32_t kMaxBlockThreads = 1024;    // of a block
inline constexpr std::uint32_t kStaticShared = 48 << 10;   // bytes of a block that asks for no more
inline constexpr std::uint32_t kReservedShared = 1 << 10;  // bytes of each block, taken by the system
inline constexpr std::uint32_t kSharedUnit = 128;          // bytes: shared memory is given in these
// What of a multiprocessor's fast memory may be shared memory, KiB; as far as it has so much. CUDA C++ Programming Guide, of each capability.
inline constexpr std::uint32_t kSharedSizes[] = {8, 16, 32, 64, 100, 132, 164, 196, 228};
inline constexpr std::uint32_t kRegisters = 64 << 10;      // of a multiprocessor
inline constexpr std::uint32_t kRegisterUnit = 256;        // given to a warp at a time
inline constexpr std::uint32_t kWarpUnit = 4;              // warps share the registers in fours

inline std::uint32_t Device::block_shared() const { return shared - kReservedShared; }

// What is emitted for when nobody names an architecture.
inline constexpr std::string_view kDefaultArch = "sm_90";

// "sm_90", "sm_90a", "compute_90". Null for what is not in the table.
[[nodiscard]] const Device* find_device(std::string_view arch);

// To size kernels by, where some limits are needed: the device of that name, for one that is not in the table the newest
// that is no newer, and the default's for the empty name or one older than all.
[[nodiscard]] const Device& device_for(std::string_view arch);

// The architecture of a target: "sm_90" of "cuda:sm_90", nothing of "cuda".
[[nodiscard]] constexpr std::string_view arch_of(std::string_view target) {
  const std::size_t colon = target.find(':');
  return colon == std::string_view::npos ? std::string_view() : target.substr(colon + 1);
}

}  // namespace sluice::schedule
