#include "compiler/strategy/model.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "compiler/schedule/directives.h"
#include "compiler/strategy/search.h"

namespace sluice::strategy {
namespace {

using schedule::Schedule;
using schedule::Strategy;

struct Fitted {
  Strategy strategy;
  double power;  // of what chunks on a multiprocessor make
};
struct Factor {
  Strategy strategy;
  std::string_view directive, value;
  double factor;
};

constexpr Fitted kFitted[] = {
#define FITTED(strategy, power, error, trials) {Strategy::strategy, power},
#define FACTOR(strategy, directive, value, factor, trials)
#include "compiler/strategy/model.def"
#undef FITTED
#undef FACTOR
};
constexpr Factor kFactors[] = {
#define FITTED(strategy, power, error, trials)
#define FACTOR(strategy, directive, value, factor, trials) {Strategy::strategy, directive, value, factor},
#include "compiler/strategy/model.def"
#undef FITTED
#undef FACTOR
};

// What it does, it does by the chunks that a multiprocessor holds.
constexpr std::string_view kByRoom = "shared_memory";

const Fitted* fitted(Strategy strategy) {
  const auto at = std::ranges::find(kFitted, strategy, &Fitted::strategy);
  return at == std::end(kFitted) ? nullptr : at;
}

}  // namespace

std::optional<double> expected(const Schedule& schedule, double chunks) {
  const Fitted* const model = fitted(schedule.strategy);
  if (!model) return std::nullopt;
  double product = std::pow(chunks / (1 + chunks / kHalfChunks), model->power);
  for (const schedule::Directive& directive : schedule::directives().subspan(1)) {
    const std::string value = directive.get(schedule);
    if (directive.name == kByRoom || value == directive.get(Schedule())) continue;
    const auto factor = std::ranges::find_if(
        kFactors, [&](const Factor& f) { return f.strategy == schedule.strategy && f.directive == directive.name && f.value == value; });
    if (factor == std::end(kFactors)) return std::nullopt;
    product *= factor->factor;
  }
  return product;
}

std::vector<std::string> fitted_directives(Strategy strategy) {
  std::vector<std::string> list;
  if (!fitted(strategy)) return list;
  for (const Axis& axis : axes())
    if (axis.directive == kByRoom ||
        std::ranges::any_of(kFactors, [&](const Factor& f) { return f.strategy == strategy && f.directive == axis.directive; }))
      list.emplace_back(axis.directive);
  return list;
}

}  // namespace sluice::strategy
