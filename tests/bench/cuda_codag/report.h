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

// The same beside peers, with the table of goals.
std::string peer_markdown(const Setup& setup, const Peers& peers, std::span<const CaseResult> results);

// Cases and schedules without a number, with the reasons.
std::string missing(std::span<const CaseResult> results);

// Three or four digits; a dash for what was not measured.
std::string number(double value);

// One line, for the terminal.
std::string line(const CaseResult& result);

}  // namespace sluice::bench
