#include "runtime/launch/cuda_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "runtime/launch/occupancy.h"

namespace sluice::runtime {
namespace {

// What kernels with temporary memory expect of its address, and what callers need not care about.
constexpr std::uint64_t kTempAlign = 256;
// cuLaunchKernel's limit on blocks in x.
constexpr std::uint64_t kMaxBlocks = 0x7fffffff;
// A batch's temporary memory leaves most of the device to its data.
constexpr std::uint64_t kTempShare = 4;
// Where all that can be resident would take little more than so much, it takes no more: zstd's 2,112 chunks on an H200 would have
// 264 MiB, and are 2,044. Of blocks at most one in kGivenUp is given up for that.
constexpr std::uint64_t kTempGoal = 256 << 20, kGivenUp = 16;

Error unable(std::string text) { return {Error::Kind::Environment, std::move(text), {}}; }

std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

// Attributes and residency of a loaded function.
std::string describe(const CudaDevice& device, const plan::LaunchPlan& plan, CudaKernel& kernel) {
  const CudaDriver& driver = *device.driver;
  std::string failure;
  const auto attribute = [&](cu::FunctionAttribute which) {
    int value = 0;
    const cu::Code code = driver.function_attribute(&value, which, kernel.function);
    if (code != 0 && failure.empty()) failure = driver.failure("cuFuncGetAttribute", code);
    return static_cast<unsigned>(std::max(value, 0));
  };
  kernel.registers = attribute(cu::kRegisters);
  kernel.shared_bytes = attribute(cu::kSharedBytes);
  kernel.local_bytes = attribute(cu::kLocalBytes);
  const unsigned most_threads = attribute(cu::kMaxThreads);
  if (!failure.empty()) return failure;
  if (plan.threads_per_block > most_threads)
    return fmt::format("the kernel wants blocks of {} threads; {} can run {} of it", plan.threads_per_block,
                       device.name, most_threads);
  for (const auto& [which, value, asked] :
       {std::tuple{cu::kMaxDynamicShared, static_cast<int>(plan.dynamic_shared_bytes), plan.dynamic_shared_bytes != 0},
        std::tuple{cu::kCarveOut, plan.carve_out, plan.carve_out != schedule::kAnyCarveOut}}) {
    const cu::Code code = asked ? driver.set_function_attribute(kernel.function, which, value) : 0;
    if (code != 0 && which == cu::kMaxDynamicShared)
      return fmt::format("the kernel wants blocks of {} bytes of shared memory, which {} has not: {}",
                         kernel.shared_bytes + plan.dynamic_shared_bytes, device.name,
                         driver.failure("cuFuncSetAttribute", code));
    if (code != 0) return driver.failure("cuFuncSetAttribute", code);
  }
  kernel.shared_bytes += plan.dynamic_shared_bytes;
  int blocks = 0;
  const cu::Code code = driver.resident_blocks(&blocks, kernel.function, static_cast<int>(plan.threads_per_block),
                                               plan.dynamic_shared_bytes);
  if (code != 0) return driver.failure("cuOccupancyMaxActiveBlocksPerMultiprocessor", code);
  if (blocks <= 0) return fmt::format("not one block of the kernel fits a multiprocessor of {}", device.name);
  kernel.blocks_per_sm = static_cast<unsigned>(blocks);
  if (device.threads_per_sm > 0)
    kernel.occupancy = static_cast<double>(kernel.blocks_per_sm) * plan.threads_per_block / device.threads_per_sm;
  return "";
}

}  // namespace

std::string CudaProgram::find(cu::Module module, const std::string& name, CudaKernel& kernel) const {
  constexpr cu::Code kNotFound = 500;
  if (kernel.function || name.empty()) return "";
  const CudaDriver& driver = *device_->driver;
  const cu::Code code = driver.module_function(&kernel.function, module, name.c_str());
  if (code != 0) kernel.function = nullptr;
  if (code == kNotFound) return "";
  if (code != 0) return fmt::format("{} ({})", driver.failure("cuModuleGetFunction", code), name);
  if (driver.function_load)
    if (const cu::Code loaded = driver.function_load(kernel.function); loaded != 0)
      return driver.failure("cuFuncLoad", loaded);
  return describe(*device_, plan_, kernel);
}

std::string CudaProgram::load_image(std::span<const std::uint8_t> image) {
  const CudaDriver& driver = *device_->driver;
  std::array<char, 4096> log{};
  std::array<int, 2> names{cu::kErrorLog, cu::kErrorLogBytes};
  // The driver takes the buffer's size as a number in a pointer's place.
  std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(std::uintptr_t{log.size() - 1})};
  cu::Module module = nullptr;
  if (const cu::Code code =
          driver.module_load(&module, image.data(), static_cast<unsigned>(names.size()), names.data(), values.data());
      code != 0)
    return fmt::format("{} (driver for CUDA {}.{}, device {}){}{}", driver.failure("cuModuleLoadDataEx", code),
                       driver.version / 1000, driver.version % 1000 / 10, device_->arch, log[0] ? ": " : "",
                       log.data());
  module_ = CudaModule(device_, module);
  std::string failure = find(module, plan_.decode, decode_);
  if (failure.empty()) failure = find(module, plan_.count, count_);
  return failure;
}

Result<std::shared_ptr<const CudaProgram>> CudaProgram::load(std::shared_ptr<const CudaDevice> device,
                                                             std::span<const std::uint8_t> image,
                                                             const plan::LaunchPlan& plan) {
  if (plan.threads_per_block == 0 || plan.chunks_per_block == 0) return unable("the launch plan has empty blocks");
  std::shared_ptr<CudaProgram> program(new CudaProgram);
  program->device_ = std::move(device);
  program->plan_ = plan;
  const Current current(*program->device_);
  if (std::string failure = current.failure(); !failure.empty()) return unable(std::move(failure));
  if (std::string failure = program->load_image(image); !failure.empty()) return unable(std::move(failure));
  const bool decodes = !plan.decode.empty();
  if (!(decodes ? program->decode_ : program->count_).function)
    return unable("the device code has no kernel " + (decodes ? plan.decode : plan.count));
  return std::shared_ptr<const CudaProgram>(std::move(program));
}

std::uint64_t CudaProgram::useful_slots(std::uint64_t chunks) const {
  // Both kernels share the query, so the one of which more is resident decides.
  const std::uint64_t resident =
      std::uint64_t{std::max(decode_.blocks_per_sm, count_.blocks_per_sm)} * device_->sm_count;
  const std::uint64_t affordable =
      device_->memory_bytes / kTempShare / plan_.temp_bytes_per_slot / plan_.chunks_per_block;
  std::uint64_t blocks = std::min(divide_up(chunks, plan_.chunks_per_block), std::min(resident, affordable));
  const std::uint64_t goal = (kTempGoal - kTempAlign - plan::kTempHeader) / plan_.temp_bytes_per_slot / plan_.chunks_per_block;
  if (blocks > goal && resident - resident / kGivenUp <= goal) blocks = goal;
  return std::max<std::uint64_t>(blocks, 1) * plan_.chunks_per_block;
}

std::uint64_t CudaProgram::temp_bytes(std::uint64_t chunks) const {
  if (plan_.temp_bytes_per_slot == 0 || chunks == 0) return 0;
  return kTempAlign + plan::kTempHeader + useful_slots(chunks) * plan_.temp_bytes_per_slot;
}

std::uint64_t CudaProgram::least_temp_bytes() const {
  if (plan_.temp_bytes_per_slot == 0) return 0;
  return kTempAlign + plan::kTempHeader + plan_.chunks_per_block * plan_.temp_bytes_per_slot;
}

CallError CudaProgram::launch(CudaMode mode, sluice_cuda_batch batch, cu::Address temp, std::uint64_t temp_bytes,
                              cu::Stream stream) const {
  if (batch.chunks == 0) return {};
  const CudaKernel& kernel = this->kernel(mode);
  if (!kernel.function)
    return CallError::bad_argument(
        fmt::format("the module has no kernel {}", mode == CudaMode::Decode ? plan_.decode : plan_.count));
  const CudaDriver& driver = *device_->driver;
  const Current current(*device_);
  if (CallError failure = current.call_error(); !failure.empty()) return failure;

  const std::uint32_t block_chunks = chunks_of_block(plan_, batch.chunks, device_->sm_count);
  std::uint64_t blocks = divide_up(batch.chunks, block_chunks);
  batch.temp = nullptr;
  batch.slots = 0;
  if (plan_.temp_bytes_per_slot != 0) {
    if (temp == 0 || temp_bytes < least_temp_bytes())
      return CallError::bad_argument(fmt::format("{} bytes of temporary memory are too few: {} is the least",
                                                 temp == 0 ? 0 : temp_bytes, least_temp_bytes()));
    const cu::Address aligned = (temp + kTempAlign - 1) & ~(kTempAlign - 1);
    const std::uint64_t room = temp_bytes - (aligned - temp) - plan::kTempHeader;
    const std::uint64_t given = room / plan_.temp_bytes_per_slot / plan_.chunks_per_block;  // in blocks, at least one
    blocks = std::min({blocks, given, useful_slots(batch.chunks) / plan_.chunks_per_block});
    batch.temp = reinterpret_cast<unsigned char*>(static_cast<std::uintptr_t>(aligned));
    batch.slots = blocks * plan_.chunks_per_block;
    if (const cu::Code code = driver.set_bytes(aligned, 0, plan::kTempHeader, stream); code != 0)
      return driver.call_error("cuMemsetD8Async", code);
  }
  if (blocks > kMaxBlocks)
    return CallError::bad_argument(fmt::format("{} chunks are more than one batch holds", batch.chunks));
  void* parameters[] = {&batch};
  return driver.call_error("cuLaunchKernel",
                           driver.launch(kernel.function, static_cast<unsigned>(blocks), 1, 1,
                                         plan_.threads_per_block / plan_.chunks_per_block * block_chunks, 1, 1,
                                         plan_.dynamic_shared_bytes, stream, parameters, nullptr));
}

}  // namespace sluice::runtime
