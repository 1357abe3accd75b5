// What a run leaves behind: files of findings, and a line of totals.
#pragma once
#include <cstdint>
#include <string>

#include "tests/fuzz/specs/check.h"
#include "tests/fuzz/specs/run.h"

namespace sluice::fuzz {

struct Totals {
  std::uint64_t specs = 0, inputs = 0, simt = 0, facts = 0, slow = 0, refused = 0, given_up = 0, known = 0,
                findings = 0;
  double seconds = 0;
};

// OUT/random-SEED-INDEX.sluice, .in, .txt with what happened and the command that repeats it.
void write_finding(const Options& options, std::uint64_t index, const std::string& spec, const Bytes* input,
                   const Finding& finding);

// To standard output, and behind the file of totals.
void write_totals(const Options& options, std::uint64_t next, const Totals& totals);

}  // namespace sluice::fuzz
