#pragma once
// A spec compiled for all that was asked for.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/artifact/artifact.h"
#include "compiler/driver/compile.h"
#include "runtime/api/result.hpp"
#include "runtime/cli/build_targets.h"

namespace sluice::cli {

struct BuildRequest {
  driver::Request spec;
  BuildTargets targets;
  std::string schedule;  // directives, or empty
  bool colour = false;   // of Error::text
  // Told of every image as it is there: "cpu x86-64", its size, seconds that compiling took.
  std::function<void(const std::string& what, std::size_t bytes, double seconds)> made = {};
};

// `compiled` is what spec gave, with its module. Errors: no compiler for a target (Environment), a directive of the
// schedule refused (Spec).
[[nodiscard]] Result<artifact::Artifact> build_artifact(const BuildRequest& request, driver::Compiled& compiled);

// The object file of `sluice build --object`: entry points NAME_decode and so on, for the most portable of the ISAs.
[[nodiscard]] Result<std::vector<std::uint8_t>> build_object(const driver::Compiled& compiled, const std::string& name,
                                                             const BuildTargets& targets);

}  // namespace sluice::cli
