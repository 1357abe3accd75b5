#include "runtime/api/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/analysis/walk.h"

namespace sluice {

std::vector<Argument> declared_arguments(const ir::Module& module) {
  std::vector<Argument> list;
  for (const ir::Argument& a : module.args) list.push_back({a.name, a.initial, a.type.bits, a.type.is_signed});
  return list;
}

std::string misfit(const Argument& argument, std::uint64_t value, Sign sign) {
  if (sign == Sign::AsDeclared)
    sign = argument.is_signed && static_cast<std::int64_t>(value) < 0 ? Sign::Negative : Sign::Positive;
  const ir::Type type{static_cast<std::uint8_t>(argument.bits), argument.is_signed};
  const ir::Range range = ir::range_of(type);
  const bool negative = sign == Sign::Negative && value != 0;
  const ir::i128 number = negative ? static_cast<ir::i128>(value) - (ir::i128{1} << 64) : static_cast<ir::i128>(value);
  if (number >= range.lo && number <= range.hi) return "";
  return fmt::format("{}{} does not fit `{}: {}{}`, which holds {} to {}", negative ? "-" : "",
                     negative ? 0 - value : value, argument.name, argument.is_signed ? 'i' : 'u', argument.bits,
                     analysis::to_text(range.lo), analysis::to_text(range.hi));
}

std::string choose_arguments(std::string_view format, std::span<const Argument> arguments,
                             std::span<const std::uint64_t> given, std::vector<std::uint64_t>& values) {
  values.clear();
  for (const Argument& argument : arguments) values.push_back(argument.initial);
  if (given.empty()) return "";
  if (given.size() != arguments.size())
    return fmt::format("{} takes {} run-time arguments, not {}", format, arguments.size(), given.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (std::string wrong = misfit(arguments[i], given[i]); !wrong.empty()) return wrong;
    values[i] = given[i];
  }
  return "";
}

Result<std::vector<std::uint64_t>> bind_arguments(std::string_view format, std::span<const Argument> arguments,
                                                  std::span<const NamedValue> values) {
  std::vector<std::uint64_t> bound;
  for (const Argument& argument : arguments) bound.push_back(argument.initial);
  for (const NamedValue& value : values) {
    const auto it = std::ranges::find(arguments, value.name, &Argument::name);
    if (it == arguments.end())
      return Error{Error::Kind::Usage, fmt::format("{} has no run-time argument `{}`", format, value.name), {}};
    if (std::string wrong = misfit(*it, value.value, value.sign); !wrong.empty())
      return Error{Error::Kind::Usage, std::move(wrong), {}};
    bound[static_cast<std::size_t>(it - arguments.begin())] = value.value;
  }
  return bound;
}

}  // namespace sluice
