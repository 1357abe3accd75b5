#pragma once
// What was measured against what was wanted.
//
//   LZ4, 64 KiB | speculate | 8 cells | least 1.92 x nvCOMP (x86 code) | floor 2.0: 1 of 8 below it
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/bench/cuda_codag/study.h"

namespace sluice::bench {

// One case under one of our schedules.
struct Cell {
  std::string row, name, schedule;
  double value = 0;  // GB/s or a quotient, as the goal says; 0: not measured
  double floor = 0, aim = 0;
};

// GB/s of a schedule or a peer in a case; 0: none.
double rate_of(const CaseResult& result, std::string_view schedule);

// Every goal's cells; and one of every case that the prototype decodes as well, which is to be 0.9 of it at least.
std::vector<Cell> cells(std::span<const CaseResult> results);

// A row of the table of goals: its cells under one schedule.
struct GoalRow {
  std::string row, schedule;
  double floor = 0, aim = 0;  // of the cells: those of a row have the same
  std::size_t cells = 0, missing = 0, below_floor = 0, below_aim = 0;
  double least = 0, mean = 0;                 // of what was measured; the mean is geometric
  std::string worst{};                        // the case with the least
  [[nodiscard]] std::string verdict() const;  // "aim", "floor", "2 of 9 below the floor", "not measured"
};
std::vector<GoalRow> goal_rows(std::span<const Cell> cells);

}  // namespace sluice::bench
