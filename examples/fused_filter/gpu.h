#pragma once
// As little of a GPU as the example needs, over the project's own driver table: memory, a stream, kernels of a text, times.
// Every failure is an exception of type Failure with a sentence.
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/jit/cuda_code.h"
#include "runtime/launch/cuda_device.h"

namespace example {

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <typename T>
T value_of(sluice::Result<T> result) {
  if (!result) throw Failure(result.error().text);
  return std::move(*result);
}

class Gpu {
 public:
  // The thread's current device; throws where there is none.
  Gpu() : device_(value_of(sluice::runtime::CudaDevice::open(-1))), current_(*device_), stream_(value_of(sluice::runtime::make_stream(device_))) {
    if (const std::string wrong = current_.failure(); !wrong.empty()) throw Failure(wrong);
  }
  const sluice::runtime::CudaDevice& device() const { return *device_; }
  void* stream() const { return stream_.get(); }

  // Memory for `count` values, and with values in it. Freed with the Gpu.
  std::uint64_t allocate(std::uint64_t bytes) {
    memory_.push_back(value_of(sluice::runtime::make_device_memory(device_, bytes)));
    return memory_.back().get();
  }
  template <typename T>
  std::uint64_t upload(std::span<const T> values) {
    const std::uint64_t at = allocate(values.size_bytes());
    check("cuMemcpyHtoDAsync", driver().copy_to_device(at, values.data(), values.size_bytes(), stream_.get()));
    wait();
    return at;
  }
  template <typename T>
  std::vector<T> download(std::uint64_t at, std::size_t count) {
    std::vector<T> values(count);
    check("cuMemcpyDtoHAsync", driver().copy_to_host(values.data(), at, count * sizeof(T), stream_.get()));
    wait();
    return values;
  }
  void clear(std::uint64_t at, std::uint64_t bytes) { check("cuMemsetD8Async", driver().set_bytes(at, 0, bytes, stream_.get())); }
  void wait() { check("cuStreamSynchronize", driver().stream_synchronize(stream_.get())); }

  // Kernels of a text, by NVRTC for this device.
  void compile(const std::string& text) {
    const auto made = value_of(sluice::runtime::compile_cuda(text, device_->arch, sluice::runtime::ObjectCache::standard()));
    sluice::runtime::cu::Module module = nullptr;
    check("cuModuleLoadDataEx", driver().module_load(&module, made.code.image.data(), 0, nullptr, nullptr));
    module_ = sluice::runtime::CudaModule(device_, module);
  }
  // `arguments`: addresses of values of the kernel's parameter types.
  void launch(const char* name, unsigned blocks, unsigned threads, std::vector<void*> arguments) {
    sluice::runtime::cu::Function function = nullptr;
    check("cuModuleGetFunction", driver().module_function(&function, module_.get(), name));
    check("cuLaunchKernel", driver().launch(function, blocks, 1, 1, threads, 1, 1, 0, stream_.get(), arguments.data(), nullptr));
  }
  // Milliseconds that the device takes for what `work` queues.
  template <typename F>
  double time(F&& work) {
    const auto start = value_of(sluice::runtime::make_event(device_, sluice::runtime::Timing::Yes));
    const auto end = value_of(sluice::runtime::make_event(device_, sluice::runtime::Timing::Yes));
    check("cuEventRecord", driver().event_record(start.get(), stream_.get()));
    work();
    check("cuEventRecord", driver().event_record(end.get(), stream_.get()));
    check("cuEventSynchronize", driver().event_synchronize(end.get()));
    float took = 0;
    check("cuEventElapsedTime", driver().event_elapsed(&took, start.get(), end.get()));
    return took;
  }

 private:
  const sluice::runtime::CudaDriver& driver() const { return *device_->driver; }
  void check(const char* call, sluice::runtime::cu::Code code) const {
    if (const std::string wrong = driver().failure(call, code); !wrong.empty()) throw Failure(wrong);
  }

  std::shared_ptr<const sluice::runtime::CudaDevice> device_;
  sluice::runtime::Current current_;
  sluice::runtime::CudaStream stream_;
  sluice::runtime::CudaModule module_;
  std::vector<sluice::runtime::DeviceMemory> memory_;
};

}  // namespace example
