#pragma once
// From device code to running kernels: module, grid, temporary memory.
//
//   plan: 128 threads a block, 4 chunks a block, no temp          plan: 1 chunk a block, 6 MiB a slot
//   1000 chunks -> 250 blocks                                     1000 chunks -> as many slots as blocks can be
//   resident
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/plan/launch.h"
#include "runtime/api/cuda_abi.h"
#include "runtime/jit/nvrtc.h"
#include "runtime/launch/cuda_device.h"

namespace sluice::runtime {

enum class CudaMode : std::uint8_t { Decode, Count };

// One kernel as it was loaded.
struct CudaKernel {
  cu::Function function = nullptr;  // null: the module does not have it
  unsigned registers = 0;           // a thread
  unsigned shared_bytes = 0;        // a block
  unsigned local_bytes = 0;         // a thread: stack and spills
  unsigned blocks_per_sm = 0;       // resident at the same time
  double occupancy = 0;             // resident threads of those that a multiprocessor has room for
};

// Immutable once loaded; every const function may be called from any number of threads.
class CudaProgram {
 public:
  // Loads CUBIN or PTX into the device's context, its kernels ready to launch: nothing is left for the first launch to
  // do. Those that the plan names are looked for; beside the decoding one, the counting one may be missing. Errors are
  // Kind::Environment; a driver that refuses PTX gives its reasons.
  static Result<std::shared_ptr<const CudaProgram>> load(std::shared_ptr<const CudaDevice> device,
                                                         std::span<const std::uint8_t> image,
                                                         const plan::LaunchPlan& plan);

  // Temporary device memory for a batch of `chunks`: 0 for formats without stages, else enough for every chunk, or for
  // as many as can be resident if that is fewer (and no more than a quarter of the device's memory). Depends on the
  // number of chunks and the device, never on data.
  [[nodiscard]] std::uint64_t temp_bytes(std::uint64_t chunks) const;
  // The least that launch() takes for a batch of any size.
  [[nodiscard]] std::uint64_t least_temp_bytes() const;

  // Queues the kernel on `stream` for batch.chunks chunks; batch.temp and batch.slots are set here from `temp`, any
  // alignment, of which `temp_bytes` are used as far as they help. Does not wait, allocate or copy. Errors: the
  // driver refuses, temp_bytes is too little.
  [[nodiscard]] CallError launch(CudaMode mode, sluice_cuda_batch batch, cu::Address temp, std::uint64_t temp_bytes,
                                 cu::Stream stream) const;

  const CudaKernel& kernel(CudaMode mode) const { return mode == CudaMode::Decode ? decode_ : count_; }
  const plan::LaunchPlan& plan() const { return plan_; }
  const std::shared_ptr<const CudaDevice>& device() const { return device_; }

 private:
  CudaProgram() = default;
  std::string load_image(std::span<const std::uint8_t> image);
  std::string find(cu::Module module, const std::string& name, CudaKernel& kernel) const;
  std::uint64_t useful_slots(std::uint64_t chunks) const;

  std::shared_ptr<const CudaDevice> device_;
  plan::LaunchPlan plan_;
  CudaModule module_;
  CudaKernel decode_, count_;
};

}  // namespace sluice::runtime
