#pragma once
// Relocatable objects to one image, by the driver's linker: it is where kernels are to run, so a link needs nothing else.
//
//   CUBIN of the kernel, CUBIN of what it calls   ->   a CUBIN that CudaProgram::load takes
#include <memory>

#include "compiler/plan/kernel.h"
#include "runtime/jit/cuda_code.h"
#include "runtime/launch/cuda_device.h"

namespace sluice::runtime {

// For compile_cuda: a text's objects, linked by the device's driver. A driver that does not link gives none.
[[nodiscard]] CudaObjects linked_on(const std::shared_ptr<const CudaDevice>& device, const plan::Objects& objects);

}  // namespace sluice::runtime
