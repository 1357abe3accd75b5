#pragma once
// The part of an explain page that is about CUDA: the schedule in force, what the kernels take of the machine, and why
// other strategies are not legal.
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "compiler/analysis/facts.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/schedule.h"
#include "compiler/emit/cuda.h"
#include "compiler/plan/lower.h"
#include "runtime/api/result.hpp"
#include "runtime/jit/ptxas_log.h"

namespace sluice::cli {

struct CudaPage {
  std::string arch;  // "sm_90"; empty: none was named
  driver::Scheduled scheduled;
  plan::TokenPlans tokens;
  plan::LaunchPlan plan;
  std::uint32_t objects = 1;  // that its text can be compiled as
  std::vector<runtime::KernelResources> kernels;  // of `arch`; empty when they are not known
  std::string unknown;                            // why they are not
  std::optional<Error> refused;                   // the compiler refused the text: there is nothing to explain
};

// `target`: "cuda" or "cuda:sm_90". Emits the kernels and, for an architecture, has NVRTC compile them. Where it can't be
// asked `unknown` says why; what it says against them is in `refused`. Without a schedule (scheduled.diags has errors) the rest is
// empty.
[[nodiscard]] CudaPage explain_cuda(driver::Compiled& compiled, const driver::Request& request,
                                    const analysis::Facts& facts, const std::string& target,
                                    const std::string& directives);

[[nodiscard]] std::string cuda_page_text(const CudaPage& page, const driver::Compiled& compiled,
                                         const analysis::Facts& facts, bool colour);
[[nodiscard]] nlohmann::ordered_json cuda_page_json(const CudaPage& page, const driver::Compiled& compiled,
                                                    const analysis::Facts& facts);

}  // namespace sluice::cli
