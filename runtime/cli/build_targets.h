#pragma once
// `sluice build --target LIST`: the images an artifact gets.
//
//   "cuda:sm_80,cuda:sm_90,ptx,cpu"  ->  CUBINs sm_80, sm_90; PTX compute_80; x86-64-v3 and x86-64
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::cli {

struct BuildTargets {
  std::vector<std::string> isas;   // of CPUs, in order of preference
  std::vector<std::string> archs;  // of GPUs: "sm_90" or "compute_80"
};

// The oldest architecture that the kernels' instructions need (reductions over a warp): PTX for it runs on all.
inline constexpr std::string_view kPtxArch = "compute_80";

// Nothing, and a sentence in `error`, for a word that names no target. Words given twice count once.
[[nodiscard]] std::optional<BuildTargets> parse_build_targets(const std::vector<std::string>& lists,
                                                              std::string& error);

}  // namespace sluice::cli
