#include <fmt/format.h>

#include <algorithm>

#include "tests/bench/cuda_codag/goals.h"
#include "tests/bench/cuda_codag/report.h"

namespace sluice::bench {
namespace {

std::string quotient(double a, double b) { return a > 0 && b > 0 ? fmt::format("{:.2f}", a / b) : "–"; }

std::string memory(std::uint64_t bytes) {
  if (bytes == 0) return "0";
  constexpr std::uint64_t kMiB = 1 << 20;
  return bytes < kMiB ? fmt::format("{} KiB", (bytes + 1023) >> 10) : fmt::format("{} MiB", (bytes + kMiB - 1) / kMiB);
}

std::string goals(std::span<const CaseResult> results) {
  const std::vector<Cell> all = cells(results);
  std::string text =
      "## Against the goals\n\nEach row's least cell counts. Values are GB/s of output where the row names data, "
      "quotients elsewhere.\n\n"
      "| row | schedule | cells | least | where | geometric mean | floor | aim | reached "
      "|\n|---|---|---:|---:|---|---:|---:|---:|---|\n";
  for (const GoalRow& row : goal_rows(all))
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", row.row, row.schedule, row.cells,
                        number(row.least), row.worst.empty() ? "–" : row.worst, number(row.mean), number(row.floor),
                        number(row.aim), row.verdict());
  return text + "\n";
}

// The cases of one group: throughput of all, then each of our schedules over each peer.
std::string table(const std::string& group, std::span<const CaseResult> results) {
  struct Column {
    std::string name;
    bool peer;
  };
  std::vector<Column> columns;
  for (const CaseResult& result : results)
    for (const Score& score : result.scores)
      if (result.group == group &&
          std::ranges::none_of(columns, [&](const Column& one) { return one.name == score.schedule; }))
        columns.push_back({score.schedule, score.peer});
  std::ranges::stable_partition(columns, [](const Column& one) { return !one.peer; });
  const auto counts = [](const Column& one) { return one.name.ends_with(" sizes"); };
  std::string text = fmt::format("## {}\n\n| data | codec | ratio | chunks |", group), rule = "|---|---|---:|---:|";
  const auto add = [&](const std::string& name) {
    text += fmt::format(" {} |", name);
    rule += "---:|";
  };
  for (const Column& one : columns) add(one.name);
  for (const Column& ours : columns)
    for (const Column& peer : columns)
      if (!ours.peer && peer.peer && counts(ours) == counts(peer)) add(ours.name + " / " + peer.name);
  for (const Column& one : columns)
    if (one.peer && !counts(one)) add(one.name + "'s scratch");
  text += "\n" + rule + "\n";
  for (const CaseResult& result : results) {
    if (result.group != group || !result.problem.empty()) continue;
    text += fmt::format("| {} | {} | {:.2f} | {} |", result.data, result.codec, result.ratio, result.chunks);
    for (const Column& one : columns) text += fmt::format(" {} |", number(rate_of(result, one.name)));
    for (const Column& ours : columns)
      for (const Column& peer : columns)
        if (!ours.peer && peer.peer && counts(ours) == counts(peer))
          text += fmt::format(" {} |", quotient(rate_of(result, ours.name), rate_of(result, peer.name)));
    for (const Column& one : columns) {
      if (!one.peer || counts(one)) continue;
      const auto score = std::ranges::find_if(result.scores, [&](const Score& it) { return it.schedule == one.name; });
      text += fmt::format(" {} |",
                          score == result.scores.end() || !score->problem.empty() ? "–" : memory(score->scratch_bytes));
    }
    text += "\n";
  }
  return text + "\n";
}

}  // namespace

std::string peer_markdown(const Setup& setup, const Peers& peers, std::span<const CaseResult> results) {
  std::string others;
  for (const std::string& one : peers.present) others += (others.empty() ? "" : ", ") + one;
  std::string text = fmt::format(
      "# Beside other decoders on {}\n\n`{}`, commit {}, {}. {}, driver {}. Peers: {}.\n\n"
      "One process on the same compressed bytes. GB/s are 10^9 bytes of output a second between two CUDA events around "
      "the launch: the median of {} rounds, "
      "or of as many as {} s hold (at least three); in a round every decoder has its turn. Before that, one launch "
      "into "
      "rubbish whose sizes and bytes are all compared with the data, for every decoder. Chunks repeated in distinct "
      "memory to at least {:.1f} GB of output, "
      "unless the table says how many there are. Our inputs lie back to back, a peer's at the multiples that it asks "
      "for; rooms "
      "at multiples of the largest alignment that one of them asks for. liblz4 and libsnappy; zlib's level 9, libzstd's level 3. {}\n\n",
      setup.device, setup.command, setup.commit, setup.date, setup.arch, setup.driver, others.empty() ? "none" : others,
      setup.options.rounds, setup.options.most_seconds, static_cast<double>(setup.options.output_bytes) / 1e9,
      setup.options.interpret ? "Every distinct chunk was decoded by the interpreter too."
                              : "The interpreter was left out.");
  for (const std::string& one : peers.absent) text += fmt::format("- left out: {}\n", one);
  if (!peers.absent.empty()) text += "\n";
  text += goals(results);
  std::vector<std::string> groups;
  for (const CaseResult& result : results)
    if (std::ranges::find(groups, result.group) == groups.end()) groups.push_back(result.group);
  for (const std::string& group : groups) text += table(group, results);
  const std::string notes = missing(results);
  if (!notes.empty()) text += "## Not measured\n\n" + notes;
  return text;
}

}  // namespace sluice::bench
