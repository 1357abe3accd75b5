// What the study beside peers says about numbers, and the material that it makes.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "tests/bench/cuda_codag/goals.h"
#include "tests/bench/cuda_codag/report.h"
#include "tests/support/control.h"

namespace sluice::bench {
namespace {

using Against = Goal::Against;

Score score(const std::string& name, double rate, bool peer = false) {
  Score made;
  made.schedule = name;
  made.gigabytes_per_second = rate;
  made.peer = peer;
  if (rate == 0) made.problem = "refused";
  return made;
}

CaseResult result(const std::string& codec, const std::string& data, const Goal& goal, std::vector<Score> scores) {
  CaseResult made;
  made.group = "a table";
  made.name = data + " " + codec;
  made.codec = codec;
  made.data = data;
  made.chunk_bytes = 4096;
  made.goal = goal;
  made.scores = std::move(scores);
  return made;
}

const Cell* find(const std::vector<Cell>& all, const std::string& row, const std::string& name,
                 const std::string& schedule) {
  for (const Cell& cell : all)
    if (cell.row == row && cell.name == name && cell.schedule == schedule) return &cell;
  return nullptr;
}

TEST(StudyGoals, AgainstPeerBareFormatSizesAndWarp) {
  const std::vector<CaseResult> results{
      result("lz4_block", "a", {"lz4", Against::Peer, 2, 3},
             {score("default", 50), score("speculate", 250), score("nvCOMP", 100, true)}),
      result("gzip", "a", {"gzip", Against::Bare, 0.9, 1, "deflate"}, {score("default", 45)}),
      result("deflate", "a", {"deflate", Against::Rate, 40, 60}, {score("default", 50)}),
      result("snappy_raw", "a", {"sizes", Against::Decoding, 1.5, 2.5},
             {score("default", 10), score("default sizes", 20)}),
      result("snappy_raw", "b", {"never", Against::Warp, 0.5, 1}, {score("warp/shared", 40), score("speculate", 10)})};
  const std::vector<Cell> all = cells(results);
  EXPECT_EQ(all.size(), 6u);
  EXPECT_DOUBLE_EQ(find(all, "lz4", "a lz4_block", "speculate")->value, 2.5);
  EXPECT_DOUBLE_EQ(find(all, "gzip", "a gzip", "default")->value, 0.9);
  EXPECT_DOUBLE_EQ(find(all, "deflate", "a deflate", "default")->value, 50);
  EXPECT_DOUBLE_EQ(find(all, "sizes", "a snappy_raw", "default")->value, 2);
  EXPECT_EQ(find(all, "sizes", "a snappy_raw", "default sizes"), nullptr);
  EXPECT_DOUBLE_EQ(find(all, "never", "b snappy_raw", "speculate")->value, 0.25);
  EXPECT_EQ(find(all, "never", "b snappy_raw", "warp/shared"), nullptr);
}

TEST(StudyGoals, EachCellOfARowCounts) {
  const Goal goal{"lz4", Against::Rate, 100, 200};
  const std::vector<CaseResult> results{
      result("lz4_block", "a", goal, {score("default", 90), score("speculate", 400)}),
      result("lz4_block", "b", goal, {score("default", 120), score("speculate", 100)}),
      result("lz4_block", "c", goal, {score("default", 0), score("speculate", 210)})};
  const std::vector<GoalRow> rows = goal_rows(cells(results));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].verdict(), "1 of 3 below the floor, 1 not measured");
  EXPECT_DOUBLE_EQ(rows[0].least, 90);
  EXPECT_EQ(rows[0].worst, "a lz4_block");
  EXPECT_EQ(rows[1].verdict(), "floor");
  EXPECT_NEAR(rows[1].mean, 203.3, 0.1);
}

TEST(StudyGoals, ThePrototypesCasesAreARowOfTheirOwn) {
  const std::vector<CaseResult> results{
      result("lz4_block", "a", {}, {score("default", 90), score("prototype", 100, true)}),
      result("lz4_block", "b", {}, {score("default", 90), score("prototype", 0, true)})};
  const std::vector<GoalRow> rows = goal_rows(cells(results));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].cells, 1u);
  EXPECT_EQ(rows[0].verdict(), "floor");
}

TEST(StudyReport, PeersHaveColumnsQuotientsAndScratch) {
  std::vector<CaseResult> results{
      result("lz4_block", "a", {"lz4", Against::Peer, 2, 3}, {score("default", 50), score("nvCOMP", 100, true)})};
  results[0].scores[1].scratch_bytes = 3 << 20;
  Peers peers;
  peers.present = {"nvCOMP 6.0.0"};
  peers.absent = {"the prototype: no such file"};
  const std::string text = peer_markdown({}, peers, results);
  EXPECT_NE(text.find("| data | codec | ratio | chunks | default | nvCOMP | default / nvCOMP | nvCOMP's scratch |"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("| a | lz4_block | 0.00 | 0 | 50.0 | 100.0 | 0.50 | 3 MiB |"), std::string::npos) << text;
  EXPECT_NE(text.find("- left out: the prototype: no such file"), std::string::npos) << text;
  EXPECT_NE(text.find("| lz4 | default | 1 | 0.50 | a lz4_block | 0.50 | 2.00 | 3.00 | 1 of 1 below the floor |"),
            std::string::npos)
      << text;
}

TEST(StudyMaterial, WrappedStreamsAreTheFormatsOwn) {
  Bytes raw(5000);
  for (std::size_t i = 0; i < raw.size(); ++i) raw[i] = static_cast<std::uint8_t>(i * i >> 5);
  for (const auto& [codec, packed] : {std::pair<std::string, Bytes>{"gzip", gzip_chunk(raw)},
                                      {"zlib", zlib_chunk(raw)},
                                      {"deflate", deflate_chunk(raw)},
                                      {"snappy_framed", snappy_framed_chunk(raw)}}) {
    const auto made = test::control(codec, {.in = packed, .capacity = raw.size()});
    ASSERT_TRUE(made) << codec;
    EXPECT_EQ(made->verdict, test::Verdict::Accepted) << codec << ": " << made->message;
    EXPECT_EQ(made->out, raw) << codec;
  }
}

TEST(StudyMaterial, NeverInStepIsOneTokenAgainAndAgain) {
  for (const auto& [codec, token] : {std::pair{"lz4_block", 0x11}, {"snappy_raw", 0x12}}) {
    const Material material = never_in_step(codec, 64 << 10, 3);
    ASSERT_EQ(material.problem, "") << codec;
    ASSERT_EQ(material.raw.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_GT(material.raw[i].size(), (64u << 10) - 64) << codec;
      EXPECT_LE(material.raw[i].size(), 64u << 10) << codec;
      EXPECT_GT(std::ranges::count(material.packed[i], token), 30000) << codec;
    }
  }
}

TEST(StudyMaterial, MixedChunksHaveSizesOfEveryPower) {
  const Bytes data(1 << 16, 7);
  const Material material = pack_mixed([&] { return data; }, 1 << 16, 4 << 20,
                                       [](const Bytes& raw) { return Bytes(raw.begin(), raw.begin() + 1); });
  ASSERT_EQ(material.problem, "");
  EXPECT_GE(material.raw_bytes(), 4u << 20);
  EXPECT_LE(material.longest_raw(), 1u << 16);
  std::vector<int> powers(17);
  for (const Bytes& one : material.raw) ++powers[static_cast<unsigned>(std::bit_width(one.size()) - 1)];
  for (unsigned power = 0; power < 16; ++power) EXPECT_GT(powers[power], 0) << power;
}

TEST(StudyMaterial, TooLittleDataIsSaid) {
  const Bytes data(100, 1);
  EXPECT_EQ(pack([&] { return data; }, 200, deflate_chunk).problem, "less than one chunk of data");
  EXPECT_EQ(pack([]() -> std::optional<Bytes> { return std::nullopt; }, 200, deflate_chunk).problem,
            "no such data here");
}

TEST(StudyCases, EveryPeerCaseHasAMakerAndAName) {
  const std::vector<Case> all = peer_cases("nowhere", "nowhere");
  std::vector<std::string> names;
  for (const Case& one : all) {
    EXPECT_TRUE(one.make) << one.name;
    EXPECT_FALSE(one.schedules.empty()) << one.name;
    names.push_back(one.group + ": " + one.name);
  }
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

}  // namespace
}  // namespace sluice::bench
