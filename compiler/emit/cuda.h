#pragma once
// A module as CUDA C++: one self-contained text with the kernels `sluice_decode_kernel` and `sluice_count_kernel`, for
// NVRTC, and for a C++ compiler with the host SIMT layer of the tests in front.
//
//   module  ->  cuda_abi.h, primitives, constants, chunk state, fast loops, rules of the checked path, two kernels
#include <cstdint>
#include <string>

#include "compiler/emit/dialect.h"
#include "compiler/ir/ir.h"
#include "compiler/plan/kernel.h"
#include "compiler/plan/launch.h"
#include "compiler/schedule/device.h"
#include "compiler/schedule/schedule.h"
#include "dsl/source/source.h"

namespace sluice::emit {

struct CudaOptions {
  schedule::Schedule schedule = {};
  bool decode = true;  // which kernels: a count kernel that nobody asks for costs as much compile time as the decoder
  bool count = true;
  const Dialect* dialect = &kCuda;
  schedule::Device device = schedule::device_for("");  // whose limits the kernel's sizes follow
  const SourceSet* sources = nullptr;  // of the module's spans: comments then name the spec's lines
  std::string device_function = {};    // not empty: a header in this namespace instead of kernels, see device_function.h
};

struct CudaUnit {
  std::string text;
  plan::Objects objects;  // that the text can be compiled as: `--define-macro=SLUICE_OBJECT=1`, 2, ..., for so many registers
  plan::LaunchPlan plan;
};

[[nodiscard]] CudaUnit emit_cuda(const ir::Module& module, const CudaOptions& options = {});

}  // namespace sluice::emit
