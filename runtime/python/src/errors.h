#pragma once
// What goes wrong, as Python's exceptions. The classes stand in sluice_codecs/_errors.py.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>

#include "runtime/api/sluice.hpp"

namespace sluice::python {
namespace nb = nanobind;

// No decoder can be made: SpecError with its diagnostics, ValueError for a wrong parameter, EngineError for what the
// machine lacks, MemoryError.
[[noreturn]] void raise_error(const Error& error);
// A call was refused: ValueError, NotCountableError, MemoryError, EngineError; RuntimeError when it was cancelled, which
// only the interpreter's end does behind its caller's back.
[[noreturn]] void raise_call_error(const CallError& error);

// The room a chunk had, for what is said of one that needs more.
struct Room {
  std::uint64_t bytes = 0;
  enum class Set : std::uint8_t { Output, MaxOutput, Memory } by = Set::Memory;  // `out` or `sizes`, `max_output`, the machine
};

// A DecodeError of one chunk's word; `AnyDecoder` has describe() and place(). OutputLimitError for kNoRoom.
[[nodiscard]] nb::object decode_error(const std::string& text, const ErrorPlace& place, std::uint64_t word,
                                      std::uint64_t chunk, std::uint64_t produced, const Room& room);
template <class AnyDecoder>
[[nodiscard]] nb::object decode_error(const AnyDecoder& decoder, std::uint64_t word, std::uint64_t chunk,
                                      std::uint64_t produced, const Room& room) {
  return decode_error(decoder.describe(word, chunk), decoder.place(word), word, chunk, produced, room);
}
// Raises what decode_error gave.
[[noreturn]] void raise_object(nb::handle error);

// The class of that name in sluice_codecs._errors.
[[nodiscard]] nb::object error_class(const char* name);

}  // namespace sluice::python
