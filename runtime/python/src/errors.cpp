#include "runtime/python/src/errors.h"

#include <fmt/format.h>

namespace sluice::python {
namespace {

[[noreturn]] void raise(nb::handle type, const std::string& text) { raise_object(type(nb::str(text.c_str(), text.size()))); }

std::string no_room_text(const Room& room, std::uint64_t chunk) {
  switch (room.by) {
    case Room::Set::Output:
      return fmt::format("the output is larger than the {} bytes of room that it was given, chunk {}", room.bytes, chunk);
    case Room::Set::MaxOutput:
      return fmt::format("the output is larger than the {} bytes that max_output allows, chunk {}", room.bytes, chunk);
    case Room::Set::Memory:
      break;
  }
  return fmt::format("the output is larger than the {} bytes that are free in memory, chunk {}", room.bytes, chunk);
}

std::string without_newlines_behind(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace

nb::object error_class(const char* name) { return nb::module_::import_("sluice_codecs._errors").attr(name); }

void raise_object(nb::handle error) {
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw nb::python_error();
}

void raise_error(const Error& error) {
  const std::string text = without_newlines_behind(error.text);
  switch (error.kind) {
    case Error::Kind::Usage: raise(nb::handle(PyExc_ValueError), text);
    case Error::Kind::Spec: raise_object(error_class("SpecError")(text.c_str(), error.json.c_str()));
    case Error::Kind::NoMemory: raise(nb::handle(PyExc_MemoryError), text);
    case Error::Kind::Environment: break;
  }
  raise(error_class("EngineError"), text);
}

void raise_call_error(const CallError& error) {
  switch (error.kind) {
    case CallError::Kind::NoMemory: raise(nb::handle(PyExc_MemoryError), error.text);
    case CallError::Kind::NotCountable: raise(error_class("NotCountableError"), error.text);
    case CallError::Kind::Driver: raise(error_class("EngineError"), error.text);
    case CallError::Kind::Cancelled: raise(nb::handle(PyExc_RuntimeError), "cancelled: the interpreter is about to end");
    case CallError::Kind::None:
    case CallError::Kind::BadArgument: break;
  }
  raise(nb::handle(PyExc_ValueError), error.text);
}

nb::object decode_error(const std::string& text, const ErrorPlace& place, std::uint64_t word, std::uint64_t chunk,
                        std::uint64_t produced, const Room& room) {
  const bool no_room = word == kNoRoom;
  const std::string sentence = no_room ? no_room_text(room, chunk) : text;
  return error_class(no_room ? "OutputLimitError" : "DecodeError")(
      sentence.c_str(), chunk, place.rule.c_str(), place.reason.c_str(), place.file.c_str(), place.line, place.column,
      place.bit, produced, word);
}

}  // namespace sluice::python
