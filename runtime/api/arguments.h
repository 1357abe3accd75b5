#pragma once
// Run-time arguments: what a format declares, what a caller gives.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/ir.h"
#include "runtime/api/sluice.hpp"

namespace sluice {

// As the module declares them, in order.
[[nodiscard]] std::vector<Argument> declared_arguments(const ir::Module& module);

// The values for a batch: `given`, or the initial ones when nothing is given, in `values`. Returns the sentence when
// they are too few, too many, or do not fit: compiled code relies on a value being one that its type holds.
[[nodiscard]] std::string choose_arguments(std::string_view format, std::span<const Argument> arguments,
                                           std::span<const std::uint64_t> given, std::vector<std::uint64_t>& values);

// Decoder::bind.
[[nodiscard]] Result<std::vector<std::uint64_t>> bind_arguments(std::string_view format,
                                                                std::span<const Argument> arguments,
                                                                std::span<const NamedValue> values);

// The sentence when `value` is none that the argument's type holds; else empty.
[[nodiscard]] std::string misfit(const Argument& argument, std::uint64_t value, Sign sign = Sign::AsDeclared);

}  // namespace sluice
