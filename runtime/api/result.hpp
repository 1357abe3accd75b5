#ifndef SLUICE_RUNTIME_API_RESULT_HPP
#define SLUICE_RUNTIME_API_RESULT_HPP
// A value or the reason why there is none: how everything in runtime reports what is wrong outside the data.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace sluice {

// What went wrong outside the data: `text` is ready to print (diagnostics with excerpts, or a sentence).
struct Error {
  enum class Kind : std::uint8_t {
    Usage,        // a wrong parameter: unknown name, bad value
    Spec,         // the format's description has errors
    Environment,  // no such file, no engine for the wanted target
    NoMemory,     // the machine's, or the device's
  };
  Kind kind = Kind::Usage;
  std::string text;
  std::string json;  // Spec: the diagnostics as a JSON object; else empty
};

// What is wrong with a call, as opposed to its data: nothing, or a kind and a sentence that is ready to print. Where only
// the sentence matters it may be taken for a std::string, which is empty on success.
struct [[nodiscard]] CallError {
  enum class Kind : std::uint8_t {
    None,          // the call did what it was asked to
    BadArgument,   // arrays, run-time arguments or temporary memory that don't fit the format or the batch
    NotCountable,  // decoded sizes of a format (or by a decoder) that can only find them by decoding
    NoMemory,      // the machine's, or the device's
    Driver,        // the GPU's driver refused (the sentence begins with its function's name), or the compiler of
                   // code that is first wanted now
    Cancelled,     // Batch::cancel was set: some chunks may not have been decoded, and which is not said
  };
  Kind kind = Kind::None;
  std::string text;

  [[nodiscard]] bool empty() const noexcept { return kind == Kind::None; }
  operator std::string() const { return text; }
  friend bool operator==(const CallError& error, std::string_view sentence) { return error.text == sentence; }

  static CallError bad_argument(std::string text) { return {Kind::BadArgument, std::move(text)}; }
  static CallError not_countable(std::string text) { return {Kind::NotCountable, std::move(text)}; }
  static CallError cancelled() { return {Kind::Cancelled, "cancelled"}; }
  static CallError no_memory(std::string text) { return {Kind::NoMemory, std::move(text)}; }
  // `of` is what a helper that hands out things says instead of one: the machine, or the driver, did not give it.
  static CallError from(const Error& of) {
    return {of.kind == Error::Kind::NoMemory ? Kind::NoMemory : Kind::Driver, of.text};
  }
  static CallError driver(std::string text) { return {Kind::Driver, std::move(text)}; }
};

// A T or the Error why there is none. Reading the wrong one is a programming error (undefined).
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const noexcept { return state_.index() == 0; }
  T& operator*() & noexcept { return *std::get_if<0>(&state_); }
  const T& operator*() const& noexcept { return *std::get_if<0>(&state_); }
  T&& operator*() && noexcept { return std::move(*std::get_if<0>(&state_)); }
  T* operator->() noexcept { return std::get_if<0>(&state_); }
  const T* operator->() const noexcept { return std::get_if<0>(&state_); }
  const Error& error() const noexcept { return *std::get_if<1>(&state_); }

 private:
  std::variant<T, Error> state_;
};

}  // namespace sluice

#endif
