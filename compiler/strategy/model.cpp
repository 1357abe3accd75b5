#include "compiler/strategy/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "compiler/schedule/directives.h"

namespace sluice::strategy {
namespace {

using schedule::Schedule;
using schedule::Strategy;

struct Fitted {
  Strategy strategy;
  double power;  // of what chunks on a multiprocessor make
  double error;  // that is left, of logarithms
};
struct Factor {
  Strategy strategy;
  Work work;
  std::string_view directive, value;
  double factor;
};
struct Level {
  Strategy strategy;
  Work work;
  double factor, chunks;  // on a multiprocessor: the geometric mean of those measured
};

#define FITTED(strategy, power, error, trials)
#define FACTOR(strategy, work, directive, value, factor, trials)
#define LEVEL(strategy, work, factor, chunks, samples, formats)
#define SPREAD(factor)
constexpr Fitted kFitted[] = {
#undef FITTED
#define FITTED(strategy, power, error, trials) {Strategy::strategy, power, error},
#include "compiler/strategy/model.def"
#undef FITTED
#define FITTED(strategy, power, error, trials)
};
constexpr Factor kFactors[] = {
#undef FACTOR
#define FACTOR(strategy, work, directive, value, factor, trials) {Strategy::strategy, Work::work, directive, value, factor},
#include "compiler/strategy/model.def"
#undef FACTOR
#define FACTOR(strategy, work, directive, value, factor, trials)
};
constexpr Level kLevels[] = {
#undef LEVEL
#define LEVEL(strategy, work, factor, chunks, samples, formats) {Strategy::strategy, Work::work, factor, chunks},
#include "compiler/strategy/model.def"
#undef LEVEL
#define LEVEL(strategy, work, factor, chunks, samples, formats)
};
#undef SPREAD
#define SPREAD(factor) constexpr double kSpread = factor;
#include "compiler/strategy/model.def"
#undef FITTED
#undef FACTOR
#undef LEVEL
#undef SPREAD

// What it does, it does by the chunks that a multiprocessor holds.
constexpr std::string_view kByRoom = "shared_memory";

const Fitted* fitted(Strategy strategy) {
  const auto at = std::ranges::find(kFitted, strategy, &Fitted::strategy);
  return at == std::end(kFitted) ? nullptr : at;
}

double made_by(double chunks) { return chunks / (1 + chunks / kHalfChunks); }

// Does the strategy take this as `warp` does, beside what it has a way of its own for?
bool left_to_warp(Strategy strategy, Work work) {
  return work == Work::Tokens && (strategy == Strategy::Speculate || strategy == Strategy::Lanes || strategy == Strategy::Split);
}

// Of one work. `chunks`: 0, as many as those had that were measured.
std::optional<double> expected_of(const Schedule& schedule, Work work, double chunks) {
  if (left_to_warp(schedule.strategy, work)) return 1;
  const auto known = std::ranges::find_if(kLevels, [&](const Level& l) { return l.strategy == schedule.strategy && l.work == work; });
  if (known == std::end(kLevels)) return std::nullopt;
  double product = known->factor;
  for (const schedule::Directive& directive : schedule::directives().subspan(1)) {
    const std::string value = directive.get(schedule);
    if (directive.name == kByRoom || value == directive.get(Schedule())) continue;
    const auto factor = std::ranges::find_if(
        kFactors, [&](const Factor& f) { return f.strategy == schedule.strategy && f.work == work && f.directive == directive.name && f.value == value; });
    if (factor == std::end(kFactors)) return std::nullopt;
    product *= factor->factor;
  }
  const Fitted* const fit = fitted(schedule.strategy);
  return chunks == 0 || !fit ? product : product * std::pow(made_by(chunks) / made_by(known->chunks), fit->power);
}

}  // namespace

std::optional<double> expected(const Schedule& schedule, const Works& works, double chunks) {
  double time = 0;
  for (const Work work : works) {
    const std::optional<double> made = expected_of(schedule, work, chunks);
    if (!made) return std::nullopt;
    time += 1 / *made;
  }
  return works.empty() ? std::nullopt : std::optional(static_cast<double>(works.size()) / time);
}

std::optional<double> level(Strategy strategy, const Works& works) {
  Schedule plain;
  plain.strategy = strategy;
  return expected(plain, works);
}

double spread_of_levels() { return kSpread; }

double spread_of_schedules(Strategy strategy) {
  const Fitted* const fit = fitted(strategy);
  return fit ? std::exp(kErrors * fit->error) : 1;
}

std::string explain_level(Strategy strategy, const Works& works) {
  if (strategy == Strategy::Warp) return "";
  const std::optional<double> known = level(strategy, works);
  return known ? fmt::format("expected to be {:.2g} times as fast as `warp` on {}", *known, names(works)) : fmt::format("nothing was measured on {}", names(works));
}

}  // namespace sluice::strategy
