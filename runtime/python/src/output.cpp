#include "runtime/python/src/output.h"

#include <fmt/format.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

namespace sluice::python {
namespace {

[[noreturn]] void raise(PyObject* type, const std::string& text) {
  PyErr_SetString(type, text.c_str());
  throw nb::python_error();
}

// NumPy's functions and types, looked up when the module is loaded: later, a thread that waited for another one to import
// NumPy would hold the GIL meanwhile. Never given back: at exit there may be no interpreter to give them to.
struct Numpy {
  nb::object empty, frombuffer, array;
  nb::object types[4][2];  // log2 of the bytes, signed

  Numpy() {
    const nb::module_ numpy = nb::module_::import_("numpy");
    empty = numpy.attr("empty");
    frombuffer = numpy.attr("frombuffer");
    array = numpy.attr("ndarray");
    for (std::size_t size = 0; size < 4; ++size)
      for (const bool is_signed : {false, true})
        types[size][is_signed] = numpy.attr("dtype")(Element{std::size_t{1} << size, is_signed}.name().c_str());
  }
  static const Numpy& get() { return *loaded; }
  static const Numpy* loaded;
  [[nodiscard]] nb::handle type(const Element& element) const {
    const std::size_t size = element.bytes == 1 ? 0 : element.bytes == 2 ? 1 : element.bytes == 4 ? 2 : 3;
    return types[size][element.is_signed];
  }
};

const Numpy* Numpy::loaded = nullptr;

nb::object call(nb::handle function, std::initializer_list<PyObject*> arguments) {
  const nb::object result = nb::steal(PyObject_Vectorcall(function.ptr(), std::data(arguments), arguments.size(), nullptr));
  if (!result.is_valid()) throw nb::python_error();
  return result;
}

// What a buffer's elements are, of the formats that mean one number in this machine's byte order.
bool is_type(const Py_buffer& view, const Element& element) {
  const char* format = view.format ? view.format : "B";
  if (*format == '@' || *format == '=' || (*format == '<' && view.itemsize >= 1)) ++format;
  if (format[0] == '\0' || format[1] != '\0') return false;
  if (view.itemsize != static_cast<Py_ssize_t>(element.bytes)) return false;
  if (element.bytes == 1 && !element.is_signed && *format == 'c') return true;
  return std::strchr(element.is_signed ? "bhilqn" : "BHILQN", *format) != nullptr;
}

}  // namespace

void load_numpy() {
  if (!Numpy::loaded) Numpy::loaded = new Numpy;
}

std::string Element::name() const { return fmt::format("{}int{}", is_signed ? "" : "u", 8 * bytes); }

NewArray new_array(const Element& element, std::size_t count) {
  const Numpy& numpy = Numpy::get();
  const nb::object size = nb::steal(PyLong_FromSize_t(count));
  NewArray made{call(numpy.empty, {size.ptr(), numpy.type(element).ptr()}), {}};
  Py_buffer view{};
  if (PyObject_GetBuffer(made.array.ptr(), &view, PyBUF_SIMPLE | PyBUF_WRITABLE) != 0) throw nb::python_error();
  made.bytes = {static_cast<std::uint8_t*>(view.buf), static_cast<std::size_t>(view.len)};
  PyBuffer_Release(&view);  // a new array is nobody else's, so nobody moves it
  return made;
}

nb::object array_of(std::unique_ptr<Memory> memory, const Element& element) {
  if (!memory || memory->bytes().empty()) return new_array(element, 0).array;
  const nb::object owner = nb::cast(std::move(memory));
  return call(Numpy::get().frombuffer, {owner.ptr(), Numpy::get().type(element).ptr()});
}

nb::object view_of(nb::handle array, std::size_t first, std::size_t count) {
  const nb::object from = nb::steal(PyLong_FromSize_t(first)), to = nb::steal(PyLong_FromSize_t(first + count));
  const nb::object slice = nb::steal(PySlice_New(from.ptr(), to.ptr(), nullptr));
  if (!slice.is_valid()) throw nb::python_error();
  nb::object view = nb::steal(PyObject_GetItem(array.ptr(), slice.ptr()));
  if (!view.is_valid()) throw nb::python_error();
  return view;
}

Output::Output(nb::handle object, const Element& element, const char* what) : object_(nb::borrow(object)) {
  if (!PyObject_CheckBuffer(object.ptr()))
    raise(PyExc_TypeError, fmt::format("{}: a writable buffer of {} is needed, not {}", what, element.name(), nb::type_name(object.type()).c_str()));
  if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_FORMAT | PyBUF_ND | PyBUF_STRIDES) != 0) throw nb::python_error();
  const auto refuse = [&](PyObject* type, const std::string& text) {
    PyBuffer_Release(&view_);
    raise(type, fmt::format("{}: {}", what, text));
  };
  if (view_.readonly) refuse(PyExc_ValueError, "the buffer must not be written to");
  if (!PyBuffer_IsContiguous(&view_, 'C')) refuse(PyExc_ValueError, "the buffer is not contiguous");
  if (!is_type(view_, element))
    refuse(PyExc_TypeError, fmt::format("the format makes {}, the buffer's elements are `{}` of {} bytes", element.name(),
                                        view_.format ? view_.format : "B", view_.itemsize));
  bytes_ = {static_cast<std::uint8_t*>(view_.buf), static_cast<std::size_t>(view_.len)};
}

Output::Output(Output&& other) noexcept
    : view_(std::exchange(other.view_, {})), object_(std::move(other.object_)), bytes_(std::exchange(other.bytes_, {})) {}

Output::~Output() {
  if (view_.obj) PyBuffer_Release(&view_);
}

nb::object Output::view(const Element& element, std::size_t first, std::size_t count) const {
  if (bytes_.empty()) return new_array(element, 0).array;
  // An array of these elements is what it is a view of: itself, where all of it was written.
  const bool plain = object_.type().is(Numpy::get().array) && view_.ndim == 1 && view_.format && view_.format[1] == '\0' && *view_.format != 'c';
  if (plain) return count * element.bytes == bytes_.size() ? object_ : view_of(object_, first, count);
  const nb::object all = call(Numpy::get().frombuffer, {object_.ptr(), Numpy::get().type(element).ptr()});
  return view_of(all, first, count);
}

void check_apart(std::span<const std::span<const std::uint8_t>> inputs, std::span<const std::span<std::uint8_t>> outputs) {
  if (inputs.size() == 1 && outputs.size() == 1) {  // most often, and nothing has to be sorted
    const std::span<const std::uint8_t> in = inputs[0], out = outputs[0];
    const std::less<const std::uint8_t*> before;
    if (!in.empty() && !out.empty() && before(in.data(), out.data() + out.size()) && before(out.data(), in.data() + in.size()))
      raise(PyExc_ValueError, "out: it overlaps an input");
    return;
  }
  struct Range {
    const std::uint8_t *begin, *end;
    bool written;
  };
  std::vector<Range> ranges;
  ranges.reserve(inputs.size() + outputs.size());
  for (const auto in : inputs)
    if (!in.empty()) ranges.push_back({in.data(), in.data() + in.size(), false});
  for (const auto out : outputs)
    if (!out.empty()) ranges.push_back({out.data(), out.data() + out.size(), true});
  std::ranges::sort(ranges, [](const Range& a, const Range& b) { return a.begin < b.begin; });
  // Inputs may share bytes. So of all that began before, the ends of what is read and of what is written count apart.
  const std::uint8_t *read_end = nullptr, *written_end = nullptr;
  for (const Range& range : ranges) {
    if (range.begin < written_end) raise(PyExc_ValueError, range.written ? "out: two outputs overlap" : "out: it overlaps an input");
    if (range.written && range.begin < read_end) raise(PyExc_ValueError, "out: it overlaps an input");
    auto& end = range.written ? written_end : read_end;
    end = std::max(end, range.end);
  }
}

}  // namespace sluice::python
