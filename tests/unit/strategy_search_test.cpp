// The search for schedules: it finds what was planted, stops where nothing is to be won, and measures nothing twice.
#include "compiler/strategy/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "compiler/driver/compile.h"
#include "compiler/plan/lower.h"
#include "compiler/schedule/device.h"

namespace sluice::strategy {
namespace {

using schedule::Schedule;
using schedule::Strategy;

Schedule of(Strategy strategy) {
  Schedule schedule;
  schedule.strategy = strategy;
  return schedule;
}

// Seconds with a valley at one speculate schedule: each directive adds its part, and walkers need writers.
double cost(const Schedule& s) {
  if (s.strategy == Strategy::Warp) return 10;
  if (s.strategy == Strategy::Leader) return 20;
  double seconds = 8;
  seconds -= s.writer_warps == 1 ? 1 : 0;
  seconds -= s.walker_warps == 1 ? 1 : 0;
  seconds -= s.wide_parts == 24 ? 0.5 : 0;
  seconds += s.table_bits == 8 ? -1 : 0.1 * s.table_bits;
  return seconds;
}

Problem planted(std::vector<std::string>& measured) {
  Problem problem;
  problem.seeds = {of(Strategy::Leader), of(Strategy::Warp), of(Strategy::Speculate), of(Strategy::Speculate)};
  problem.legal = [](const Schedule& s) { return s.walker_warps == 0 || s.writer_warps == 1; };
  problem.measure = [&measured](const Schedule& s) {
    measured.push_back(short_text(s));
    return std::optional(cost(s));
  };
  return problem;
}

TEST(Search, FindsThePlantedSchedule) {
  std::vector<std::string> measured;
  const Search found = search(planted(measured));
  ASSERT_TRUE(found.best);
  EXPECT_EQ(short_text(found.trials[*found.best].schedule),
            "strategy speculate, writer_warps 1, walker_warps 1, wide_parts 24, table_bits 8");
  EXPECT_FALSE(found.stopped);
}

TEST(Search, MeasuresNothingTwiceAndOnlyWhatIsLegal) {
  std::vector<std::string> measured;
  const Search found = search(planted(measured));
  EXPECT_EQ(std::set(measured.begin(), measured.end()).size(), measured.size());
  EXPECT_EQ(found.trials.size(), measured.size());
  for (const Trial& trial : found.trials) EXPECT_TRUE(trial.schedule.walker_warps == 0 || trial.schedule.writer_warps == 1);
  // The slowest strategy is tried as it comes, and no more.
  EXPECT_EQ(std::ranges::count_if(found.trials, [](const Trial& t) { return t.schedule.strategy == Strategy::Leader; }), 1);
}

TEST(Search, StopsAfterARoundThatWinsLittle) {
  std::vector<std::string> measured;
  Problem problem = planted(measured);
  problem.seeds = {of(Strategy::Speculate)};
  // Each input and table size is 0.1 % better than the one before, one at a time: no second round pays.
  problem.measure = [&measured](const Schedule& s) {
    measured.push_back(short_text(s));
    return std::optional(100 - (s.table_bits == 11 ? 0.1 : 0) - (s.carve_out == 50 && s.table_bits == 11 ? 0.1 : 0));
  };
  static_cast<void>(search(problem));
  std::size_t values = 1;  // the seed, and of each directive the values that it does not have
  for (const Axis& axis : axes()) {
    const schedule::Directive& directive = *schedule::find_directive(axis.directive);
    if ((directive.strategies & set_of(Strategy::Speculate)) != 0) values += axis.values.size() - 1;
  }
  EXPECT_LE(measured.size(), values);  // `walker_warps` alone is not legal
}

TEST(Search, ASecondRoundUsesWhatTheFirstOneWon) {
  std::vector<std::string> measured;
  Problem problem = planted(measured);
  problem.seeds = {of(Strategy::Speculate)};
  problem.measure = [](const Schedule& s) {  // the first directive pays once the last one is set
    return std::optional(10.0 - (s.carve_out == 50 ? 1 : 0) - (s.carve_out == 50 && s.chunk_warps == 4 ? 2 : 0));
  };
  const Search found = search(problem);
  ASSERT_TRUE(found.best);
  EXPECT_EQ(short_text(found.trials[*found.best].schedule), "strategy speculate, chunk_warps 4, carve_out 50");
}

TEST(Search, TheProductFindsWhatNoSingleStepDoes) {
  std::vector<std::string> measured;
  Problem problem = planted(measured);
  problem.seeds = {of(Strategy::Speculate)};
  problem.only = {"input", "carve_out"};
  problem.measure = [](const Schedule& s) {
    const bool registers = s.input == schedule::InputBuffer::Registers, all = s.carve_out == schedule::kMaxCarveOut;
    return std::optional(registers && all ? 1.0 : registers || all ? 9.0 : 5.0);
  };
  const Search descent = search(problem);
  EXPECT_EQ(short_text(descent.trials[descent.best.value()].schedule), "strategy speculate");
  problem.exhaustive = true;
  const Search all = search(problem);
  EXPECT_EQ(all.trials.size(), 6u);
  EXPECT_EQ(short_text(all.trials[all.best.value()].schedule), "strategy speculate, input registers, carve_out max");
}

TEST(Search, WhatFailsIsNeverTheBest) {
  std::vector<std::string> measured;
  Problem problem = planted(measured);
  problem.measure = [](const Schedule& s) { return s.wide_parts != 0 || s.strategy == Strategy::Warp ? std::nullopt : std::optional(cost(s)); };
  const Search found = search(problem);
  EXPECT_EQ(found.trials[found.best.value()].schedule.wide_parts, 0u);
  problem.measure = [](const Schedule&) { return std::optional<double>(); };
  EXPECT_FALSE(search(problem).best);
}

TEST(Search, EndsWhenItIsEnough) {
  std::vector<std::string> measured;
  Problem problem = planted(measured);
  problem.exhaustive = true;
  problem.enough = [&measured] { return measured.size() == 5; };
  const Search found = search(problem);
  EXPECT_TRUE(found.stopped);
  EXPECT_EQ(measured.size(), 5u);
  EXPECT_TRUE(found.best);
}

TEST(Search, SeedsHoldTheDefaultFirstAndEveryLegalStrategy) {
  driver::Request request;
  request.name = "lz4_block";
  const driver::Compiled compiled = driver::compile_spec(request);
  ASSERT_TRUE(compiled.ok());
  const analysis::Facts facts = analysis::analyse(*compiled.module);
  const plan::TokenPlans tokens = plan::token_plans(*compiled.module, facts.splits.loops);
  const std::vector<Schedule> list = seeds({*compiled.module, facts, tokens}, schedule::device_for("sm_90"));
  std::vector<std::string> texts;
  for (const Schedule& schedule : list) texts.push_back(short_text(schedule));
  EXPECT_EQ(texts.front(), "strategy speculate");
  for (const char* text : {"strategy speculate, writer_warps 1, walker_warps 1", "strategy speculate, wide_parts 24", "strategy warp",
                           "strategy leader", "strategy block"})
    EXPECT_NE(std::ranges::find(texts, text), texts.end()) << text;
  EXPECT_EQ(std::ranges::find(texts, "strategy split"), texts.end());
}

}  // namespace
}  // namespace sluice::strategy
