#ifndef SLUICE_RUNTIME_API_RESULT_HPP
#define SLUICE_RUNTIME_API_RESULT_HPP
// A value or the reason why there is none: how everything in runtime reports what is wrong outside the data.
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace sluice {

// What went wrong outside the data: `text` is ready to print (diagnostics with excerpts, or a sentence).
struct Error {
  enum class Kind : std::uint8_t {
    Usage,        // a wrong parameter: unknown name, bad value
    Spec,         // the format's description has errors
    Environment,  // no such file, no engine for the wanted target, no memory
  };
  Kind kind = Kind::Usage;
  std::string text;
  std::string json;  // Spec: the diagnostics as a JSON object; else empty
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
