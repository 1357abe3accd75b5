#pragma once
// The directive `resolve`: how a warp does the copies of a token loop (Gompresso, section IV). The
// strategies put it into the plan; the primitives are runtime/prim/cuda/resolve.h.
#include <span>
#include <string>
#include <string_view>

#include "compiler/analysis/facts.h"
#include "compiler/ir/ir.h"
#include "compiler/schedule/schedule.h"
#include "compiler/strategy/strategies.h"

namespace sluice::strategy {

// May copies be collected? They may when some token loop with copies has a fast form: `together` needs none.
[[nodiscard]] Legality collecting_legal(const Subject& subject);

// May parts leave entries, and their output be written in steps? (split.cpp)
[[nodiscard]] Legality steps_legal(const Subject& subject);
// Is that way legal for the format? The schedule may be of any strategy.
[[nodiscard]] Legality resolve_legal(const Subject& subject, schedule::Resolve resolve);

struct ResolveRow {
  schedule::Resolve resolve;
  std::string_view what;  // one line
};
// All, in the order of the enumeration.
[[nodiscard]] std::span<const ResolveRow> resolves();

// What becomes of the format's copies, in one line; empty when it has none.
[[nodiscard]] std::string explain_resolve(const schedule::Schedule& schedule, const analysis::Facts& facts);

}  // namespace sluice::strategy
