#pragma once
// A spec named on the command line, compiled as far as the intermediate representation.
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/driver/compile.h"

namespace sluice::cli {

struct LoadedSpec {
  driver::Compiled compiled;
  std::vector<std::uint64_t> arguments;  // run-time arguments in declaration order: initial values, or what --set says
  int exit_code = 0;                     // kDone exactly when compiled.module is there and the arguments fit
};

enum class Passes : bool { No, Yes };

// Compiles the codec or path. `set` holds the texts of --set. What is wrong, and warnings, go to stderr; not when
// `quiet`, for callers that print the diagnostics themselves.
LoadedSpec load_spec(const std::string& path_or_name, const std::vector<std::string>& set, Passes passes,
                     bool quiet = false);

// The files that a spec was read from. Texts built into this program are not files.
std::vector<std::string> source_files(const SourceSet& sources);

}  // namespace sluice::cli
