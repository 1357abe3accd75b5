#pragma once
// What the stand-in for NVRTC makes and the stand-in for the driver loads: this head, then a shared library's bytes.
#include <cstdint>

namespace sluice::gpu {

struct ImageHead {
  std::uint64_t magic;
  std::uint64_t bytes;
};
inline constexpr std::uint64_t kImageMagic = 0x6e695f646e617473;  // "stand_in"

}  // namespace sluice::gpu
