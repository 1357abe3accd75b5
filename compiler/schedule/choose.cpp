#include "compiler/schedule/choose.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/emit/split_loop.h"
#include "compiler/ir/count_mode.h"
#include "compiler/schedule/resolve.h"
#include "compiler/schedule/strategies.h"

namespace sluice::schedule {
namespace {

// Reasons that an error shows; `sluice explain` shows more.
constexpr std::size_t kShownReasons = 4;

std::string legal_choices(const ir::Module& module, const analysis::Facts& facts) {
  std::string list;
  for (const StrategyRow* row : strategies())
    if (row->legal(module, facts).legal)
      list += fmt::format("{}`{}`", list.empty() ? "are " : ", ", name(row->strategy));
  return list;
}

std::string directives_of(Strategy strategy) {
  std::string list;
  for (const Directive& directive : directives())
    if (directive.strategies & set_of(strategy))
      list += fmt::format("{}`{}`", list.empty() ? "" : ", ", directive.name);
  return list;
}

void refuse(const ir::Module& module, const Setting& setting, const Legality& legality, std::string_view choices,
            DiagSink& sink) {
  auto error =
      sink.error(Code::StrategyNotLegal, setting.value_span,
                 fmt::format("{} `{}` is not legal for {}", setting.directive->name, setting.value, module.name));
  std::string reasons;
  std::size_t shown = 0;
  for (const analysis::Because& step : legality.why) {
    if (++shown > kShownReasons) break;
    if (step.span.length != 0)
      error.note(step.span, step.text);
    else
      reasons += step.text + "; ";
  }
  error.help(fmt::format("{}legal {}", reasons, choices));
}

// A check of the output's checksum: what `checksum off` leaves out.
bool verifies_output(const ir::Module& module) { return !ir::count_plan(module).skipped.empty(); }

}  // namespace

Schedule default_schedule(const ir::Module&, const analysis::Facts&, std::string_view) { return {}; }

std::optional<Schedule> apply(const ir::Module& module, const analysis::Facts& facts, const Schedule& start,
                              std::span<const Setting> settings, DiagSink& sink) {
  const std::size_t before = sink.error_count();
  Schedule schedule = start;
  for (const Setting& setting : settings) {
    static_cast<void>(setting.directive->set(schedule, setting.value));  // the parser has refused what it does not take
    if (setting.directive->name == "strategy") {
      const Legality legality = row_of(schedule.strategy).legal(module, facts);
      if (!legality.legal) refuse(module, setting, legality, legal_choices(module, facts), sink);
    } else if (setting.directive->name == "resolve" && schedule.resolve != Resolve::Together) {
      const Legality legality = collecting_legal(module, facts);
      if (!legality.legal) refuse(module, setting, legality, "is `together`", sink);
    } else if (setting.directive->name == "part_copies" && schedule.part_copies != Schedule().part_copies) {
      if (emit::copy_distance_bits(module) == 0)
        refuse(module, setting, {false, {{"no part of it is counted before it is written", {}}}}, "is `32`", sink);
    } else if (setting.directive->name == "split_buffer" && schedule.split_buffer != Schedule().split_buffer) {
      if (emit::copy_distance_bits(module) != 0)
        refuse(module, setting, {false, {{"its parts are counted and written in place, without a buffer", {}}}},
               fmt::format("is `{}`", Schedule().split_buffer), sink);
    } else if (setting.directive->name == "prefetch" && schedule.prefetch) {
      const Legality legality = prefetch_legal(module);
      if (!legality.legal) refuse(module, setting, legality, "is `off`", sink);
    } else if (setting.directive->name == "checksum" && !schedule.checksum && !verifies_output(module)) {
      refuse(module, setting, {false, {{"it verifies none over its output", {}}}}, "is `on`", sink);
    }
  }
  for (const Setting& setting : settings)
    if (!(setting.directive->strategies & set_of(schedule.strategy)))
      sink.error(Code::DirectiveUnsuited, setting.name_span,
                 fmt::format("`{}` means nothing to strategy `{}`", setting.directive->name, name(schedule.strategy)))
          .help(fmt::format("`{}` has {}", name(schedule.strategy), directives_of(schedule.strategy)));
  if (sink.error_count() != before) return std::nullopt;
  const auto warps = std::ranges::find(settings, "warps_per_block", [](const Setting& s) { return s.directive->name; });
  if (warps != settings.end() && schedule.warps_per_block > 1) {
    const std::uint32_t fit = warps_that_fit(module, schedule);
    if (fit < schedule.warps_per_block) {
      refuse(module, *warps, {false, {{"a block has no shared memory for so many of its chunks", {}}}},
             fmt::format("are `auto` and 1{}", fit > 1 ? fmt::format(" to {}", fit) : std::string()), sink);
      return std::nullopt;
    }
  }
  return schedule;
}

}  // namespace sluice::schedule
