// Faults of today's build that are known, by name, each until it is mended: the generator keeps off them, and a finding
// that is one of them is counted and not reported.
#pragma once
#include <string>

#include "tests/fuzz/specs/check.h"
#include "tests/fuzz/specs/generate.h"

namespace sluice::fuzz {

[[nodiscard]] Leave leave();
[[nodiscard]] bool is_known(const Finding& finding, const std::string& spec);

}  // namespace sluice::fuzz
