#pragma once
// The search for the fastest schedule of a format for one sample: coordinate descent. Every strategy is tried as it comes, then the
// directives of the two fastest, one at a time, each with a few values; a round that wins less than 2 % is the last one. What a
// schedule costs, and whether it is legal, others say, so the search knows neither GPUs nor formats.
//
//   search({.seeds = {warp, speculate}, .legal = ..., .measure = ...})
//     ->  trials:  strategy warp 2.1 ms, strategy speculate 0.8, strategy speculate, input registers 0.9, ...; best: 1
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/schedule/directives.h"
#include "compiler/strategy/strategies.h"

namespace sluice::strategy {

// A directive and the values that are tried of it. Those that promise something of a caller, or check less, are not among them.
struct Axis {
  std::string_view directive;
  std::vector<std::string_view> values;
};
[[nodiscard]] std::span<const Axis> axes();

// Directives that make the schedule: its strategy, and what is not a default of schedules.
[[nodiscard]] std::string short_text(const schedule::Schedule& schedule);

// A schedule for each strategy that is legal, and, where a strategy has some of its own for a format, those beside it.
[[nodiscard]] std::vector<schedule::Schedule> seeds(const Subject& subject, const schedule::Device& device);

struct Problem {
  std::vector<schedule::Schedule> seeds;  // legal ones; the first of equals counts
  std::function<bool(const schedule::Schedule&)> legal;
  std::function<std::optional<double>(const schedule::Schedule&)> measure;  // seconds; nothing: it can't be measured
  std::vector<std::string> only;  // directives that may be changed; empty: all axes
  bool exhaustive = false;        // the whole product of all strategies' directives
  std::function<bool()> enough = [] { return false; };  // asked before each measurement
};

// What a round must win, and how many strategies' directives are tried.
inline constexpr double kLeastGain = 0.02;
inline constexpr std::size_t kTunedStrategies = 2;

struct Trial {
  schedule::Schedule schedule;
  std::optional<double> seconds;
};

struct Search {
  std::vector<Trial> trials;        // in their order, none twice
  std::optional<std::size_t> best;  // of them; nothing where none could be measured
  bool stopped = false;             // `enough` said so
};

[[nodiscard]] Search search(const Problem& problem);

}  // namespace sluice::strategy
