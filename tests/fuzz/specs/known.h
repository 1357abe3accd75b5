// Faults of today's build that are known, by name, each until it is mended: the generator keeps off them, and a finding
// that is one of them is counted and not reported.
#pragma once
#include <string>

#include "tests/fuzz/specs/check.h"
#include "tests/fuzz/specs/generate.h"

namespace sluice::fuzz {

[[nodiscard]] Leave leave();
[[nodiscard]] bool is_known(const Finding& finding, const std::string& spec);

// Does the input make the format read a code before one is built?
[[nodiscard]] bool reads_unbuilt(const ir::Module& module, const Bytes& input);

}  // namespace sluice::fuzz
