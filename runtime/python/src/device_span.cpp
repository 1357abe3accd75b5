// Where arrays on a GPU lie, from what they say of themselves: __cuda_array_interface__ (versions 2 and 3), else DLPack.
// Many small arrays are asked one after the other, so that this is not done in Python.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/python/src/module.h"
#include "runtime/python/src/output.h"

namespace sluice::python {
namespace {
namespace nb = nanobind;

struct Span {
  std::uint64_t address = 0, bytes = 0;
  std::uint64_t stream = 0;  // on which what fills it may be under way, as the protocol numbers it; 0: none
  nb::object kept;           // what keeps the memory
  std::string type;          // of its elements, as NumPy writes it: "<u4", or "u4"
};

// "<i8" -> i, 8. The byte order is that of every machine with a GPU.
std::optional<std::pair<char, std::size_t>> type_of(std::string_view typestr) {
  std::size_t bytes = 0;
  if (typestr.size() < 3 || typestr[0] == '>') return std::nullopt;
  const auto [end, wrong] = std::from_chars(typestr.data() + 2, typestr.data() + typestr.size(), bytes);
  if (wrong != std::errc() || end != typestr.data() + typestr.size()) return std::nullopt;
  return std::pair{typestr[1], bytes};
}

class Reader {
 public:
  // `writable`: the type of elements, "uint8", of arrays that are written to; empty where arrays are read as bytes.
  Reader(std::string what, const std::string& writable, std::uint64_t stream)
      : what_(std::move(what)), writable_(writable), stream_(stream) {
    if (!writable.empty()) element_ = {writable[0], std::stoull(writable.substr(writable.find_first_of("0123456789"))) / 8};
  }

  [[nodiscard]] Span read(nb::handle array) const {
    nb::object page = nb::steal(PyObject_GetAttr(array.ptr(), name_.ptr()));
    if (page.is_valid() && PyDict_Check(page.ptr())) return of_interface(array, nb::borrow<nb::dict>(page));
    PyErr_Clear();
    if (!nb::hasattr(array, "__dlpack__"))
      throw nb::type_error((what_ + ": an array on a GPU is needed, not " + nb::type_name(array.type()).c_str()).c_str());
    return of_dlpack(array);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw nb::value_error((what_ + ": " + why).c_str()); }
  void check_type(std::pair<char, std::size_t> type, const std::string& said) const {
    if (!writable_.empty() && type != element_)
      throw nb::type_error((what_ + ": the format makes " + writable_ + ", the array's elements are " + said).c_str());
  }

  Span of_interface(nb::handle array, const nb::dict& page) const {
    const auto field = [&](const char* name) { return nb::handle(PyDict_GetItemString(page.ptr(), name)); };
    const auto wanted = [&](const char* name, bool right) {
      if (!right) refuse(std::string("__cuda_array_interface__ has no ") + name + " that can be used");
    };
    const nb::handle shape = field("shape"), data = field("data"), typestr = field("typestr"), strides = field("strides"), mask = field("mask"),
                     theirs = field("stream");
    wanted("shape", shape.is_valid() && PyTuple_Check(shape.ptr()));
    wanted("data", data.is_valid() && PyTuple_Check(data.ptr()) && nb::len(data) == 2);
    wanted("typestr", typestr.is_valid() && PyUnicode_Check(typestr.ptr()));
    const std::string said = nb::cast<std::string>(typestr);
    const auto type = type_of(said);
    wanted("typestr", type.has_value());
    Span span;
    span.address = data[0].is_none() ? 0 : nb::cast<std::uint64_t>(data[0]);
    std::uint64_t count = 1;
    const std::size_t dimensions = nb::len(shape);
    for (std::size_t i = 0; i < dimensions; ++i) {
      const auto length = nb::cast<std::uint64_t>(shape[i]);
      if (length != 0 && count > UINT64_MAX / type->second / length) refuse("its shape is larger than memory");
      count *= length;
    }
    span.bytes = count * type->second;
    if (strides.is_valid() && !strides.is_none() && count > 1) {
      std::uint64_t step = type->second;
      wanted("strides", nb::len(strides) == dimensions);
      for (std::size_t i = dimensions; i-- > 0; step *= nb::cast<std::uint64_t>(shape[i]))
        if (nb::cast<std::uint64_t>(shape[i]) != 1 && nb::cast<std::int64_t>(strides[i]) != static_cast<std::int64_t>(step))
          refuse("the array is not contiguous");
    }
    if (mask.is_valid() && !mask.is_none()) refuse("masked arrays are not taken");
    if (!writable_.empty() && nb::cast<bool>(data[1])) refuse("the array must not be written to");
    check_type(*type, said);
    if (theirs.is_valid() && !theirs.is_none()) {
      span.stream = nb::cast<std::uint64_t>(theirs);
      if (span.stream == (stream_ ? stream_ : 1)) span.stream = 0;
    }
    span.kept = nb::borrow(array);
    span.type = said;
    return span;
  }

  Span of_dlpack(nb::handle array) const {
    // It makes our stream wait for its own.
    const nb::object capsule = array.attr("__dlpack__")(nb::arg("stream") = stream_ ? stream_ : 1);
    nb::ndarray<> view;
    if (!nb::try_cast(capsule, view)) throw nb::type_error((what_ + ": its DLPack capsule can not be read").c_str());
    if (view.device_type() != nb::device::cuda::value && view.device_type() != nb::device::cuda_managed::value)
      throw nb::type_error((what_ + ": an array on a GPU is needed, and this one lies elsewhere").c_str());
    std::int64_t step = 1;
    for (std::size_t i = view.ndim(); i-- > 0; step *= static_cast<std::int64_t>(view.shape(i)))
      if (view.size() > 1 && view.shape(i) != 1 && view.stride(i) != step) refuse("the array is not contiguous");
    const nb::dlpack::dtype type = view.dtype();
    const char kind = type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Int)    ? 'i'
                      : type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt) ? 'u'
                                                                                             : 'f';
    const std::string said = kind + std::to_string(type.bits / 8u);
    check_type({kind, type.bits / 8u}, said);
    return {reinterpret_cast<std::uintptr_t>(view.data()), view.nbytes(), 0, nb::borrow(array), said};
  }

  std::string what_, writable_;
  std::uint64_t stream_;
  std::pair<char, std::size_t> element_{};
  nb::str name_{"__cuda_array_interface__"};
};

// (address, bytes, stream to wait for or 0, what keeps the memory, type of elements)
nb::tuple device_span(nb::handle array, const std::string& what, const std::string& writable, std::uint64_t stream) {
  const Span span = Reader(what, writable, stream).read(array);
  return nb::make_tuple(span.address, span.bytes, span.stream, span.kept, span.type);
}

// The same of many: an array of all addresses with all sizes behind them, the streams to wait for, and what keeps the memory.
nb::tuple device_spans(nb::handle arrays, const std::string& what, const std::string& writable, std::uint64_t stream) {
  const Reader reader(what, writable, stream);
  const std::size_t count = nb::len(arrays);
  std::vector<std::uint64_t> table(2 * count), streams;
  nb::list kept;
  for (std::size_t i = 0; i < count; ++i) {
    Span span = reader.read(nb::steal(PySequence_GetItem(arrays.ptr(), static_cast<Py_ssize_t>(i))));
    table[i] = span.address;
    table[count + i] = span.bytes;
    if (span.stream != 0 && (streams.empty() || streams.back() != span.stream)) streams.push_back(span.stream);
    kept.append(std::move(span.kept));
  }
  const NewArray result = new_array({.bytes = 8, .is_signed = false}, table.size());
  if (!table.empty()) std::memcpy(result.bytes.data(), table.data(), result.bytes.size());
  nb::list waits;
  for (const std::uint64_t one : streams) waits.append(one);
  return nb::make_tuple(result.array, waits, kept);
}

// A DLPack capsule over memory that `owner` keeps.
nb::object to_dlpack(std::uint64_t address, std::size_t count, std::size_t width, bool is_signed, int device, nb::handle owner) {
  const nb::dlpack::dtype type{static_cast<std::uint8_t>(is_signed ? nb::dlpack::dtype_code::Int : nb::dlpack::dtype_code::UInt),
                               static_cast<std::uint8_t>(8 * width), 1};
  return nb::cast(nb::ndarray<>(reinterpret_cast<void*>(address), {count}, owner, {}, type, nb::device::cuda::value, device));
}

}  // namespace

void bind_device_span(nb::module_& module) {
  module.def("device_span", &device_span);
  module.def("device_spans", &device_spans);
  module.def("to_dlpack", &to_dlpack);
}

}  // namespace sluice::python
