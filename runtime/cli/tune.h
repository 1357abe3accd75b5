#pragma once
// What `sluice tune` is asked for, and what its two ways share: measuring on a GPU (cmd_tune.cpp), and asking the cost model of schedules
// (tune_predict.cpp).
#include <string>
#include <vector>

#include "compiler/strategy/strategies.h"

namespace sluice::cli {

struct TuneOptions {
  std::string spec, sample, target = "cuda", output;
  std::vector<std::string> set, only;
  double mebibytes = 1024, seconds = 0;  // of output a launch; of the whole search, 0: as long as it takes
  unsigned repeats = 5;
  int device = -1;
  bool exhaustive = false, predict = false;
};

// Directives without those that say what holds anyway.
[[nodiscard]] std::string shortened(const std::string& directives);

// "strategy warp, input registers" as lines of a section.
[[nodiscard]] std::string section_of(std::string directives);

[[nodiscard]] bool legal_schedule(const strategy::Subject& subject, const schedule::Device& device, const schedule::Schedule& asked);

// The exit code of `sluice tune --predict`: a table, and a schedule file that says of itself that nothing was measured.
int predict(const TuneOptions& options, const std::string& arch);

}  // namespace sluice::cli
