#include "runtime/cli/tune.h"

#include "compiler/schedule/parse.h"
#include "compiler/strategy/choose.h"
#include "compiler/strategy/search.h"

namespace sluice::cli {

std::string shortened(const std::string& directives) {
  SourceSet text;
  DiagSink none;
  schedule::Schedule schedule;
  for (const schedule::Setting& setting : schedule::parse_list(text, text.add("--schedule", directives), none))
    static_cast<void>(setting.directive->set(schedule, setting.value));
  return strategy::short_text(schedule);
}

std::string section_of(std::string directives) {
  for (std::size_t at = 0; (at = directives.find(", ", at)) != std::string::npos; at += 3) directives.replace(at, 2, "\n  ");
  return "  " + directives + "\n";
}

bool legal_schedule(const strategy::Subject& subject, const schedule::Device& device, const schedule::Schedule& asked) {
  SourceSet text;
  DiagSink refused;
  const auto list = schedule::parse_list(text, text.add("--schedule", strategy::short_text(asked)), refused);
  DiagSink sink;
  return refused.ok() && strategy::choose(subject, device, {}, list, sink).has_value();
}

}  // namespace sluice::cli
