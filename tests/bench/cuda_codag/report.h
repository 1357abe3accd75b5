#pragma once
// Tables of a study: Markdown for people, JSON for programs.
#include <span>
#include <string>

#include "tests/bench/cuda_codag/study.h"

namespace sluice::bench {

// What a reader needs to repeat it.
struct Setup {
  std::string command, device, arch, driver, commit, date;
  StudyOptions options;
};

std::string markdown(const Setup& setup, std::span<const CaseResult> results);
std::string json(const Setup& setup, std::span<const CaseResult> results);

// One line, for the terminal.
std::string line(const CaseResult& result);

}  // namespace sluice::bench
