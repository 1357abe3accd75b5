#pragma once
// `--target interp|cpu|auto|cuda[:sm_90]`.
#include <string>

#include "runtime/api/sluice.hpp"

namespace CLI {
class App;
}

namespace sluice::cli {

struct TargetChoice {
  Target target = Target::Auto;  // when `cuda` is false
  bool cuda = false;
  std::string arch;  // "sm_90", "compute_90"; empty: the device's own
};

// Adds the option to a subcommand.
void add_target_option(CLI::App& command, TargetChoice& choice);

// "cuda" -> "", "cuda:sm_90" -> "sm_90"; false for any other text.
bool parse_cuda_target(const std::string& text, std::string& arch);

// `--schedule DIRECTIVES`, for CUDA targets; may be given several times where `texts` is a list.
void add_schedule_option(CLI::App& command, std::string& text);

}  // namespace sluice::cli
