#pragma once
// What every kind of decoder starts with: a description named or given as text, compiled as far as the intermediate
// representation.
#include <string>
#include <string_view>
#include <vector>

#include "compiler/driver/compile.h"
#include "runtime/api/sluice.hpp"

namespace sluice {

// How the file of an artifact ends, as opposed to that of a description.
inline constexpr std::string_view kArtifactSuffix = ".sluicea";

// The parts of the options that the front end knows.
struct SpecOptions {
  const std::vector<Setting>& set;
  const std::vector<std::string>& search;
  bool passes = true;
  bool colour = false;
};

// A request for a description given as text, a file, a codec's name, a path or a name. Errors: no such file
// (Environment), no possible name (Usage).
[[nodiscard]] driver::Request request_text(std::string_view text, std::string_view name, const SpecOptions& options);
[[nodiscard]] Result<driver::Request> request_file(const std::string& path, const SpecOptions& options);
[[nodiscard]] Result<driver::Request> request_name(std::string_view name, const SpecOptions& options);
[[nodiscard]] Result<driver::Request> request_open(std::string_view path_or_name, const SpecOptions& options);

// Why `compiled` has no module.
[[nodiscard]] Error error_of(const driver::Compiled& compiled, bool colour);

}  // namespace sluice
