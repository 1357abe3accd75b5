#include "tests/bench/report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace sluice::bench {
namespace {

double ratio(const Row& row) { return static_cast<double>(row.raw_bytes) / static_cast<double>(row.packed_bytes); }

double against(const Row& row, std::size_t peer) {
  return row.scores[0].megabytes_per_second / row.scores[peer].megabytes_per_second;
}

void add_table(std::string& text, const CodecTable& table) {
  if (table.rows.empty()) return;
  const std::vector<Score>& names = table.rows.front().scores;
  text += fmt::format("\n## {} ({})\n\n| {:<34} | {:>10} | {:>6} | {:>9} |", table.codec, table.engine, "file", "bytes", "ratio", "ours MB/s");
  for (std::size_t i = 1; i < names.size(); ++i) text += fmt::format(" {:>15} | {:>15} |", names[i].name + " MB/s", "ours/" + names[i].name);
  text += "\n|---|---:|---:|---:|";
  for (std::size_t i = 1; i < names.size(); ++i) text += "---:|---:|";
  text += "\n";
  for (const Row& row : table.rows) {
    text += fmt::format("| {:<34} | {:>10} | {:>6.2f} | {:>9.0f} |", row.file, row.raw_bytes, ratio(row), row.scores[0].megabytes_per_second);
    for (std::size_t i = 1; i < row.scores.size(); ++i) {
      text += fmt::format(" {:>15.0f} | {:>15.2f} |", row.scores[i].megabytes_per_second, against(row, i));
    }
    text += "\n";
  }
  text += fmt::format("| {:<34} | {:>10} | {:>6} | {:>9} |", "geometric mean", "", "", "");
  for (std::size_t i = 1; i < names.size(); ++i) text += fmt::format(" {:>15} | {:>15.2f} |", "", geometric_mean(table, i));
  text += "\n";
}

}  // namespace

double geometric_mean(const CodecTable& table, std::size_t peer) {
  double sum = 0;
  for (const Row& row : table.rows) sum += std::log(against(row, peer));
  return std::exp(sum / static_cast<double>(table.rows.size()));
}

std::string markdown(const Circumstances& c, const std::vector<CodecTable>& tables, const std::vector<CompileCost>& costs) {
  std::string text = fmt::format(
      "# Sluice against the libraries people use\n\n"
      "`{}`, {}, commit {}, {}. One thread; {}; outputs compared with the original each round; median of {} interleaved "
      "rounds; MB = 10^6 bytes of output. Compressed by zlib, libbz2 and libzstd level {}, liblz4, libsnappy and our FSST encoder with their defaults; formats of our own by what lies beside their peers.\nPeers: {}.\n",
      c.command, c.cpu, c.commit, c.build, c.chunk == 0 ? "each file one chunk" : fmt::format("chunks of {} bytes", c.chunk),
      c.rounds, c.level, c.peers);
  for (const CodecTable& table : tables) add_table(text, table);
  if (costs.empty()) return text;
  text += fmt::format("\n## From spec to code, milliseconds\n\n| {:<14} | {:>11} | {:>10} | {:>14} | {:>10} | {:>12} |\n|---|---:|---:|---:|---:|---:|\n",
                      "codec", "text to IR", "IR to C", "C to code cold", "from cache", "sluice check");
  for (const CompileCost& cost : costs) {
    text += fmt::format("| {:<14} | {:>11.2f} | {:>10.2f} | {:>14.1f} | {:>10.2f} | {:>12} |\n", cost.codec, cost.front, cost.emit, cost.cold,
                        cost.cached, cost.check > 0 ? fmt::format("{:.1f}", cost.check) : "");
  }
  return text;
}

std::string json(const Circumstances& c, const std::vector<CodecTable>& tables, const std::vector<CompileCost>& costs) {
  nlohmann::json root = {{"command", c.command}, {"cpu", c.cpu},     {"commit", c.commit}, {"build", c.build},
                         {"peers", c.peers},     {"chunk", c.chunk}, {"level", c.level},   {"rounds", c.rounds}};
  for (const CodecTable& table : tables) {
    nlohmann::json rows = nlohmann::json::array();
    for (const Row& row : table.rows) {
      nlohmann::json speeds = nlohmann::json::object();
      for (const Score& score : row.scores) speeds[score.name] = score.megabytes_per_second;
      rows.push_back({{"file", row.file}, {"bytes", row.raw_bytes}, {"packed_bytes", row.packed_bytes}, {"megabytes_per_second", speeds}});
    }
    nlohmann::json means = nlohmann::json::object();
    for (std::size_t i = 1; !table.rows.empty() && i < table.rows.front().scores.size(); ++i) {
      means[table.rows.front().scores[i].name] = geometric_mean(table, i);
    }
    root["codecs"].push_back({{"codec", table.codec}, {"engine", table.engine}, {"rows", rows}, {"geometric_mean_ours_over", means}});
  }
  for (const CompileCost& cost : costs) {
    root["compile_milliseconds"].push_back({{"codec", cost.codec}, {"front", cost.front}, {"emit", cost.emit}, {"cold", cost.cold},
                                            {"cached", cost.cached}, {"check", cost.check}});
  }
  return root.dump(2) + "\n";
}

}  // namespace sluice::bench
