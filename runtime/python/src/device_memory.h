#pragma once
// A GPU's memory, page-locked memory of the host, and events, as objects of Python. In a child process none of it is there:
// a driver that was started before a fork does not know the child, and nothing is given back to it.
#include <nanobind/nanobind.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "runtime/launch/cuda_device.h"
#include "runtime/python/src/errors.h"

namespace sluice::python {
namespace nb = nanobind;

using Device = std::shared_ptr<const runtime::CudaDevice>;

inline runtime::cu::Stream stream_of(std::uintptr_t stream) { return reinterpret_cast<runtime::cu::Stream>(stream); }

template <class T>
T value_or_raise(Result<T> result) {
  if (!result) raise_error(result.error());
  return std::move(*result);
}

class SameProcess {
 public:
  // EngineError in a child process. With the GIL.
  void check() const;
  [[nodiscard]] bool holds() const { return getpid() == process_; }

 private:
  pid_t process_ = getpid();
};

// A point of a stream. Made where it is recorded first; recording it again moves it.
class Event {
 public:
  Event(Device device, std::uintptr_t stream);
  Event(const Event&) = delete;
  ~Event();
  void record(std::uintptr_t stream);
  // Whether all work before it is done.
  [[nodiscard]] bool done() const;
  // Work that is queued on `stream` from now on runs after it. Nobody waits here.
  void before(std::uintptr_t stream) const;
  // Returns when all work before it is done. Without the GIL meanwhile.
  void wait() const;

 private:
  Device device_;
  runtime::CudaEvent* event_;
  SameProcess process_;
};

// Memory of the device, given back with the object: whoever lets go of it knows that nothing queued uses it.
class DeviceBuffer {
 public:
  DeviceBuffer(Device device, std::uint64_t bytes);
  DeviceBuffer(const DeviceBuffer&) = delete;
  ~DeviceBuffer();
  [[nodiscard]] std::uint64_t address() const { return memory_->get(); }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  Device device_;
  runtime::DeviceMemory* memory_;
  std::uint64_t bytes_;
  SameProcess process_;
};

// Page-locked memory of the host, from which copies need not be waited for.
class PinnedBuffer {
 public:
  PinnedBuffer(const Device& device, std::size_t bytes);
  PinnedBuffer(const PinnedBuffer&) = delete;
  ~PinnedBuffer();
  [[nodiscard]] const void* data() const { return memory_->get(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  // Copies a buffer to its beginning. Nothing may be on its way from here any more.
  void fill(nb::handle data);

 private:
  runtime::PinnedMemory* memory_;
  std::size_t bytes_ = 0;
  SameProcess process_;
};

}  // namespace sluice::python
