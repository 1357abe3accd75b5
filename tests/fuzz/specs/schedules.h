// The schedules that kernels are tried under.
#pragma once
#include <vector>

#include "compiler/driver/compile.h"
#include "compiler/schedule/schedule.h"

namespace sluice::fuzz {

// Those that are legal for the spec; the default one first. `compiled` is the result of `request` and holds a module.
[[nodiscard]] std::vector<schedule::Schedule> legal_schedules(const driver::Request& request,
                                                              driver::Compiled& compiled);

}  // namespace sluice::fuzz
