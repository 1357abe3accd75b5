// The cost model of schedules (compiler/strategy/model.h): what it was fitted to it gives back, more room is never worse, and what it
// was not fitted to it says nothing of.
#include "compiler/strategy/model.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/schedule/directives.h"
#include "compiler/strategy/search.h"

namespace sluice::strategy {
namespace {

using schedule::Schedule;
using schedule::Strategy;

Schedule of(Strategy strategy, std::initializer_list<std::pair<std::string_view, std::string_view>> directives = {}) {
  Schedule made;
  made.strategy = strategy;
  for (const auto& [name, value] : directives) EXPECT_TRUE(schedule::find_directive(name)->set(made, value)) << name;
  return made;
}

TEST(ScheduleModel, KnowsTheStrategiesThatWereMeasured) {
  for (const Strategy strategy : {Strategy::Speculate, Strategy::Lanes, Strategy::Warp}) {
    EXPECT_TRUE(expected(of(strategy), 8)) << schedule::name(strategy);
    EXPECT_FALSE(fitted_directives(strategy).empty()) << schedule::name(strategy);
  }
  for (const Strategy strategy : {Strategy::Split, Strategy::Block, Strategy::Leader}) {
    EXPECT_FALSE(expected(of(strategy), 8)) << schedule::name(strategy);
    EXPECT_TRUE(fitted_directives(strategy).empty()) << schedule::name(strategy);
  }
}

TEST(ScheduleModel, MoreChunksAreNeverWorse) {
  for (const Strategy strategy : {Strategy::Speculate, Strategy::Lanes, Strategy::Warp})
    for (double chunks = 1; chunks < 64; ++chunks) EXPECT_GE(*expected(of(strategy), chunks + 1), *expected(of(strategy), chunks));
  EXPECT_GT(*expected(of(Strategy::Speculate), 24), *expected(of(Strategy::Speculate), 11));
}

// The header's example.
TEST(ScheduleModel, IsAProductOfFactorsAndAPower) {
  EXPECT_NEAR(*expected(of(Strategy::Speculate), 11), 1.47, 0.005);
  EXPECT_NEAR(*expected(of(Strategy::Speculate, {{"table_bits", "8"}}), 24), 1.54, 0.005);
}

// Deflate's kernels on an H200: tables of 11 bits are worse than those of 9, though as many chunks fit.
TEST(ScheduleModel, FactorsOfDirectives) {
  EXPECT_LT(*expected(of(Strategy::Speculate, {{"table_bits", "11"}}), 12), *expected(of(Strategy::Speculate), 11));
  EXPECT_LT(*expected(of(Strategy::Speculate, {{"writer_warps", "1"}, {"wide_parts", "64"}}), 20), *expected(of(Strategy::Speculate, {{"writer_warps", "1"}}), 20));
  EXPECT_GT(*expected(of(Strategy::Lanes, {{"chunk_warps", "8"}, {"shared_memory", "56"}}), 4), *expected(of(Strategy::Lanes), 5));
}

TEST(ScheduleModel, SaysNothingOfValuesThatNoneHad) {
  EXPECT_FALSE(expected(of(Strategy::Speculate, {{"wide_parts", "17"}}), 8));
  EXPECT_FALSE(expected(of(Strategy::Warp, {{"resolve", "rounds"}}), 8));
  // A block's memory shows in the chunks that fit.
  EXPECT_TRUE(expected(of(Strategy::Lanes, {{"shared_memory", "160"}}), 8));
}

// What it may change a search has an axis for, and every default is a schedule it knows.
TEST(ScheduleModel, DirectivesAreAxes) {
  for (const Strategy strategy : {Strategy::Speculate, Strategy::Lanes, Strategy::Warp})
    for (const std::string& name : fitted_directives(strategy))
      EXPECT_TRUE(std::ranges::any_of(axes(), [&](const Axis& axis) { return axis.directive == name; })) << name;
}

}  // namespace
}  // namespace sluice::strategy
