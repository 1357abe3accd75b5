#pragma once
// The schedule of a compiled spec: what the caller says, else what stands in the spec's .schedule file, else the
// default.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/analysis/facts.h"
#include "compiler/driver/compile.h"
#include "compiler/schedule/schedule.h"
#include "compiler/strategy/alternatives.h"

namespace sluice::driver {

struct Scheduled {
  std::optional<schedule::Schedule> schedule;
  std::vector<strategy::Alternative> alternatives;  // what some batches have instead, where nobody pinned the schedule
  // Where it comes from: "the default", "deflate.schedule, `cuda:`", "the default: deflate.schedule has no section for
  // cuda:sm_90", "the command line".
  std::string origin;
  DiagSink diags;  // errors when there is no schedule; their spans are in Compiled::sources
};

// `compiled` is the result of `request` and holds a module; the texts of schedules are added to its sources. `target`
// is "cuda" or "cuda:sm_90". `directives`, if not empty, stand in the place of the file's section for the target; a
// path that ends in `.schedule` is another such file, which must have a section for it. A
// request by text has no file, unless it says which directory the text is from: then its name is the spec's path.
[[nodiscard]] Scheduled schedule_for(Compiled& compiled, const Request& request, const analysis::Facts& facts,
                                     std::string_view target, std::string_view directives);

// That of a device function (strategy/device_function.h): the default, or what `directives` make of it. A .schedule file is
// about kernels and is not looked at. Errors where the format has none.
[[nodiscard]] Scheduled device_function_schedule(Compiled& compiled, const analysis::Facts& facts, std::string_view target,
                                                 std::string_view directives);

}  // namespace sluice::driver
