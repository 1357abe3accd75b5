#pragma once
// From directives to the schedule in force: each directive is applied, or refused with the choices there are.
//
//   default_schedule(lz4_block, [])   ->  Schedule{Speculate, ...}: "expected to be 4.7 times as fast as `warp` on tokens that copy"
//   default_schedule(fsst12, [])      ->  Schedule{Lanes, ..., chunk_warps 8, shared_memory 56}
//   default_schedule(gompresso_bit, [])  ->  Schedule{Split, ..., resolve steps}
//   default_schedule(bzip2, [])       ->  Schedule{Warp, ...}: ""
//   the same  +  [strategy block, prefetch on]  ->  Schedule{Block, ..., prefetch}
//   the same  +  [strategy split]               ->  error: no `within` records parts; legal: warp, ...
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "compiler/analysis/facts.h"
#include "compiler/ir/ir.h"
#include "compiler/schedule/parse.h"
#include "compiler/strategy/strategies.h"

namespace sluice::strategy {

struct Default {
  schedule::Schedule schedule;
  std::string why;  // empty: it is what every format has
};
// What is taken when nobody names a strategy: of those to which every directive means something, the one of which the cost model
// (model.h) expects most; one of which nothing was measured is none of them.
[[nodiscard]] Default default_schedule(const Subject& subject, const schedule::Device& device,
                                       std::span<const schedule::Setting> settings);

// Nothing, and errors in `sink`, when a directive can't be applied. Notes of errors point into the module's sources.
[[nodiscard]] std::optional<schedule::Schedule> choose(const Subject& subject, const schedule::Device& device,
                                                       const schedule::Schedule& start,
                                                       std::span<const schedule::Setting> settings, DiagSink& sink);

// The schedule in directives, as to_text() gives it, without those that the format leaves no choice of.
[[nodiscard]] std::string choices_text(const Subject& subject, const schedule::Device& device,
                                       const schedule::Schedule& schedule);

}  // namespace sluice::strategy
