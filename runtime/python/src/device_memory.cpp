#include "runtime/python/src/device_memory.h"

#include <cstring>

#include "runtime/python/src/input.h"
#include "runtime/python/src/module.h"

namespace sluice::python {
namespace {

using runtime::Current;
namespace cu = runtime::cu;

void check(const Device& device, const char* what, cu::Code code) {
  if (code != 0) raise_error(device->driver->error(what, code));
}

}  // namespace

void SameProcess::check() const {
  if (!holds()) raise_error({Error::Kind::Environment, "CUDA does not outlive a fork: make the decoder in the child process", {}});
}

Event::Event(Device device, std::uintptr_t stream)
    : device_(std::move(device)), event_(new runtime::CudaEvent(value_or_raise(make_event(device_, runtime::Timing::No)))) {
  try {
    record(stream);
  } catch (...) {
    delete event_;
    throw;
  }
}

Event::~Event() {
  if (process_.holds()) delete event_;
}

void Event::record(std::uintptr_t stream) {
  process_.check();
  const Current current(*device_);
  check(device_, "cuEventRecord", device_->driver->event_record(event_->get(), stream_of(stream)));
}

bool Event::done() const {
  process_.check();
  const Current current(*device_);
  const cu::Code code = device_->driver->event_query(event_->get());
  if (code == cu::kNotReady) return false;
  check(device_, "cuEventQuery", code);
  return true;
}

void Event::before(std::uintptr_t stream) const {
  process_.check();
  const Current current(*device_);
  check(device_, "cuStreamWaitEvent", device_->driver->stream_wait(stream_of(stream), event_->get(), 0));
}

void Event::wait() const {
  process_.check();
  cu::Code code = 0;
  {
    const nb::gil_scoped_release release;
    const Current current(*device_);
    code = device_->driver->event_synchronize(event_->get());
  }
  check(device_, "cuEventSynchronize", code);
}

DeviceBuffer::DeviceBuffer(Device device, std::uint64_t bytes)
    : device_(std::move(device)), memory_(new runtime::DeviceMemory(value_or_raise(make_device_memory(device_, bytes)))), bytes_(bytes) {}

DeviceBuffer::~DeviceBuffer() {
  if (process_.holds()) delete memory_;
}

PinnedBuffer::PinnedBuffer(const Device& device, std::size_t bytes)
    : memory_(new runtime::PinnedMemory(value_or_raise(make_pinned_memory(device, bytes)))), bytes_(bytes) {}

PinnedBuffer::~PinnedBuffer() {
  if (process_.holds()) delete memory_;
}

void PinnedBuffer::fill(nb::handle data) {
  const Input input(data);
  if (input.bytes().size() > bytes_) throw nb::value_error("more bytes than the memory has");
  if (!input.bytes().empty()) std::memcpy(memory_->get(), input.bytes().data(), input.bytes().size());
}

void bind_device_memory(nb::module_& module) {
  nb::class_<Event>(module, "Event")
      .def("record", &Event::record)
      .def("done", &Event::done)
      .def("before", &Event::before)
      .def("wait", &Event::wait);
  nb::class_<DeviceBuffer>(module, "DeviceBuffer").def_prop_ro("address", &DeviceBuffer::address).def_prop_ro("nbytes", &DeviceBuffer::bytes);
  nb::class_<PinnedBuffer>(module, "PinnedBuffer").def_prop_ro("nbytes", &PinnedBuffer::bytes).def("fill", &PinnedBuffer::fill);
}

}  // namespace sluice::python
