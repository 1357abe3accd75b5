#include "runtime/encode/encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "runtime/encode/registry.h"

namespace sluice::encode {

Settings::Settings(std::span<const Option> options) : options_(options) {
  for (const Option& option : options) values_.push_back(option.initial);
}

std::uint64_t Settings::operator[](std::string_view name) const {
  const auto at = std::ranges::find(options_, name, &Option::name);
  return at == options_.end() ? 0 : values_[static_cast<std::size_t>(at - options_.begin())];
}

bool Settings::set(std::string_view name, std::string_view value, std::string& error) {
  const auto at = std::ranges::find(options_, name, &Option::name);
  if (at == options_.end()) {
    std::string known;
    for (const Option& option : options_) known += (known.empty() ? "" : ", ") + std::string(option.name);
    error =
        fmt::format("the encoder has no option `{}`; {}", name, known.empty() ? "it has none" : "there are: " + known);
    return false;
  }
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (problem != std::errc() || end != value.data() + value.size() || number < at->least || number > at->most) {
    error = fmt::format("`{}` is a number from {} to {}, not `{}`", name, at->least, at->most, value);
    return false;
  }
  values_[static_cast<std::size_t>(at - options_.begin())] = number;
  return true;
}

const std::vector<Encoder>& encoders() {
  static const std::vector<Encoder> all = registered_encoders();
  return all;
}

const Encoder* find_encoder(std::string_view name) {
  const auto at = std::ranges::find(encoders(), name, &Encoder::name);
  return at == encoders().end() ? nullptr : &*at;
}

}  // namespace sluice::encode
