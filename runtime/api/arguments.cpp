#include "runtime/api/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sluice {

std::vector<Argument> declared_arguments(const ir::Module& module) {
  std::vector<Argument> list;
  for (const ir::Argument& a : module.args) list.push_back({a.name, a.initial, a.type.bits, a.type.is_signed});
  return list;
}

std::string misfit(const Argument& argument, std::uint64_t value) {
  const unsigned unused = 64 - argument.bits;
  const std::uint64_t shifted = value << unused;
  const std::uint64_t held =
      argument.is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(shifted) >> unused) : shifted >> unused;
  if (held == value) return "";
  return fmt::format("{} does not fit `{}: {}{}`", value, argument.name, argument.is_signed ? 'i' : 'u', argument.bits);
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
    if (std::string wrong = misfit(*it, value.value); !wrong.empty())
      return Error{Error::Kind::Usage, std::move(wrong), {}};
    bound[static_cast<std::size_t>(it - arguments.begin())] = value.value;
  }
  return bound;
}

}  // namespace sluice
