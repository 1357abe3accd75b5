#pragma once
// A compiled description to a kernel's text: the schedule chosen or asked for, then the emitter.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/driver/compile.h"
#include "compiler/emit/cuda.h"
#include "compiler/strategy/alternatives.h"
#include "runtime/api/result.hpp"

namespace sluice {

struct CudaText {
  schedule::Schedule schedule;
  emit::CudaUnit unit;
  std::vector<strategy::Alternative> alternatives;  // what some batches may have instead: cuda_unit() makes their texts
};

enum class CudaKernels : std::uint8_t { Decode, Count, Both };

// `compiled` is the result of `request`. `target`: "cuda" or "cuda:sm_90". `directives`: as on the command line, in the
// place of the format's own schedule. `kernels`: which are in the text; the plan is the same for all. Kind::Spec when a
// directive is refused: its text shows where and what is legal. Texts of schedules are added to compiled.sources.
[[nodiscard]] Result<CudaText> cuda_text(driver::Compiled& compiled, const driver::Request& request,
                                         std::string_view target, std::string_view directives, CudaKernels kernels,
                                         bool colour);

// The text under a schedule that was made for the format and the target: one of a CudaText.
[[nodiscard]] emit::CudaUnit cuda_unit(const driver::Compiled& compiled, const schedule::Schedule& schedule,
                                       std::string_view target, CudaKernels kernels);

inline constexpr const char* kDeviceTrial = "sluice_device_trial";  // the kernel of DeviceFunctionText::trial
// The header of a format's device function (compiler/emit/device_function.h).
struct DeviceFunctionText {
  schedule::Schedule schedule;
  std::string text;
  std::string trial;  // behind it: a kernel that calls it, to see that it compiles
};
// `directives`: as on the command line; empty: the fastest legal schedule. `set`: the parameters that `compiled` was made with,
// "T=i32": they are part of the header's names. Kind::Spec where the format has none or a directive is refused.
[[nodiscard]] Result<DeviceFunctionText> device_function(driver::Compiled& compiled, std::string_view target, std::string_view directives,
                                                         std::span<const std::string> set, bool colour);

}  // namespace sluice
