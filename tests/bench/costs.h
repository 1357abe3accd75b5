// What it costs to come from a spec to running code.
#pragma once
#include <string>

#include "tests/bench/report.h"

namespace sluice::bench {

// Medians of `rounds` compilations of what decodes the built-in codec. The cache lies in a directory of its own, removed afterwards.
// `cli` is the `sluice` program and `spec` the file it checks; empty: not measured. Sets `problem` on failure.
CompileCost compile_cost(const std::string& codec, unsigned rounds, const std::string& cli, const std::string& spec,
                         std::string& problem);

}  // namespace sluice::bench
