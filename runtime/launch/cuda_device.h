#pragma once
// A GPU with its context, and what belongs to that context: memory, streams, events, modules.
//
// Every call of the driver that needs a context stands in the scope of a `Current`, which makes the device's context
// the calling thread's and puts back what was there: callers with contexts of their own (PyTorch, a CUDA runtime
// program) notice nothing.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "runtime/jit/cuda_driver.h"

namespace sluice::runtime {

// Immutable; shared by everything that belongs to it.
struct CudaDevice {
  std::shared_ptr<const CudaDriver> driver;
  cu::Device device = 0;
  cu::Context context = nullptr;
  bool retained = false;  // the primary context, to be released by the destructor
  std::string name;       // "NVIDIA H200"
  std::string arch;       // "sm_90"
  unsigned major = 0, minor = 0;
  unsigned sm_count = 0, threads_per_sm = 0;
  std::uint64_t shared_per_sm = 0, l2_bytes = 0, memory_bytes = 0;

  CudaDevice() = default;
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;
  ~CudaDevice();

  // ordinal >= 0: that device, with its primary context, which is the one that CUDA's runtime library and everything
  // built on it use. -1: the calling thread's current context and its device; without one, device 0.
  static Result<std::shared_ptr<const CudaDevice>> open(int ordinal);
};

// The device's context current on this thread, for as long as the object lives.
class Current {
 public:
  explicit Current(const CudaDevice& device) : device_(device), code_(device.driver->context_push(device.context)) {}
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
  ~Current() {
    cu::Context ignored = nullptr;
    if (code_ == 0) static_cast<void>(device_.driver->context_pop(&ignored));
  }
  // Empty on success.
  [[nodiscard]] std::string failure() const { return device_.driver->failure("cuCtxPushCurrent", code_); }
  [[nodiscard]] CallError call_error() const { return device_.driver->call_error("cuCtxPushCurrent", code_); }

 private:
  const CudaDevice& device_;
  cu::Code code_;
};

// May this thread call what a capture by another thread forbids it? As long as the object lives; of a driver that knows captures.
class UncapturedThread {
 public:
  explicit UncapturedThread(const CudaDevice& device) : device_(device) { exchange(); }
  UncapturedThread(const UncapturedThread&) = delete;
  UncapturedThread& operator=(const UncapturedThread&) = delete;
  ~UncapturedThread() { exchange(); }

 private:
  void exchange() {
    if (device_.driver->exchange_capture_mode) static_cast<void>(device_.driver->exchange_capture_mode(&mode_));
  }
  const CudaDevice& device_;
  int mode_ = cu::kRelaxedCapture;
};

// Is the stream being captured into a graph?
[[nodiscard]] bool captured(const CudaDevice& device, cu::Stream stream);

// A handle that goes back to the driver with its owner. `Release`: the function of the table that takes it back.
template <class Handle, cu::Code (*CudaDriver::*Release)(Handle)>
class CudaOwned {
 public:
  CudaOwned() = default;
  CudaOwned(std::shared_ptr<const CudaDevice> device, Handle handle) : device_(std::move(device)), handle_(handle) {}
  CudaOwned(CudaOwned&& other) noexcept
      : device_(std::move(other.device_)), handle_(std::exchange(other.handle_, Handle{})) {}
  CudaOwned& operator=(CudaOwned&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~CudaOwned() {
    if (!device_ || handle_ == Handle{}) return;
    const Current current(*device_);
    static_cast<void>(((*device_->driver).*Release)(handle_));
  }
  Handle get() const { return handle_; }

 private:
  std::shared_ptr<const CudaDevice> device_;
  Handle handle_{};
};

using DeviceMemory = CudaOwned<cu::Address, &CudaDriver::memory_free>;
using PinnedMemory = CudaOwned<void*, &CudaDriver::host_free>;
using CudaStream = CudaOwned<cu::Stream, &CudaDriver::stream_destroy>;
using CudaEvent = CudaOwned<cu::Event, &CudaDriver::event_destroy>;
using CudaModule = CudaOwned<cu::Module, &CudaDriver::module_unload>;

// Makers. Memory of 0 bytes is a null handle. Errors are Kind::Environment.
[[nodiscard]] Result<DeviceMemory> make_device_memory(const std::shared_ptr<const CudaDevice>& device,
                                                      std::uint64_t bytes);
[[nodiscard]] Result<PinnedMemory> make_pinned_memory(const std::shared_ptr<const CudaDevice>& device,
                                                      std::uint64_t bytes);
// A stream that does not wait for the default stream.
[[nodiscard]] Result<CudaStream> make_stream(const std::shared_ptr<const CudaDevice>& device);
enum class Timing : bool { No, Yes };
[[nodiscard]] Result<CudaEvent> make_event(const std::shared_ptr<const CudaDevice>& device, Timing timing);

// Free bytes of the device's memory now; 0 when the driver does not tell.
[[nodiscard]] std::uint64_t free_memory(const CudaDevice& device);

}  // namespace sluice::runtime
