#include "runtime/launch/cuda_device.h"

#include <fmt/format.h>

#include <array>

namespace sluice::runtime {
namespace {

// The device of the current context, or `ordinal`'s; context and `retained` set.
std::string choose(CudaDevice& device, int ordinal) {
  const CudaDriver& driver = *device.driver;
  if (ordinal < 0) {
    if (const cu::Code code = driver.context_current(&device.context); code != 0)
      return driver.failure("cuCtxGetCurrent", code);
    if (device.context) return driver.failure("cuCtxGetDevice", driver.context_device(&device.device));
    ordinal = 0;
  }
  int count = 0;
  if (const cu::Code code = driver.device_count(&count); code != 0) return driver.failure("cuDeviceGetCount", code);
  if (ordinal >= count) return fmt::format("there is no CUDA device {}: the driver knows {}", ordinal, count);
  if (const cu::Code code = driver.device_get(&device.device, ordinal); code != 0)
    return driver.failure("cuDeviceGet", code);
  const cu::Code code = driver.primary_retain(&device.context, device.device);
  device.retained = code == 0;
  return driver.failure("cuDevicePrimaryCtxRetain", code);
}

std::string read_properties(CudaDevice& device) {
  const CudaDriver& driver = *device.driver;
  std::array<char, 256> name{};
  if (const cu::Code code = driver.device_name(name.data(), static_cast<int>(name.size() - 1), device.device);
      code != 0)
    return driver.failure("cuDeviceGetName", code);
  device.name = name.data();
  std::size_t bytes = 0;
  if (const cu::Code code = driver.device_memory(&bytes, device.device); code != 0)
    return driver.failure("cuDeviceTotalMem", code);
  device.memory_bytes = bytes;

  std::string failure;
  const auto attribute = [&](cu::DeviceAttribute which) {
    int value = 0;
    const cu::Code code = driver.device_attribute(&value, which, device.device);
    if (code != 0 && failure.empty()) failure = driver.failure("cuDeviceGetAttribute", code);
    return static_cast<unsigned>(value);
  };
  device.major = attribute(cu::kMajor);
  device.minor = attribute(cu::kMinor);
  device.arch = fmt::format("sm_{}{}", device.major, device.minor);
  device.sm_count = attribute(cu::kSmCount);
  device.threads_per_sm = attribute(cu::kThreadsPerSm);
  device.shared_per_sm = attribute(cu::kSharedPerSm);
  device.l2_bytes = attribute(cu::kL2Bytes);
  return failure;
}

}  // namespace

CudaDevice::~CudaDevice() {
  if (retained) static_cast<void>(driver->primary_release(device));
}

Result<std::shared_ptr<const CudaDevice>> CudaDevice::open(int ordinal) {
  auto driver = CudaDriver::load();
  if (!driver) return driver.error();
  auto device = std::make_shared<CudaDevice>();
  device->driver = std::move(*driver);
  std::string failure = choose(*device, ordinal);
  if (failure.empty()) failure = read_properties(*device);
  if (!failure.empty()) return Error{Error::Kind::Environment, std::move(failure), {}};
  return std::shared_ptr<const CudaDevice>(std::move(device));
}

namespace {

// Calls `make(&handle)` in the device's context.
template <class Owned, class Handle, class Make>
Result<Owned> make_owned(const std::shared_ptr<const CudaDevice>& device, const char* what, Make&& make) {
  const Current current(*device);
  if (std::string failure = current.failure(); !failure.empty())
    return Error{Error::Kind::Environment, std::move(failure), {}};
  Handle handle{};
  if (const cu::Code code = make(&handle); code != 0) return device->driver->error(what, code);
  return Owned(device, handle);
}

}  // namespace

Result<DeviceMemory> make_device_memory(const std::shared_ptr<const CudaDevice>& device, std::uint64_t bytes) {
  if (bytes == 0) return DeviceMemory();
  auto made = make_owned<DeviceMemory, cu::Address>(
      device, "cuMemAlloc", [&](cu::Address* at) { return device->driver->memory_alloc(at, bytes); });
  if (!made) return Error{made.error().kind, fmt::format("{} ({} bytes)", made.error().text, bytes), {}};
  return made;
}

Result<PinnedMemory> make_pinned_memory(const std::shared_ptr<const CudaDevice>& device, std::uint64_t bytes) {
  if (bytes == 0) return PinnedMemory();
  auto made = make_owned<PinnedMemory, void*>(device, "cuMemHostAlloc",
                                              [&](void** at) { return device->driver->host_alloc(at, bytes, 0); });
  if (!made) return Error{made.error().kind, fmt::format("{} ({} bytes)", made.error().text, bytes), {}};
  return made;
}

Result<CudaStream> make_stream(const std::shared_ptr<const CudaDevice>& device) {
  return make_owned<CudaStream, cu::Stream>(device, "cuStreamCreate", [&](cu::Stream* stream) {
    return device->driver->stream_create(stream, cu::kNonBlockingStream);
  });
}

Result<CudaEvent> make_event(const std::shared_ptr<const CudaDevice>& device, Timing timing) {
  return make_owned<CudaEvent, cu::Event>(device, "cuEventCreate", [&](cu::Event* event) {
    return device->driver->event_create(event, timing == Timing::Yes ? 0 : cu::kEventNoTiming);
  });
}

bool captured(const CudaDevice& device, cu::Stream stream) {
  const Current current(device);
  int status = 0;
  return device.driver->stream_capturing && device.driver->stream_capturing(stream, &status) == 0 && status != 0;
}

std::uint64_t free_memory(const CudaDevice& device) {
  const Current current(device);
  std::size_t free = 0, total = 0;
  return current.failure().empty() && device.driver->memory_info(&free, &total) == 0 ? free : 0;
}

}  // namespace sluice::runtime
