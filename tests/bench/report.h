// The results as a table for people (Markdown), and as JSON.
#pragma once
#include <string>
#include <vector>

#include "tests/bench/contest.h"

namespace sluice::bench {

struct Row {
  std::string file;
  std::size_t raw_bytes = 0;
  std::size_t packed_bytes = 0;
  std::vector<Score> scores;  // ours first
};

struct CodecTable {
  std::string codec;
  std::string engine;
  std::vector<Row> rows;
};

// Milliseconds it takes to come from a spec to code.
struct CompileCost {
  std::string codec;
  double front = 0;   // spec's text to checked IR
  double emit = 0;    // IR to C text
  double cold = 0;    // C text to loaded code, compiled
  double cached = 0;  // the same from the disk cache
  double check = 0;   // `sluice check` as a process; 0: not measured
};

struct Circumstances {
  std::string command, cpu, commit, build, peers;
  std::size_t chunk = 0;
  int level = 6;
  unsigned rounds = 0;
};

// ours over peer `peer` (1..), over all rows.
double geometric_mean(const CodecTable& table, std::size_t peer);

std::string markdown(const Circumstances& circumstances, const std::vector<CodecTable>& tables,
                     const std::vector<CompileCost>& costs);
std::string json(const Circumstances& circumstances, const std::vector<CodecTable>& tables,
                 const std::vector<CompileCost>& costs);

}  // namespace sluice::bench
