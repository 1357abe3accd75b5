// Decoders on a GPU as classes of Python: launches on arrays of pointers in device memory, and the memory for them. What is
// an array, whose stream it is on and when to wait is decided in sluice_codecs/_cuda.py.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <utility>

#include "runtime/api/sluice_cuda.hpp"
#include "runtime/python/src/device_memory.h"
#include "runtime/python/src/host_decoder.h"
#include "runtime/python/src/module.h"
#include "runtime/python/src/output.h"
#include "runtime/python/src/spec_options.h"

namespace sluice::python {
namespace {

namespace cu = runtime::cu;

class CudaDecoder : public HostDecoder {
 public:
  CudaDecoder(std::shared_ptr<const DecoderOf<cuda::Decoder>> of, Device device)
      : HostDecoder(of, {.slow = true, .counts_first = true}), of_(std::move(of)), device_(std::move(device)) {}

  [[nodiscard]] const cuda::Decoder& cuda() const { return of_->decoder; }
  [[nodiscard]] const Device& device() const {
    process_.check();
    return device_;
  }

  // The addresses are of arrays on the device: cuda::DeviceBatch. Nothing is waited for.
  void launch(bool count, std::uint64_t in, std::uint64_t in_bytes, std::uint64_t out, std::uint64_t capacities, std::uint64_t produced,
              std::uint64_t errors, std::uint64_t consumed, std::size_t chunks, std::uint64_t temp, std::uint64_t temp_bytes,
              std::uint64_t largest_output, std::uint64_t total_output, std::uint64_t total_input, std::uint64_t dictionary,
              std::uint64_t dictionary_bytes, nb::handle arguments, std::uintptr_t stream, std::uint64_t in_base,
              std::uint64_t out_base) const {
    process_.check();
    const CallOptions options(*this, nb::none(), nb::none(), arguments);
    const Batch host = options.batch();
    const auto pointer = [](std::uint64_t address) { return reinterpret_cast<void*>(address); };
    cuda::DeviceBatch batch;
    batch.in = static_cast<const void* const*>(pointer(in));
    batch.in_bytes = static_cast<const std::uint64_t*>(pointer(in_bytes));
    batch.out = static_cast<void* const*>(pointer(out));
    batch.out_capacity = static_cast<const std::uint64_t*>(pointer(capacities));
    batch.produced = static_cast<std::uint64_t*>(pointer(produced));
    batch.errors = static_cast<std::uint64_t*>(pointer(errors));
    batch.consumed = static_cast<std::uint64_t*>(pointer(consumed));
    batch.chunks = chunks;
    batch.dictionary = pointer(dictionary);
    batch.dictionary_bytes = dictionary_bytes;
    batch.arguments = host.arguments;
    batch.temp = pointer(temp);
    batch.temp_bytes = temp_bytes;
    batch.largest_output = largest_output;
    batch.total_output = total_output;
    batch.total_input = total_input;
    batch.in_base = pointer(in_base);
    batch.out_base = pointer(out_base);
    CallError error;
    {
      const nb::gil_scoped_release release;  // the first batch of a kind may compile its kernel
      error = count ? cuda().decoded_sizes_async(batch, stream_of(stream)) : cuda().decode_async(batch, stream_of(stream));
    }
    if (!error.empty()) raise_call_error(error);
  }

  std::unique_ptr<DeviceBuffer> allocate(std::uint64_t bytes) const { return std::make_unique<DeviceBuffer>(device(), bytes); }
  std::unique_ptr<PinnedBuffer> pinned(std::size_t bytes) const { return std::make_unique<PinnedBuffer>(device(), bytes); }
  std::unique_ptr<Event> event(std::uintptr_t stream) const { return std::make_unique<Event>(device(), stream); }

  void copy_to_device(std::uint64_t to, const PinnedBuffer& from, std::size_t bytes, std::uintptr_t stream) const {
    const runtime::Current current(*device());
    check("cuMemcpyHtoDAsync", device_->driver->copy_to_device(to, from.data(), bytes, stream_of(stream)));
  }
  // A new array of NumPy. Waits for the stream.
  nb::object copy_to_host(std::uint64_t from, std::size_t count, std::size_t width, bool is_signed, std::uintptr_t stream) const {
    process_.check();
    const NewArray to = new_array({width, is_signed}, count);
    cu::Code copied = 0, waited = 0;
    {
      const nb::gil_scoped_release release;
      const runtime::Current current(*device_);
      if (!to.bytes.empty()) copied = device_->driver->copy_to_host(to.bytes.data(), from, to.bytes.size(), stream_of(stream));
      waited = device_->driver->stream_synchronize(stream_of(stream));
    }
    check("cuMemcpyDtoHAsync", copied);
    check("cuStreamSynchronize", waited);
    return to.array;
  }
  void wait(std::uintptr_t stream) const {
    process_.check();  // with the GIL, since it may raise
    cu::Code code = 0;
    {
      const nb::gil_scoped_release release;
      const runtime::Current current(*device_);
      code = device_->driver->stream_synchronize(stream_of(stream));
    }
    check("cuStreamSynchronize", code);
  }

  nb::object error_of(std::uint64_t word, std::uint64_t chunk, std::uint64_t produced, std::uint64_t room) const {
    return decode_error(cuda(), word, chunk, produced, {room, Room::Set::Output});
  }

 private:
  void check(const char* what, cu::Code code) const {
    if (code != 0) raise_error(device_->driver->error(what, code));
  }
  std::shared_ptr<const DecoderOf<cuda::Decoder>> of_;
  Device device_;
  SameProcess process_;
};

std::unique_ptr<CudaDecoder> make(const std::string& source, bool is_text, const std::string& name, const std::string& schedule,
                                  int device, const Settings& settings, const std::vector<std::string>& search, bool cache) {
  cuda::Options options;
  options.device = device;
  options.schedule = schedule;
  options.set = as_settings(settings);
  options.search = search;
  options.cache = cache;
  std::unique_ptr<Result<cuda::Decoder>> made;
  std::unique_ptr<Result<Device>> opened;
  {
    const nb::gil_scoped_release release;
    opened = std::make_unique<Result<Device>>(runtime::CudaDevice::open(device));
    if (*opened)
      made = std::make_unique<Result<cuda::Decoder>>(is_text ? cuda::Decoder::from_text(source, name, options)
                                                             : cuda::Decoder::open(source, options));
  }
  Device at = value_or_raise(std::move(*opened));
  return std::make_unique<CudaDecoder>(std::make_shared<const DecoderOf<cuda::Decoder>>(value_or_raise(std::move(*made))), std::move(at));
}

}  // namespace

void bind_cuda(nb::module_& module) {
  nb::class_<CudaDecoder, HostDecoder>(module, "CudaDecoder")
      .def("launch", &CudaDecoder::launch, nb::arg("count"), nb::arg("inputs"), nb::arg("input_bytes"), nb::arg("outputs"),
           nb::arg("capacities"), nb::arg("produced"), nb::arg("errors"), nb::arg("consumed"), nb::arg("chunks"), nb::arg("temp"),
           nb::arg("temp_bytes"), nb::arg("largest_output"), nb::arg("total_output"), nb::arg("total_input"), nb::arg("dictionary"),
           nb::arg("dictionary_bytes"), nb::arg("arguments").none(), nb::arg("stream"), nb::arg("in_base"), nb::arg("out_base"))
      .def("allocate", &CudaDecoder::allocate)
      .def("pinned", &CudaDecoder::pinned)
      .def("event", &CudaDecoder::event)
      .def("copy_to_device", &CudaDecoder::copy_to_device)
      .def("copy_to_host", &CudaDecoder::copy_to_host)
      .def("wait", &CudaDecoder::wait)
      .def("error_of", &CudaDecoder::error_of)
      .def("temp_bytes", [](const CudaDecoder& d, std::size_t chunks) { return d.cuda().temp_bytes(chunks); })
      .def("finish_compiling", [](const CudaDecoder& d) { d.cuda().finish_compiling(); }, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("device_id", [](const CudaDecoder& d) { return d.device()->device; })
      .def_prop_ro("device_name", [](const CudaDecoder& d) { return d.cuda().device(); })
      .def_prop_ro("arch", [](const CudaDecoder& d) { return d.cuda().arch(); })
      .def_prop_ro("schedule", [](const CudaDecoder& d) { return d.cuda().schedule(); });
  module.def("make_cuda_decoder", &make);
}

}  // namespace sluice::python
