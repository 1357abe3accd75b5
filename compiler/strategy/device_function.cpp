#include "compiler/strategy/device_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "compiler/analysis/walk.h"

namespace sluice::strategy {
namespace {

using schedule::InputBuffer;
using schedule::Schedule;
using schedule::Setting;
using schedule::Strategy;

// Those that have a form that hands outputs over, the fastest first, and what else may be said of them.
constexpr std::array kStrategies{Strategy::Speculate, Strategy::Warp};
constexpr std::array<std::string_view, 3> kDirectives{"strategy", "input", "table_bits"};

constexpr const char* kBlocks = "blocks, their chunks and their memory are the caller's";

// What reads outputs again, or makes them as a whole: a sink has no place for either.
void against(const ir::Stmt& stmt, analysis::ReasonChain& why) {
  using K = ir::Stmt::Kind;
  switch (stmt.kind) {
    case K::Copy:
      return why.push_back({"`copy` reads outputs again, which have gone to the sink", stmt.span});
    case K::Into:
      return why.push_back({stmt.further ? "it has several outputs, and a sink is one" : "a buffer takes outputs before they are the format's", stmt.span});
    case K::Stage:
      return why.push_back({"a stage works on a whole buffer, which needs memory of its own", stmt.span});
    default:
      break;
  }
  analysis::for_each_expr(stmt, [&](const ir::Expr& e) {
    analysis::for_each_node(e, [&](const ir::Expr& node) {
      if (node.op == ir::Op::Checksum && node.stream == ir::Stream::Output)
        why.push_back({"a checksum over outputs reads them again, which have gone to the sink", stmt.span});
    });
  });
}

// Nothing, where a chunk's state finds room in the caller's shared memory. What the strategy stages takes of that, too.
Legality state_fits(const Subject& subject, const Schedule& schedule, const schedule::Device& device) {
  const plan::Memory memory = kernel_of(subject, schedule, device).memory;
  if (!memory.temporary()) return {};
  return {false, {{fmt::format("its state takes {} bytes, more than a warp has of shared memory", memory.shared_bytes + memory.temporary_bytes), {}}}};
}

Schedule schedule_of(Strategy strategy) {
  Schedule schedule;
  schedule.strategy = strategy;
  schedule.input = InputBuffer::Registers;
  return schedule;
}

Legality strategy_legal(const Subject& subject, Strategy strategy, const schedule::Device& device) {
  if (std::ranges::find(kStrategies, strategy) == kStrategies.end())
    return {false, {{"it has no form that hands outputs to a sink", {}}}};
  if (Legality legality = row_of(strategy).legal(subject); !legality.legal) return legality;
  if (strategy == Strategy::Speculate)
    for (const plan::Loop& loop : subject.tokens.warp.loops)
      if (loop.has_records() && !loop.records->values)
        return {false, {{"records of this loop's tokens are made bytes in memory", plan::statement_at(subject.module.rules[loop.rule], loop.path).span}}};
  return state_fits(subject, schedule_of(strategy), device);
}

// "are `speculate`, `warp`"
std::string legal_strategies(const Subject& subject, const schedule::Device& device) {
  std::string list;
  std::size_t count = 0;
  for (const Strategy one : kStrategies)
    if (strategy_legal(subject, one, device).legal) list += fmt::format("{}`{}`", count++ == 0 ? "" : ", ", schedule::name(one));
  return (count == 1 ? "is " : "are ") + list;
}

void refuse(const Subject& subject, const Setting& setting, const Legality& legality, std::string_view choices, DiagSink& sink) {
  auto error = sink.error(Code::StrategyNotLegal, setting.value_span,
                          fmt::format("{} `{}` is not legal for a device function of {}", setting.directive->name, setting.value, subject.module.name));
  std::string reasons;
  for (const analysis::Reason& step : legality.why) {
    if (step.span.length != 0) error.note(step.span, step.text);
    else reasons += step.text + "; ";
  }
  error.help(fmt::format("{}legal {}", reasons, choices));
}

}  // namespace

Legality device_function_legal(const Subject& subject, const schedule::Device& device) {
  Legality legality;
  const std::vector<bool> reached = analysis::reachable_rules(subject.module);
  for (std::size_t rule = 0; rule < subject.module.rules.size(); ++rule)
    if (reached[rule])
      analysis::for_each_stmt(subject.module.rules[rule].body, [&](const ir::Stmt& stmt) { against(stmt, legality.why); });
  // The strategy that stages nothing.
  if (legality.why.empty()) legality = state_fits(subject, schedule_of(Strategy::Warp), device);
  legality.legal = legality.why.empty();
  return legality;
}

Schedule device_function_default(const Subject& subject, const schedule::Device& device) {
  for (const Strategy one : kStrategies)
    if (strategy_legal(subject, one, device).legal) return schedule_of(one);
  return schedule_of(Strategy::Warp);
}

std::optional<Schedule> choose_device_function(const Subject& subject, const schedule::Device& device, std::span<const Setting> settings,
                                               DiagSink& sink) {
  const std::size_t before = sink.error_count();
  Schedule schedule = device_function_default(subject, device);
  for (const Setting& setting : settings) static_cast<void>(setting.directive->set(schedule, setting.value));
  for (const Setting& setting : settings) {
    const std::string_view name = setting.directive->name;
    if (std::ranges::find(kDirectives, name) == kDirectives.end())
      refuse(subject, setting, {false, {{kBlocks, {}}}}, "are directives `strategy`, `input` and `table_bits`", sink);
    else if (name == "strategy") {
      if (const Legality legality = strategy_legal(subject, schedule.strategy, device); !legality.legal)
        refuse(subject, setting, legality, legal_strategies(subject, device), sink);
    } else if (name == "input" && schedule.input != InputBuffer::Registers)
      refuse(subject, setting, {false, {{"a ring in shared memory would be the block's own", {}}}}, "is `registers`", sink);
    else if (name == "table_bits" && schedule.table_bits != 0 && subject.tokens.warp.tables.empty())
      refuse(subject, setting, {false, {{"its loops look nothing up in tables of prefix codes", {}}}}, "is `auto`", sink);
    else if (name == "table_bits") {
      if (const Legality legality = state_fits(subject, schedule, device); !legality.legal)
        refuse(subject, setting, legality, "are fewer bits, and `auto`", sink);
    }
  }
  if (sink.error_count() != before) return std::nullopt;
  return schedule;
}

}  // namespace sluice::strategy
