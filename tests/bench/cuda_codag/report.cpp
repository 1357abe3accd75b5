#include "tests/bench/cuda_codag/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/bench/cuda_codag/goals.h"

namespace sluice::bench {
namespace {

std::string quotient(double a, double b) { return a > 0 && b > 0 ? fmt::format("{:.2f}", a / b) : "–"; }

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')).substr(0, 160); }

// Comparisons that CODAG makes, as quotients of two schedules.
struct Comparison {
  std::string_view name, above, below;
};
constexpr std::array<Comparison, 11> kComparisons{{{"all threads / leader", "warp/shared", "leader"},
                                                  {"warp / block", "warp/shared", "block"},
                                                  {"prefetch / without", "block/prefetch", "block"},
                                                  {"shared / registers", "warp/shared", "warp/registers"},
                                                  {"aligned / anywhere", "warp/aligned", "warp/shared"},
                                                  {"split / warp", "split", "warp/shared"},
                                                  {"rounds / sequential", "warp/rounds", "warp/sequential"},
                                                  {"split: rounds / sequential", "split/rounds", "split/sequential"},
                                                  {"split: independent / rounds", "split/independent", "split/rounds"},
                                                  {"independent / rounds", "warp/independent", "warp/rounds"},
                                                  {"together / rounds", "warp/shared", "warp/rounds"}}};

bool studied(const CaseResult& result) { return rate_of(result, "leader") > 0 && rate_of(result, "block") > 0; }

std::string means(std::span<const CaseResult> results) {
  std::string text = "\n| codec | cases |";
  for (const Comparison& comparison : kComparisons) text += fmt::format(" {} |", comparison.name);
  text += "\n|---|---|";
  for (std::size_t i = 0; i < kComparisons.size(); ++i) text += "---|";
  text += "\n";
  std::vector<std::string> codecs;
  for (const CaseResult& result : results)
    if (studied(result) && std::ranges::find(codecs, result.codec) == codecs.end()) codecs.push_back(result.codec);
  for (const std::string& codec : codecs) {
    std::size_t cases = 0;
    std::string cells;
    for (const Comparison& comparison : kComparisons) {
      double logs = 0;
      std::size_t count = 0;
      for (const CaseResult& result : results) {
        const double above = rate_of(result, comparison.above), below = rate_of(result, comparison.below);
        if (result.codec != codec || above <= 0 || below <= 0) continue;
        logs += std::log(above / below);
        ++count;
      }
      cases = std::max(cases, count);
      cells += count == 0 ? " – |" : fmt::format(" {:.2f} |", std::exp(logs / static_cast<double>(count)));
    }
    text += fmt::format("| {} | {} |{}\n", codec, cases, cells);
  }
  return text;
}

// The cases of one group: their throughput under every schedule that one of them has, and the comparisons.
std::string table(const std::string& group, std::span<const CaseResult> results) {
  std::vector<std::string> names;
  bool wanted = false;
  for (const CaseResult& result : results) {
    if (result.group != group) continue;
    wanted = wanted || result.wanted > 0;
    for (const Score& score : result.scores)
      if (std::ranges::find(names, score.schedule) == names.end()) names.push_back(score.schedule);
  }
  const auto has = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
  std::vector<Comparison> comparisons;
  for (const Comparison& comparison : kComparisons)
    if (has(comparison.above) && has(comparison.below)) comparisons.push_back(comparison);
  std::string text = fmt::format("## {}\n\n| data | codec | ratio |", group), rule = "|---|---|---|";
  const auto column = [&](std::string_view name) {
    text += fmt::format(" {} |", name);
    rule += "---|";
  };
  for (const std::string& name : names) column(name);
  for (const Comparison& comparison : comparisons) column(comparison.name);
  if (wanted) column("wanted");
  text += "\n" + rule + "\n";
  for (const CaseResult& result : results) {
    if (result.group != group || !result.problem.empty()) continue;
    text += fmt::format("| {} | {} | {:.2f} |", result.data, result.name.substr(result.data.size() + 1), result.ratio);
    for (const std::string& name : names) text += fmt::format(" {} |", number(rate_of(result, name)));
    for (const Comparison& comparison : comparisons)
      text += fmt::format(" {} |", quotient(rate_of(result, comparison.above), rate_of(result, comparison.below)));
    if (wanted) text += fmt::format(" {} |", number(result.wanted));
    text += "\n";
  }
  return text + "\n";
}

}  // namespace

std::string number(double value) {
  if (value <= 0) return "–";
  return value < 10 ? fmt::format("{:.2f}", value) : fmt::format("{:.1f}", value);
}

std::string missing(std::span<const CaseResult> results) {
  std::string text;
  for (const CaseResult& result : results) {
    if (!result.problem.empty()) text += fmt::format("- {}: {}\n", result.name, first_line(result.problem));
    for (const Score& score : result.scores)
      if (!score.problem.empty())
        text += fmt::format("- {} with {}: {}\n", result.name, score.schedule, first_line(score.problem));
  }
  return text;
}

std::string line(const CaseResult& result) {
  if (!result.problem.empty()) return fmt::format("{:<34} {}\n", result.name, result.problem);
  std::string text = fmt::format("{:<34} ratio {:>6.2f}", result.name, result.ratio);
  std::string problems;
  for (const Score& score : result.scores) {
    text += fmt::format("  {} {}", score.schedule, number(score.gigabytes_per_second));
    if (!score.problem.empty()) problems += fmt::format("    {}: {}\n", score.schedule, first_line(score.problem));
  }
  return text + "\n" + problems;
}

std::string markdown(const Setup& setup, std::span<const CaseResult> results) {
  std::string text = fmt::format(
      "# Decoding on {}\n\n`{}`, commit {}, {}. {}, driver {}.\n\n"
      "GB/s are 10^9 bytes of output a second of the kernel alone: the median of {} launches or of as many as {} s hold "
      "(at least three), by CUDA events, after one launch whose whole output is compared with the data. Chunks of the "
      "size given, repeated in distinct memory to at least {:.1f} GB of output a launch, inputs packed back to back, but for "
      "`aligned`: at multiples of 128. Deflate: zlib, level 9. ORC runs: as ORC's writers choose them. Every distinct chunk was decoded by the interpreter "
      "too.\n\n",
      setup.device, setup.command, setup.commit, setup.date, setup.arch, setup.driver, setup.options.rounds,
      setup.options.most_seconds, static_cast<double>(setup.options.output_bytes) / 1e9);
  std::vector<std::string> groups;
  for (const CaseResult& result : results)
    if (std::ranges::find(groups, result.group) == groups.end()) groups.push_back(result.group);
  for (const std::string& group : groups) text += table(group, results);
  text += "## Geometric means over a codec's cases\n" + means(results);
  const std::string notes = missing(results);
  if (!notes.empty()) text += "\n## Not measured\n\n" + notes;
  return text;
}

std::string json(const Setup& setup, std::span<const CaseResult> results) {
  auto list = nlohmann::json::array();
  for (const CaseResult& result : results) {
    auto scores = nlohmann::json::array();
    for (const Score& score : result.scores)
      scores.push_back({{"schedule", score.schedule},
                        {"peer", score.peer},
                        {"in_force", score.in_force},
                        {"scratch_bytes", score.scratch_bytes},
                        {"problem", score.problem},
                        {"gigabytes_per_second", score.gigabytes_per_second},
                        {"least", score.least},
                        {"most", score.most},
                        {"jit_ms", score.jit_ms},
                        {"registers", score.kernel.registers},
                        {"shared_bytes", score.kernel.shared_bytes},
                        {"local_bytes", score.kernel.local_bytes},
                        {"threads_per_block", score.kernel.threads_per_block},
                        {"chunks_per_block", score.kernel.chunks_per_block},
                        {"blocks_per_sm", score.kernel.blocks_per_sm},
                        {"occupancy", score.kernel.occupancy}});
    list.push_back({{"name", result.name},
                    {"group", result.group},
                    {"data", result.data},
                    {"codec", result.codec},
                    {"problem", result.problem},
                    {"ratio", result.ratio},
                    {"chunks", result.chunks},
                    {"distinct_chunks", result.distinct},
                    {"chunk_bytes", result.chunk_bytes},
                    {"input_bytes", result.input_bytes},
                    {"output_bytes", result.output_bytes},
                    {"wanted_gigabytes_per_second", result.wanted},
                    {"goal", {{"row", result.goal.row}, {"floor", result.goal.floor}, {"aim", result.goal.aim}}},
                    {"scores", scores}});
  }
  const nlohmann::json all{{"command", setup.command}, {"device", setup.device}, {"arch", setup.arch},
                           {"driver", setup.driver},   {"commit", setup.commit}, {"date", setup.date},
                           {"cases", list}};
  return all.dump(1) + "\n";
}

}  // namespace sluice::bench
