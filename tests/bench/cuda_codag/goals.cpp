#include "tests/bench/cuda_codag/goals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sluice::bench {
namespace {

using Against = Goal::Against;

constexpr std::string_view kPrototypeRow = "every case of the prototype's, against it";
constexpr double kPrototypeFloor = 0.9, kPrototypeAim = 1.0;

double quotient(double a, double b) { return a > 0 && b > 0 ? a / b : 0; }

// The format without its frame and checksum: the same data in chunks of the same size.
double bare_rate(std::span<const CaseResult> results, const CaseResult& result, std::string_view schedule) {
  for (const CaseResult& other : results)
    if (other.codec == result.goal.bare && other.data == result.data && other.chunk_bytes == result.chunk_bytes)
      return rate_of(other, schedule);
  return 0;
}

double value_of(std::span<const CaseResult> results, const CaseResult& result, const std::string& schedule) {
  const double rate = rate_of(result, schedule);
  switch (result.goal.against) {
    case Against::Rate:
      return rate;
    case Against::Peer:
      return quotient(rate, rate_of(result, kNvcomp));
    case Against::Bare:
      return quotient(rate, bare_rate(results, result, schedule));
    case Against::Decoding:
      return quotient(rate_of(result, schedule + " sizes"), rate);
    case Against::Warp:
      return quotient(rate, rate_of(result, "warp/shared"));
    case Against::Nothing:
      break;
  }
  return 0;
}

bool judged(const CaseResult& result, const Score& score) {
  return !score.peer && !score.schedule.ends_with(" sizes") &&
         !(result.goal.against == Against::Warp && score.schedule == "warp/shared");
}

}  // namespace

double rate_of(const CaseResult& result, std::string_view schedule) {
  for (const Score& score : result.scores)
    if (score.schedule == schedule && score.problem.empty()) return score.gigabytes_per_second;
  return 0;
}

std::vector<Cell> cells(std::span<const CaseResult> results) {
  std::vector<Cell> list, beside_prototype;
  for (const CaseResult& result : results) {
    const double prototype = rate_of(result, kPrototype);
    for (const Score& score : result.scores) {
      if (!judged(result, score)) continue;
      if (result.goal.against != Against::Nothing)
        list.push_back({result.goal.row, result.name, score.schedule, value_of(results, result, score.schedule),
                        result.goal.floor, result.goal.aim});
      if (prototype > 0)
        beside_prototype.push_back({std::string(kPrototypeRow), result.name, score.schedule,
                                    quotient(rate_of(result, score.schedule), prototype), kPrototypeFloor,
                                    kPrototypeAim});
    }
  }
  list.insert(list.end(), beside_prototype.begin(), beside_prototype.end());
  return list;
}

std::vector<GoalRow> goal_rows(std::span<const Cell> cells) {
  std::vector<GoalRow> rows;
  for (const Cell& cell : cells) {
    const auto same = [&](const GoalRow& row) { return row.row == cell.row && row.schedule == cell.schedule; };
    auto found = std::ranges::find_if(rows, same);
    if (found == rows.end())
      found =
          rows.insert(rows.end(), {.row = cell.row, .schedule = cell.schedule, .floor = cell.floor, .aim = cell.aim});
    ++found->cells;
    if (cell.value <= 0) {
      ++found->missing;
      continue;
    }
    found->below_floor += cell.value < cell.floor ? 1 : 0;
    found->below_aim += cell.value < cell.aim ? 1 : 0;
    found->mean += std::log(cell.value);
    if (found->least > 0 && cell.value >= found->least) continue;
    found->least = cell.value;
    found->worst = cell.name;
  }
  for (GoalRow& row : rows)
    row.mean = row.missing == row.cells ? 0 : std::exp(row.mean / static_cast<double>(row.cells - row.missing));
  return rows;
}

std::string GoalRow::verdict() const {
  if (missing == cells) return "not measured";
  std::string text = below_floor > 0 ? fmt::format("{} of {} below the floor", below_floor, cells)
                     : below_aim > 0 ? "floor"
                                     : "aim";
  if (missing > 0) text += fmt::format(", {} not measured", missing);
  return text;
}

}  // namespace sluice::bench
