#pragma once
// Encoders of the formats that are the project's own: what `sluice encode` calls.
//
// codecs/NAME/encode.cpp defines `Encoder encoder_NAME();` in this namespace; the build finds the file and puts the
// function into the registry (codecs/CMakeLists.txt). Encoders are deterministic: the same bytes and settings give the
// same output everywhere.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/api/result.hpp"

namespace sluice::encode {

// A number that `--set NAME=VALUE` changes.
struct Option {
  std::string_view name;
  std::string_view meaning;  // a phrase for the help text
  std::uint64_t initial = 0;
  std::uint64_t least = 0, most = 0;  // inclusive
  bool decoder_too = false;           // also a compile-time parameter of the codec's spec: --verify decodes with it
};

// Every option's value: the initial one or what was asked for, in range.
class Settings {
 public:
  explicit Settings(std::span<const Option> options);
  // Value of the option `name`, which the encoder declares.
  [[nodiscard]] std::uint64_t operator[](std::string_view name) const;
  // False when there is no such option, or it can't have that value: `error` says so.
  bool set(std::string_view name, std::string_view value, std::string& error);

 private:
  std::span<const Option> options_;
  std::vector<std::uint64_t> values_;  // of options_, in order
};

// Called now and then with the bytes of input done so far; from one thread at a time, never with less than before.
using Progress = std::function<void(std::size_t done)>;

struct Encoder {
  std::string_view name;              // the codec's
  std::span<const Option> options{};  // of static storage
  // Encodes all of `in`. Errors are about settings that don't go together or inputs the format can't hold; no
  // exceptions but std::bad_alloc. Any thread.
  Result<std::vector<std::uint8_t>> (*encode)(std::span<const std::uint8_t> in, const Settings& settings,
                                              const Progress& progress) = nullptr;
};

// All encoders, in name order.
const std::vector<Encoder>& encoders();

// The encoder of that name, or null.
const Encoder* find_encoder(std::string_view name);

}  // namespace sluice::encode
