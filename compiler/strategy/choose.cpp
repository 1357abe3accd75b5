#include "compiler/strategy/choose.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/analysis/split_loops.h"
#include "compiler/ir/count_mode.h"
#include "compiler/strategy/model.h"
#include "compiler/strategy/resolve.h"
#include "compiler/strategy/strategies.h"

namespace sluice::strategy {
namespace {

using schedule::Directive;
using schedule::directives;
using schedule::Schedule;
using schedule::set_of;
using schedule::Setting;

// Reasons that an error shows; `sluice explain` shows more.
constexpr std::size_t kShownReasons = 4;

std::string legal_choices(const Subject& subject) {
  std::string list;
  for (const StrategyRow* row : strategies())
    if (row->legal(subject).legal)
      list += fmt::format("{}`{}`", list.empty() ? "are " : ", ", schedule::name(row->strategy));
  return list;
}

std::string directives_of(schedule::Strategy strategy) {
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
  for (const analysis::Reason& step : legality.why) {
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

// Is a block one chunk's? Not where blocks take chunk after chunk, as slots of temporary memory become free.
Legality own_block(const plan::Kernel& kernel) {
  if (!kernel.memory.temporary()) return {};
  return {false, {{"its chunks need temporary memory, and are taken as that becomes free", {}}}};
}

// A prefetch warp loads all of a chunk's input ahead, so its block must be the chunk's own.
Legality prefetch_legal(const Subject& subject, const schedule::Device& device, Schedule block) {
  block.strategy = schedule::Strategy::Block;
  return own_block(kernel_of(subject, block, device));
}

constexpr const char* kOneWarpEach = "with more than one chunk a block, none of them has several warps";
constexpr const char* kNotCounted = "no part of it is counted before it is written";
constexpr const char* kNoRecords = "no loop's tokens are records";

// May other warps than the one that knows what tokens carry find tokens? They begin at bytes and do not wait for those before them.
Legality shared_walks(const Subject& subject) {
  bool any = false;
  for (const plan::Loop& loop : subject.tokens.warp.loops) {
    if (!loop.has_records()) continue;
    const ir::Stmt& stmt = plan::statement_at(subject.module.rules[loop.rule], loop.path);
    if (loop.records->bits) return {false, {{"tokens of this loop begin at bits: one warp finds them", stmt.span}}};
    if (loop.records->chained) return {false, {{"tokens of this loop begin as the ones before them leave off: one warp walks them", stmt.span}}};
    if (loop.records->values) return {false, {{"tokens of this loop are values: one warp finds them", stmt.span}}};
    if (loop.records->has_late())
      return {false, {{"tokens of this loop look at those before them, and would wait for all other warps", stmt.span}}};
    any = true;
  }
  return any ? Legality{} : Legality{false, {{kNoRecords, {}}}};
}

// May other warps take codes? Those that all have one size, and need no table of a warp's own.
Legality shared_codes(const Subject& subject) {
  const auto fixed = [](const plan::Loop& loop) { return loop.has_codes() && loop.codes->bytes != 0; };
  if (std::ranges::any_of(subject.tokens.warp.loops, fixed)) return {};
  return {false, {{"no loop's tokens are codes of one size: one warp takes them", {}}}};
}

// A team's block is one chunk's.
Legality team_legal(const Subject& subject, const schedule::Device& device, Schedule team) {
  if (team.warps_per_block > 1) return {false, {{kOneWarpEach, {}}}};
  const bool lanes = team.strategy == schedule::Strategy::Lanes;
  if (const Legality shared = lanes ? shared_codes(subject) : shared_walks(subject); !shared.legal) return shared;
  if (!lanes) team.strategy = schedule::Strategy::Speculate;
  const plan::Kernel kernel = kernel_of(subject, team, device);
  if (const Legality own = own_block(kernel); !own.legal) return own;
  if (kernel.block_shared - kernel.launch.dynamic_shared_bytes > schedule::kStaticShared)
    return {false, {{"a block has no shared memory for so many warps' tiles", {}}}};
  return {};
}

// A writer works for one loop's records at a time, of its block's one chunk.
Legality writer_legal(const Subject& subject, const schedule::Device& device, Schedule pair) {
  if (pair.warps_per_block > 1) return {false, {{kOneWarpEach, {}}}};
  if (pair.chunk_warps > 1) return {false, {{"with `chunk_warps`, all of them write", {}}}};
  const auto values = [](const plan::Loop& loop) { return loop.has_records() && loop.records->values.has_value(); };
  if (const auto loop = std::ranges::find_if(subject.tokens.warp.loops, values); loop != subject.tokens.warp.loops.end())
    return {false, {{"tokens of this loop are values, which the warp writes that finds them",
                     plan::statement_at(subject.module.rules[loop->rule], loop->path).span}}};
  if (std::ranges::none_of(subject.tokens.warp.loops, &plan::Loop::has_records)) return {false, {{kNoRecords, {}}}};
  pair.strategy = schedule::Strategy::Speculate;
  return own_block(kernel_of(subject, pair, device));
}

// A walker is one of three, with a finder that hands its records on.
Legality walker_legal(const Subject& subject, const schedule::Device& device, const Schedule& three) {
  if (three.writer_warps == 0) return {false, {{"without `writer_warps 1`, the warp that finds tokens writes, too", {}}}};
  if (const Legality walks = shared_walks(subject); !walks.legal) return walks;
  return writer_legal(subject, device, three);
}

// Wide steps are made of literals and copies, by one warp.
Legality wide_legal(const Subject& subject, const Schedule& schedule) {
  if (schedule.chunk_warps > 1) return {false, {{"with `chunk_warps`, output is made a byte a lane", {}}}};
  const auto copies = [](const plan::Loop& loop) { return loop.has_records() && !loop.records->values; };
  if (std::ranges::none_of(subject.tokens.warp.loops, copies)) return {false, {{"no loop's tokens are records of literals and copies", {}}}};
  return {};
}

const std::vector<plan::Table>& tables_of(const Subject& subject, const Schedule& schedule) {
  return subject.tokens.of_warp(schedule.strategy == schedule::Strategy::Split).tables;
}

// Do directives for more shared memory change anything?
bool more_shared_matters(const Subject& subject, const schedule::Device& device, Schedule more) {
  Schedule usual = more;
  usual.shared_memory = 0;
  if (more.shared_memory == 0) more.shared_memory = device.block_shared() >> 10;
  const plan::Kernel large = kernel_of(subject, more, device), small = kernel_of(subject, usual, device);
  return large.launch != small.launch || large.memory.shared_bytes != small.memory.shared_bytes;
}

// Why a format leaves a directive, whatever the strategy, no other value than the default; legal when it does not.
Legality choice_legal(std::string_view directive, const Subject& subject, const schedule::Device& device,
                      const Schedule& schedule) {
  const auto needs = [](bool legal, const char* why) { return legal ? Legality{} : Legality{false, {{why, {}}}}; };
  const bool counted = analysis::copy_distance_bits(subject.facts.splits.loops) != 0;
  const bool steps = schedule.resolve == schedule::Resolve::Steps;
  if (directive == "resolve" && steps && schedule.strategy != schedule::Strategy::Split)
    return {false, {{"it is for parts, which strategy `split` takes", {}}}};
  if (directive == "resolve") return steps ? steps_legal(subject) : collecting_legal(subject);
  if (directive == "part_copies") return needs(counted && !steps, counted ? "with `resolve steps` none wait" : kNotCounted);
  if (directive == "part_entries" || directive == "part_bytes") return needs(counted && steps, counted ? "it is for `resolve steps`" : kNotCounted);
  if (directive == "split_buffer") return needs(!counted, "its parts are counted and written in place, without a buffer");
  if (directive == "prefetch") return prefetch_legal(subject, device, schedule);
  if (directive == "chunk_warps") return team_legal(subject, device, schedule);
  if (directive == "writer_warps") return writer_legal(subject, device, schedule);
  if (directive == "walker_warps") return walker_legal(subject, device, schedule);
  if (directive == "wide_parts") return wide_legal(subject, schedule);
  if (directive == "table_bits") return needs(!tables_of(subject, schedule).empty(), "its loops look nothing up in tables of prefix codes");
  if (directive == "shared_memory")
    return needs(more_shared_matters(subject, device, schedule), "a block needs no more for what its chunks keep");
  if (directive == "checksum") return needs(verifies_output(subject.module), "it verifies none over its output");
  return {};
}

}  // namespace

Default default_schedule(const Subject& subject, const schedule::Device& device, std::span<const Setting> settings) {
  Default best;
  double most = 0;
  for (const StrategyRow* row : strategies()) {
    const bool suits = std::ranges::all_of(
        settings, [&](const Setting& s) { return (s.directive->strategies & set_of(row->strategy)) != 0; });
    if (!suits || !row->legal(subject).legal) continue;
    Schedule plain;
    plain.strategy = row->strategy;
    std::vector<Schedule> candidates{plain};
    if (row->tune != nullptr && settings.empty()) {
      row->tune(subject, plain);
      if (plain.chunk_warps == 1 || team_legal(subject, device, plain).legal) candidates.push_back(plain);
    }
    const Works works = row->works(subject);
    for (const Schedule& one : candidates) {
      const std::optional<double> made = expected(one, works);
      if (!made || *made <= most) continue;
      most = *made;
      best = {one, explain_level(row->strategy, works)};
    }
  }
  return best;
}

std::optional<Schedule> choose(const Subject& subject, const schedule::Device& device, const Schedule& start,
                               std::span<const Setting> settings, DiagSink& sink) {
  const ir::Module& module = subject.module;
  const std::size_t before = sink.error_count();
  Schedule schedule = start;
  for (const Setting& setting : settings)
    static_cast<void>(setting.directive->set(schedule, setting.value));  // the parser has refused what it does not take
  const std::uint32_t most_shared = device.block_shared() >> 10;
  for (const Setting& setting : settings) {
    const std::string_view name = setting.directive->name;
    const std::string only = setting.directive->get(Schedule());
    if (name == "strategy") {
      const Legality legality = row_of(schedule.strategy).legal(subject);
      if (!legality.legal) refuse(module, setting, legality, legal_choices(subject), sink);
    } else if (name == "shared_memory" && schedule.shared_memory > most_shared) {
      refuse(module, setting, {false, {{fmt::format("a block of {} has {} KiB", device.arch, most_shared), {}}}},
             fmt::format("are `auto` and {} to {}", schedule::kStaticShared >> 10, most_shared), sink);
    } else if (setting.directive->get(schedule) != only) {
      const Legality legality = choice_legal(name, subject, device, schedule);
      if (!legality.legal) refuse(module, setting, legality, fmt::format("is `{}`", only), sink);
    }
  }
  for (const Setting& setting : settings)
    if (!(setting.directive->strategies & set_of(schedule.strategy)))
      sink.error(Code::DirectiveUnsuited, setting.name_span,
                 fmt::format("`{}` means nothing to strategy `{}`", setting.directive->name, schedule::name(schedule.strategy)))
          .help(fmt::format("`{}` has {}", schedule::name(schedule.strategy), directives_of(schedule.strategy)));
  if (sink.error_count() != before) return std::nullopt;
  const auto warps = std::ranges::find(settings, "warps_per_block", [](const Setting& s) { return s.directive->name; });
  if (warps != settings.end() && schedule.warps_per_block > 1) {
    const std::uint32_t fit = kernel_of(subject, schedule, device).launch.chunks_per_block;
    if (fit < schedule.warps_per_block) {
      refuse(module, *warps, {false, {{"a block has no shared memory for so many of its chunks", {}}}},
             fmt::format("are `auto` and 1{}", fit > 1 ? fmt::format(" to {}", fit) : std::string()), sink);
      return std::nullopt;
    }
  }
  return schedule;
}

std::string choices_text(const Subject& subject, const schedule::Device& device, const Schedule& schedule) {
  std::string text;
  for (const Directive& directive : directives())
    if ((directive.strategies & set_of(schedule.strategy)) && choice_legal(directive.name, subject, device, schedule).legal)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", directive.name, directive.get(schedule));
  return text;
}

}  // namespace sluice::strategy
