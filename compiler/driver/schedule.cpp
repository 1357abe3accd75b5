#include "compiler/driver/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/driver/library.h"
#include "compiler/plan/lower.h"
#include "compiler/strategy/choose.h"
#include "compiler/strategy/device_function.h"
#include "compiler/schedule/parse.h"

namespace sluice::driver {
namespace {

constexpr std::string_view kScheduleFile = ".schedule";  // no directive's value ends so

}  // namespace

Scheduled schedule_for(Compiled& compiled, const Request& request, const analysis::Facts& facts,
                       std::string_view target, std::string_view directives) {
  Scheduled out;
  out.origin = "the default";
  std::vector<schedule::Setting> settings;
  const auto take_section = [&](SpecText found) {
    const std::uint32_t file = compiled.sources.add(found.display, std::move(found.text));
    const auto sections = schedule::parse_file(compiled.sources, file, out.diags);
    const schedule::Section* section = schedule::section_for(sections, target);
    if (section == nullptr) return false;
    settings = section->settings;
    out.origin = fmt::format("{}, `{}:`", found.display, section->target);
    return true;
  };
  if (directives.ends_with(kScheduleFile)) {
    const Span all{compiled.sources.add("--schedule", std::string(directives)), 0, static_cast<std::uint32_t>(directives.size())};
    std::optional<SpecText> found = read_spec(std::string(directives));
    if (!found)
      out.diags.error(Code::ScheduleSection, all, "this file can't be read");
    else if (!take_section(std::move(*found)) && out.diags.ok())
      out.diags.error(Code::ScheduleSection, all, fmt::format("this file has no section for {}", target));
  } else if (!directives.empty()) {
    const std::uint32_t file = compiled.sources.add("--schedule", std::string(directives));
    settings = schedule::parse_list(compiled.sources, file, out.diags);
    out.origin = "the command line";
  } else if (!request.text || !request.directory.empty()) {  // not a text out of nowhere
    if (std::optional<SpecText> found = find_schedules(request.name, request.search)) {
      const std::string display = found->display;
      if (!take_section(std::move(*found))) out.origin = fmt::format("the default: {} has no section for {}", display, target);
    }
  }
  if (!out.diags.ok()) return out;
  const ir::Module& module = *compiled.module;
  const plan::TokenPlans tokens = plan::token_plans(module, facts.splits.loops);
  const strategy::Subject subject{module, facts, tokens};
  const bool named = std::ranges::any_of(settings, [](const schedule::Setting& s) { return s.directive->name == "strategy"; });
  const schedule::Device& device = schedule::device_for(schedule::arch_of(target));
  if (!named) {
    const strategy::Default chosen = strategy::default_schedule(subject, device, settings);
    out.schedule = chosen.schedule;
    if (settings.empty() && !chosen.why.empty()) out.origin += fmt::format(" ({})", chosen.why);
  } else {
    out.schedule = schedule::Schedule();
  }
  if (!settings.empty()) out.schedule = strategy::choose(subject, device, *out.schedule, settings, out.diags);
  if (out.schedule) out.alternatives = strategy::alternatives(subject, device, *out.schedule, settings);
  return out;
}

Scheduled device_function_schedule(Compiled& compiled, const analysis::Facts& facts, std::string_view target, std::string_view directives) {
  Scheduled out;
  const ir::Module& module = *compiled.module;
  const plan::TokenPlans tokens = plan::token_plans(module, facts.splits.loops, {.outputs = plan::Outputs::Sink});
  const strategy::Subject subject{module, facts, tokens};
  const schedule::Device device = schedule::device_for(schedule::arch_of(target));
  const strategy::Legality legality = strategy::device_function_legal(subject, device);
  if (!legality.legal) {
    const Span first = legality.why.front().span;
    const std::string message = fmt::format("{} has no device function: {}", module.name, legality.why.front().text);
    if (first.length == 0) {
      out.diags.error_nowhere(Code::NoDeviceFunction, message);
      return out;
    }
    auto error = out.diags.error(Code::NoDeviceFunction, first, message);
    for (std::size_t i = 1; i < legality.why.size(); ++i) error.note(legality.why[i].span, legality.why[i].text);
    return out;
  }
  out.origin = directives.empty() ? "the default of device functions" : "the command line";
  std::vector<schedule::Setting> settings;
  if (!directives.empty())
    settings = schedule::parse_list(compiled.sources, compiled.sources.add("--schedule", std::string(directives)), out.diags);
  if (out.diags.ok()) out.schedule = strategy::choose_device_function(subject, device, settings, out.diags);
  return out;
}

}  // namespace sluice::driver
