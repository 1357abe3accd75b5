#include "tests/gpu/device.h"

#include <utility>

namespace sluice::gpu {

Result<Device> Device::open() {
  auto device = runtime::CudaDevice::open(0);
  if (!device) return device.error();
  auto stream = runtime::make_stream(*device);
  if (!stream) return stream.error();
  Device opened;
  opened.device_ = std::move(*device);
  opened.stream_ = std::move(*stream);
  return opened;
}

std::string Device::upload(Address to, const void* from, std::size_t bytes) const {
  if (bytes == 0) return "";
  const runtime::Current current(*device_);
  return device_->driver->failure("cuMemcpyHtoDAsync",
                                  device_->driver->copy_to_device(to, from, bytes, stream_.get()));
}

std::string Device::download(void* to, Address from, std::size_t bytes) const {
  if (bytes == 0) return "";
  const runtime::Current current(*device_);
  return device_->driver->failure("cuMemcpyDtoHAsync", device_->driver->copy_to_host(to, from, bytes, stream_.get()));
}

std::string Device::copy(Address to, Address from, std::size_t bytes) const {
  if (bytes == 0) return "";
  const runtime::Current current(*device_);
  return device_->driver->failure("cuMemcpyDtoDAsync", device_->driver->copy_on_device(to, from, bytes, stream_.get()));
}

std::string Device::fill(Address to, std::uint8_t value, std::size_t bytes) const {
  if (bytes == 0) return "";
  const runtime::Current current(*device_);
  return device_->driver->failure("cuMemsetD8Async", device_->driver->set_bytes(to, value, bytes, stream_.get()));
}

std::string Device::wait() const {
  const runtime::Current current(*device_);
  return device_->driver->failure("cuStreamSynchronize", device_->driver->stream_synchronize(stream_.get()));
}

std::string Memory::reserve(const Device& device, std::uint64_t bytes) {
  if (bytes <= bytes_) return "";
  memory_ = runtime::DeviceMemory();
  bytes_ = 0;
  auto made = runtime::make_device_memory(device.shared(), bytes);
  if (!made) return made.error().text;
  memory_ = std::move(*made);
  bytes_ = bytes;
  return "";
}

}  // namespace sluice::gpu
