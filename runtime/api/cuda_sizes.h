#pragma once
// The kernel behind decoded sizes. Most callers know their sizes and never ask, so a decoder of a description compiles
// it when it is first asked for; an artifact brings it.
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "compiler/plan/launch.h"
#include "runtime/jit/cache.h"
#include "runtime/launch/cuda_launch.h"

namespace sluice::cuda {

class SizesProgram {
 public:
  // One that is there: an artifact's.
  void is(std::shared_ptr<const runtime::CudaProgram> program) { program_ = std::move(program); }
  // One to be made of a kernel's text for `arch`, on the device, with the plan of the decoding one.
  void will_be(std::string text, std::string arch, runtime::ObjectCache cache,
               std::shared_ptr<const runtime::CudaDevice> device, plan::LaunchPlan plan);

  // The program, made by the first call that asks; `program` is null and the error says why where there is none. Any
  // number of threads may ask: one makes it, the others wait.
  CallError get(std::shared_ptr<const runtime::CudaProgram>& program) const;

 private:
  std::string text_, arch_;
  runtime::ObjectCache cache_{std::filesystem::path()};
  std::shared_ptr<const runtime::CudaDevice> device_;
  plan::LaunchPlan plan_;
  mutable std::mutex making_;
  mutable std::shared_ptr<const runtime::CudaProgram> program_;
};

}  // namespace sluice::cuda
