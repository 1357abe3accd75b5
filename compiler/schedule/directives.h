#pragma once
// The words of a schedule: one row a directive, read by the parser, by the choice of a schedule and by `sluice explain`.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "compiler/schedule/schedule.h"

namespace sluice::schedule {

// A set of strategies: bit 1 << strategy.
using Strategies = std::uint8_t;
constexpr Strategies set_of(Strategy s) { return static_cast<Strategies>(1u << static_cast<unsigned>(s)); }

struct Directive {
  std::string_view name;    // "strategy"
  std::string_view values;  // what it takes, for messages: "warp, leader, block or split"
  std::string_view what;    // one line
  Strategies strategies;    // those it means something to
  // Applies a value; false, and `schedule` as it was, when it is none of `values`.
  bool (*set)(Schedule& schedule, std::string_view value);
  // The value in force, as one would write it.
  std::string (*get)(const Schedule& schedule);
};

// `strategy` first.
[[nodiscard]] std::span<const Directive> directives();
// Null when there is none of that name.
[[nodiscard]] const Directive* find_directive(std::string_view name);

// The schedule in directives, those that mean something to its strategy: "strategy warp, input shared, ...". Reading
// it back gives an equal schedule.
[[nodiscard]] std::string to_text(const Schedule& schedule);

// What input_alignment and output_alignment ask of a caller, in a sentence.
[[nodiscard]] std::string explain_alignment(std::uint32_t input, std::uint32_t output);

[[nodiscard]] std::string_view name(Strategy strategy);
[[nodiscard]] std::string_view name(InputBuffer input);
[[nodiscard]] std::string_view name(Resolve resolve);

}  // namespace sluice::schedule
