#include "runtime/jit/cuda_driver.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <optional>
#include <vector>

#include "runtime/jit/shared_library.h"

namespace sluice::runtime {
namespace {

// The toolkit has a libcuda.so for linking only, whose cuInit gives this.
constexpr cu::Code kStub = 34;

Error unable(std::string text) { return {Error::Kind::Environment, std::move(text), {}}; }

// The name of the first function that is missing; null when all are there.
const char* fill(const SharedLibrary& library, CudaDriver& api) {
  const char* missing = nullptr;
  const auto get = [&](const char* name, auto*& function) {
    if (!library.get(name, function) && !missing) missing = name;
  };
  get("cuInit", api.init);
  get("cuDriverGetVersion", api.driver_version);
  get("cuGetErrorName", api.error_name);
  get("cuGetErrorString", api.error_string);
  get("cuDeviceGetCount", api.device_count);
  get("cuDeviceGet", api.device_get);
  get("cuDeviceGetName", api.device_name);
  get("cuDeviceGetAttribute", api.device_attribute);
  get("cuDeviceTotalMem_v2", api.device_memory);
  get("cuDevicePrimaryCtxRetain", api.primary_retain);
  get("cuDevicePrimaryCtxRelease_v2", api.primary_release);
  get("cuCtxGetCurrent", api.context_current);
  get("cuCtxGetDevice", api.context_device);
  get("cuCtxPushCurrent_v2", api.context_push);
  get("cuCtxPopCurrent_v2", api.context_pop);
  get("cuModuleLoadDataEx", api.module_load);
  get("cuModuleUnload", api.module_unload);
  get("cuModuleGetFunction", api.module_function);
  get("cuFuncGetAttribute", api.function_attribute);
  get("cuFuncSetAttribute", api.set_function_attribute);
  get("cuOccupancyMaxActiveBlocksPerMultiprocessor", api.resident_blocks);
  get("cuLaunchKernel", api.launch);
  get("cuMemGetInfo_v2", api.memory_info);
  get("cuMemAlloc_v2", api.memory_alloc);
  get("cuMemFree_v2", api.memory_free);
  get("cuMemHostAlloc", api.host_alloc);
  get("cuMemFreeHost", api.host_free);
  get("cuMemcpyHtoDAsync_v2", api.copy_to_device);
  get("cuMemcpyDtoHAsync_v2", api.copy_to_host);
  get("cuMemcpyDtoDAsync_v2", api.copy_on_device);
  get("cuMemsetD8Async", api.set_bytes);
  get("cuStreamCreate", api.stream_create);
  get("cuStreamDestroy_v2", api.stream_destroy);
  get("cuStreamSynchronize", api.stream_synchronize);
  get("cuEventCreate", api.event_create);
  get("cuEventDestroy_v2", api.event_destroy);
  get("cuEventRecord", api.event_record);
  get("cuEventSynchronize", api.event_synchronize);
  get("cuEventQuery", api.event_query);
  get("cuStreamWaitEvent", api.stream_wait);
  // The second version has the same parameters; older drivers have only the first.
  if (!library.get("cuEventElapsedTime_v2", api.event_elapsed)) get("cuEventElapsedTime", api.event_elapsed);
  static_cast<void>(library.get("cuFuncLoad", api.function_load));
  static_cast<void>(library.get("cuStreamIsCapturing", api.stream_capturing));
  static_cast<void>(library.get("cuThreadExchangeStreamCaptureMode", api.exchange_capture_mode));
  if (!library.get("cuLinkCreate_v2", api.link_create) || !library.get("cuLinkAddData_v2", api.link_add) ||
      !library.get("cuLinkComplete", api.link_complete) || !library.get("cuLinkDestroy", api.link_destroy))
    api.link_create = nullptr;
  return missing;
}

}  // namespace

Result<std::shared_ptr<const CudaDriver>> CudaDriver::load() {
  std::vector<std::string> names;
  if (const char* own = std::getenv("SLUICE_CUDA_DRIVER"); own && *own)
    names = {own};
  else
    names = {"libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/local/nvidia/lib/libcuda.so.1",
             "/usr/lib/wsl/lib/libcuda.so.1"};
  std::optional<SharedLibrary> library;
  std::string first_reason;
  for (const std::string& name : names) {
    std::string why_not;
    library = SharedLibrary::open(name, why_not);
    if (library) break;
    if (first_reason.empty()) first_reason = why_not;
  }
  if (!library)
    return unable(
        fmt::format("no CUDA driver on this machine: looked for {} ({})", fmt::join(names, ", "), first_reason));

  auto api = std::make_shared<CudaDriver>();
  api->path = library->path().string();
  if (const char* missing = fill(*library, *api))
    return unable(fmt::format("the CUDA driver {} is too old: it has no {}", api->path, missing));
  const cu::Code code = api->init(0);
  if (code == kStub)
    return unable(fmt::format("no CUDA driver on this machine: {} is the toolkit's stand-in for linking", api->path));
  if (code != 0)
    return unable(fmt::format("the CUDA driver {} does not start: {}", api->path, api->failure("cuInit", code)));
  if (const cu::Code wrong = api->driver_version(&api->version); wrong != 0)
    return api->error("cuDriverGetVersion", wrong);
  return std::shared_ptr<const CudaDriver>(std::move(api));
}

std::string CudaDriver::failure(const char* what, cu::Code code) const {
  if (code == 0) return "";
  const char* name = nullptr;
  const char* text = nullptr;
  if (error_name(code, &name) != 0 || !name) name = "unknown error";
  if (error_string(code, &text) != 0 || !text) text = "no description";
  return fmt::format("{}: {} ({}): {}", what, name, code, text);
}

}  // namespace sluice::runtime
