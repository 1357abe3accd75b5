#include "compiler/schedule/device.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

namespace sluice::schedule {
namespace {

constexpr std::uint32_t kKib = 1024;
// By number, ascending.
constexpr std::array<Device, 9> kDevices{{{"sm_80", 2048, 32, 164 * kKib},
                                          {"sm_86", 1536, 16, 100 * kKib},
                                          {"sm_87", 1536, 16, 164 * kKib},
                                          {"sm_89", 1536, 24, 100 * kKib},
                                          {"sm_90", 2048, 32, 228 * kKib},
                                          {"sm_100", 2048, 32, 228 * kKib},
                                          {"sm_103", 2048, 32, 228 * kKib},
                                          {"sm_120", 1536, 24, 100 * kKib},
                                          {"sm_121", 1536, 24, 100 * kKib}}};

static_assert(std::ranges::all_of(kDevices, [](const Device& d) { return std::ranges::find(kSharedSizes, d.shared / kKib) != std::end(kSharedSizes); }),
              "all of it is a size that a driver can set");

// 90 of "sm_90", "sm_90a" and "compute_90"; 0 of anything else.
unsigned number_of(std::string_view arch) {
  for (const std::string_view prefix : {"sm_", "compute_"}) {
    if (!arch.starts_with(prefix)) continue;
    arch.remove_prefix(prefix.size());
    unsigned number = 0;
    const auto [end, status] = std::from_chars(arch.data(), arch.data() + arch.size(), number);
    const std::string_view suffix = arch.substr(static_cast<std::size_t>(end - arch.data()));
    return status == std::errc{} && (suffix.empty() || suffix == "a" || suffix == "f") ? number : 0;
  }
  return 0;
}

}  // namespace

std::uint32_t Device::carved_shared(std::uint32_t per_cent) const {
  for (const std::uint32_t kib : kSharedSizes)
    if (kib * kKib <= shared && 100ull * kib * kKib >= std::uint64_t{per_cent} * shared) return kib * kKib;
  return shared;
}

const Device* find_device(std::string_view arch) {
  const unsigned number = number_of(arch);
  const auto at = std::ranges::find(kDevices, number, [](const Device& d) { return number_of(d.arch); });
  return at == kDevices.end() ? nullptr : &*at;
}

const Device& device_for(std::string_view arch) {
  const unsigned number = number_of(arch);
  const auto newer = std::ranges::upper_bound(kDevices, number, {}, [](const Device& d) { return number_of(d.arch); });
  return newer == kDevices.begin() ? *find_device(kDefaultArch) : *(newer - 1);
}

}  // namespace sluice::schedule
