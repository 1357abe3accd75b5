#pragma once
// One GPU, a stream and memory, for programs that check and measure kernels.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "runtime/launch/cuda_device.h"

namespace sluice::gpu {

using runtime::cu::Address;

// Calls return the driver's sentence; empty is success. Not thread-safe.
class Device {
 public:
  static Result<Device> open();

  // As the public API wants a stream.
  void* stream() const { return stream_.get(); }
  const runtime::CudaDevice& properties() const { return *device_; }
  const std::shared_ptr<const runtime::CudaDevice>& shared() const { return device_; }

  std::string upload(Address to, const void* from, std::size_t bytes) const;
  std::string download(void* to, Address from, std::size_t bytes) const;
  std::string copy(Address to, Address from, std::size_t bytes) const;
  std::string fill(Address to, std::uint8_t value, std::size_t bytes) const;
  // Until all of the above and every kernel queued on the stream is done.
  std::string wait() const;

 private:
  std::shared_ptr<const runtime::CudaDevice> device_;
  runtime::CudaStream stream_;
};

// Device memory that grows when asked to, and is kept for the next batch. Its contents are lost when it grows.
class Memory {
 public:
  std::string reserve(const Device& device, std::uint64_t bytes);
  Address at() const { return memory_.get(); }
  std::uint64_t bytes() const { return bytes_; }

 private:
  runtime::DeviceMemory memory_;
  std::uint64_t bytes_ = 0;
};

// A device address as the API's plain pointer.
template <class T>
T* pointer(Address at) {
  return reinterpret_cast<T*>(static_cast<std::uintptr_t>(at));
}

}  // namespace sluice::gpu
