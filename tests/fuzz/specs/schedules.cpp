#include "tests/fuzz/specs/schedules.h"

#include "compiler/analysis/facts.h"
#include "compiler/driver/schedule.h"
#include "compiler/strategy/strategies.h"

namespace sluice::fuzz {
std::vector<schedule::Schedule> legal_schedules(const driver::Request& request, driver::Compiled& compiled) {
  const analysis::Facts facts = analysis::analyse(*compiled.module);
  std::vector<schedule::Schedule> legal;
  const auto add = [&](std::string_view directives) {
    const auto chosen = driver::schedule_for(compiled, request, facts, "cuda:sm_90", directives).schedule;
    // Inputs here lie anywhere.
    if (chosen && chosen->input_alignment == 1 && chosen->output_alignment == 1) legal.push_back(*chosen);
  };
  add("");
  for (const strategy::Variant& variant : strategy::variants()) add(variant.directives);
  return legal;
}

}  // namespace sluice::fuzz
