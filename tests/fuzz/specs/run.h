// A shard of the fuzzer: specs made or mutated from a seed, all checks on each, in a child process that is started anew
// when a spec takes it down.
#pragma once
#include <cstdint>
#include <string>

namespace sluice::fuzz {

struct Options {
  bool mutants = false;
  std::uint64_t seed = 1;
  std::uint64_t first = 0, count = 100;  // specs of the shard
  unsigned inputs = 5;
  unsigned simt_percent = 0;    // of specs that run on the SIMT layer too
  unsigned facts_percent = 20;  // of specs whose facts are checked against execution
  unsigned full_percent = 6;    // of batches that are compiled as the plugin does
  double seconds = 0;           // 0: no limit
  unsigned most_findings = 0;   // the run ends with so many; 0: no limit
  std::string out = ".";        // findings
  std::string totals;           // a line is appended
  std::string root;             // of the source tree, for specs to mutate
  bool quiet = false;
};

// Number of findings.
int run(const Options& options);

}  // namespace sluice::fuzz
