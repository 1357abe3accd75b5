#pragma once
// From directives to the schedule in force: each directive is applied, or refused with the choices there are.
//
//   default_schedule(deflate)  +  [strategy block, prefetch on]  ->  Schedule{Block, ..., prefetch}
//   default_schedule(deflate)  +  [strategy split]               ->  error: no `within` records parts; legal: warp, ...
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "compiler/analysis/facts.h"
#include "compiler/ir/ir.h"
#include "compiler/schedule/parse.h"
#include "compiler/strategy/strategies.h"

namespace sluice::strategy {

// What is taken when nobody says anything. `target` is "cuda" or "cuda:sm_90".
[[nodiscard]] schedule::Schedule default_schedule(const ir::Module& module, const analysis::Facts& facts,
                                                  std::string_view target);

// Nothing, and errors in `sink`, when a directive can't be applied. Notes of errors point into the module's sources.
[[nodiscard]] std::optional<schedule::Schedule> choose(const Subject& subject, const schedule::Device& device,
                                                       const schedule::Schedule& start,
                                                       std::span<const schedule::Setting> settings, DiagSink& sink);

// The schedule in directives, as to_text() gives it, without those that the format leaves no choice of.
[[nodiscard]] std::string choices_text(const Subject& subject, const schedule::Device& device,
                                       const schedule::Schedule& schedule);

}  // namespace sluice::strategy
