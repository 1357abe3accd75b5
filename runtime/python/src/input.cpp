#include "runtime/python/src/input.h"

#include <fmt/format.h>

#include <utility>

namespace sluice::python {
namespace {

[[noreturn]] void raise(PyObject* type, const std::string& text) {
  PyErr_SetString(type, text.c_str());
  throw nb::python_error();
}

std::string name_of_type(nb::handle object) { return nb::type_name(object.type()).c_str(); }

std::span<const std::uint8_t> piece(std::span<const std::uint8_t> whole, std::uint64_t at, std::uint64_t size,
                                    std::size_t index) {
  if (at > whole.size() || size > whole.size() - at)
    raise(PyExc_IndexError, fmt::format("chunk {} is {} bytes from offset {}, and the buffer has {}", index, size, at, whole.size()));
  return whole.subspan(at, size);
}

// One element of a buffer of integers of `width` bytes, which may stand anywhere.
std::uint64_t element(const char* at, Py_ssize_t width, bool is_signed, const char* what) {
  std::uint64_t value = 0;
  std::memcpy(&value, at, static_cast<std::size_t>(width));
  const std::uint64_t sign = std::uint64_t{1} << (8 * width - 1);
  if (is_signed && (value & sign)) raise(PyExc_ValueError, fmt::format("{}: none may be below 0", what));
  return value;
}

// A contiguous buffer of native integers: an array of NumPy, say. False when it is something else.
bool from_buffer(nb::handle values, const char* what, std::vector<std::uint64_t>& list) {
  if (!PyObject_CheckBuffer(values.ptr()) || PyBytes_Check(values.ptr())) return false;
  Py_buffer view{};
  if (PyObject_GetBuffer(values.ptr(), &view, PyBUF_ND | PyBUF_FORMAT) != 0) throw nb::python_error();
  const char format = view.format && view.format[0] != '\0' && view.format[1] == '\0' ? view.format[0] : '\0';
  const bool is_signed = format != '\0' && std::strchr("bhilqn", format) != nullptr;
  const bool is_integer = is_signed || (format != '\0' && std::strchr("BHILQN", format) != nullptr);
  const bool fits = is_integer && view.ndim == 1 && view.itemsize >= 1 && view.itemsize <= 8;
  try {
    if (fits)
      for (Py_ssize_t i = 0; i < view.len / view.itemsize; ++i)
        list.push_back(element(static_cast<const char*>(view.buf) + i * view.itemsize, view.itemsize, is_signed, what));
  } catch (...) {
    PyBuffer_Release(&view);
    throw;
  }
  PyBuffer_Release(&view);
  if (!fits) raise(PyExc_TypeError, fmt::format("{}: an array of these has to be one of integers with one dimension", what));
  return true;
}

}  // namespace

Input::Input(nb::handle object, const char* what) {
  if (PyBytes_Check(object.ptr())) {
    char* data = nullptr;
    Py_ssize_t size = 0;
    if (PyBytes_AsStringAndSize(object.ptr(), &data, &size) != 0) throw nb::python_error();
    kept_ = nb::borrow(object);
    bytes_ = {reinterpret_cast<const std::uint8_t*>(data), static_cast<std::size_t>(size)};
    return;
  }
  if (!PyObject_CheckBuffer(object.ptr()))
    raise(PyExc_TypeError, fmt::format("{}: a bytes-like object is needed, not {}", what, name_of_type(object)));
  if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_SIMPLE) != 0) {
    // Exporters say in many ways that their bytes have gaps; that they are closed is a ValueError already.
    if (PyErr_ExceptionMatches(PyExc_BufferError)) {
      PyErr_Clear();
      raise(PyExc_ValueError, fmt::format("{}: the buffer is not contiguous, so it has no bytes in one piece", what));
    }
    throw nb::python_error();
  }
  bytes_ = {static_cast<const std::uint8_t*>(view_.buf), static_cast<std::size_t>(view_.len)};
}

Input::Input(Input&& other) noexcept
    : view_(std::exchange(other.view_, {})), kept_(std::move(other.kept_)), bytes_(std::exchange(other.bytes_, {})) {}

Input::~Input() {
  if (view_.obj) PyBuffer_Release(&view_);
}

Inputs::Inputs(nb::handle chunks, nb::handle offsets, nb::handle lengths) {
  if (!offsets.is_none()) {
    held_.emplace_back(chunks, "chunks");
    const auto starts = unsigned_list(offsets, "offsets");
    const bool ends = lengths.is_none();
    if (ends && starts.empty()) raise(PyExc_ValueError, "offsets: without lengths, the end of the last chunk is needed");
    const std::size_t count = ends ? starts.size() - 1 : starts.size();
    const auto sizes = ends ? std::vector<std::uint64_t>() : unsigned_list(lengths, "lengths", count);
    if (!ends && sizes.size() != count) raise(PyExc_ValueError, fmt::format("{} offsets, but {} lengths", count, sizes.size()));
    chunks_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (ends && starts[i + 1] < starts[i]) raise(PyExc_ValueError, "offsets: they have to ascend when no lengths are given");
      chunks_.push_back(piece(held_[0].bytes(), starts[i], ends ? starts[i + 1] - starts[i] : sizes[i], i));
    }
  } else {
    if (!lengths.is_none()) raise(PyExc_ValueError, "lengths are for one buffer with offsets");
    if (PyObject_CheckBuffer(chunks.ptr()))
      raise(PyExc_TypeError, "chunks: a list of buffers is needed; for one buffer in pieces give offsets, for one chunk call decode");
    const nb::object list = nb::steal(PySequence_List(chunks.ptr()));
    if (!list.is_valid()) throw nb::python_error();
    const Py_ssize_t count = PyList_Size(list.ptr());
    held_.reserve(static_cast<std::size_t>(count));
    chunks_.reserve(static_cast<std::size_t>(count));
    for (Py_ssize_t i = 0; i < count; ++i) {
      held_.emplace_back(nb::handle(PyList_GetItem(list.ptr(), i)), "a chunk");
      chunks_.push_back(held_.back().bytes());
    }
  }
  for (const auto chunk : chunks_) total_ += chunk.size();
}

std::vector<std::uint64_t> unsigned_list(nb::handle values, const char* what, std::size_t repeated) {
  std::vector<std::uint64_t> list;
  const auto number = [&](nb::handle object) {
    const nb::object index = nb::steal(PyNumber_Index(object.ptr()));
    if (!index.is_valid()) throw nb::python_error();
    const unsigned long long value = PyLong_AsUnsignedLongLong(index.ptr());
    if (value == ~0ull && PyErr_Occurred()) {
      PyErr_Clear();
      raise(PyExc_ValueError, fmt::format("{}: numbers from 0 to 2**64 - 1 are needed", what));
    }
    return static_cast<std::uint64_t>(value);
  };
  if (PyIndex_Check(values.ptr()) && !PySequence_Check(values.ptr())) {
    list.assign(repeated, number(values));
    return list;
  }
  if (from_buffer(values, what, list)) return list;
  const nb::object items = nb::steal(PySequence_List(values.ptr()));
  if (!items.is_valid()) throw nb::python_error();
  const Py_ssize_t count = PyList_Size(items.ptr());
  list.reserve(static_cast<std::size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) list.push_back(number(PyList_GetItem(items.ptr(), i)));
  return list;
}

}  // namespace sluice::python
