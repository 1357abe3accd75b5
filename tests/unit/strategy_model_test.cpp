// The cost model of schedules (compiler/strategy/model.h): what it was fitted to it gives back, more room is never worse, and what it
// was not fitted to it says nothing of.
#include "compiler/strategy/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>

#include "compiler/driver/compile.h"
#include "compiler/schedule/directives.h"
#include "compiler/strategy/choose.h"
#include "compiler/strategy/search.h"
#include "compiler/strategy/strategies.h"

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

// A format, and what strategies are asked of.
struct Asked {
  driver::Compiled compiled;
  analysis::Facts facts;
  plan::TokenPlans tokens;
  Subject subject{*compiled.module, facts, tokens};

  // Of a text, or a name: a codec's, or that of a spec of tests.
  explicit Asked(const driver::Request& request)
      : compiled(driver::compile_spec(request)), facts(analysis::analyse(*compiled.module)), tokens(plan::token_plans(*compiled.module, facts.splits.loops)) {}
  static Asked text(std::string text) {
    driver::Request request;
    request.text = std::move(text);
    return Asked(request);
  }
  static Asked named(const std::string& name) {
    driver::Request request;
    request.name = name;
    request.search = {SLUICE_SPECS};
    return Asked(request);
  }
  std::string works(Strategy strategy) const { return names(row_of(strategy).works(subject)); }
};

// What strategies make of their work, beside `warp`: the rules that were there before a model, and what schedule files say.
TEST(ScheduleModel, KnowsTheStrategiesThatWereMeasured) {
  EXPECT_EQ(*level(Strategy::Warp, {Work::Tokens}), 1);
  for (const auto& [strategy, work, least] : {std::tuple(Strategy::Speculate, Work::Copies, 4.0), std::tuple(Strategy::Speculate, Work::BitCopies, 3.0),
                                              std::tuple(Strategy::Speculate, Work::Values, 2.0), std::tuple(Strategy::Lanes, Work::Strings, 20.0),
                                              std::tuple(Strategy::Lanes, Work::FixedStrings, 10.0), std::tuple(Strategy::Split, Work::BufferParts, 20.0),
                                              std::tuple(Strategy::Split, Work::CountedCopies, 2.0), std::tuple(Strategy::Lanes, Work::ByteValues, 10.0), std::tuple(Strategy::Block, Work::NoTokens, 1.5)})
    EXPECT_GE(level(strategy, {work}).value_or(0), least) << schedule::name(strategy) << " " << name(work);
  EXPECT_LT(*level(Strategy::Block, {Work::Tokens}), 0.5);
  EXPECT_LT(*level(Strategy::Leader, {Work::Tokens}), 1);
  EXPECT_LT(*level(Strategy::Speculate, {Work::RunsAndCopies}), 1);
  EXPECT_FALSE(level(Strategy::Speculate, {Work::SumsAndCopies})) << "of no format that was measured";
  EXPECT_FALSE(level(Strategy::Speculate, {Work::Strings})) << "not its work";
}

// As much of each work as of the others; what a strategy has no way of its own for it does as `warp` does.
TEST(ScheduleModel, TimesAddUp) {
  const double copies = *level(Strategy::Speculate, {Work::Copies}), values = *level(Strategy::Speculate, {Work::Values});
  EXPECT_NEAR(*level(Strategy::Speculate, {Work::Copies, Work::Values}), 2 / (1 / copies + 1 / values), 1e-9);
  EXPECT_NEAR(*level(Strategy::Lanes, {Work::Tokens, Work::ByteValues}), 2 / (1 + 1 / *level(Strategy::Lanes, {Work::ByteValues})), 1e-9);
  EXPECT_LT(*level(Strategy::Lanes, {Work::Tokens, Work::ByteValues}), *level(Strategy::Speculate, {Work::Copies, Work::Values}));
  EXPECT_FALSE(level(Strategy::Speculate, {Work::Copies, Work::SumsAndCopies}));
  EXPECT_FALSE(level(Strategy::Speculate, {})) << "no work of its own";
  EXPECT_EQ(explain_level(Strategy::Speculate, {Work::Copies, Work::SumsAndCopies}), "nothing was measured on tokens that copy, tokens that copy and add up");
}

// A loop that copies and one of a byte a value: lanes have a way for the latter alone.
TEST(ScheduleModel, SeveralLoops) {
  const Asked two = Asked::text("format two\n  input bytes\n  output bytes\n\n  n: u8\n  within n bytes\n    repeat until end of input\n      c: u8\n      emit c ^ 1\n"
                                "  repeat until end of input\n    t: u8\n    literals u8[t & 7]\n    far: u16le\n    copy distance far + 1, length (t >> 3) + 1\n");
  EXPECT_EQ(two.works(Strategy::Speculate), "tokens that are values, tokens that copy");
  EXPECT_EQ(two.works(Strategy::Lanes), "bytes that are values, tokens");
  EXPECT_EQ(default_schedule(two.subject, schedule::device_for("sm_90"), {}).schedule.strategy, Strategy::Speculate);
}

// Parts, and a loop that copies behind them, which is no part's.
TEST(ScheduleModel, PartsAndOtherLoops) {
  const std::string parts = "format three\n  input bytes\n  output bytes\n  trailing accept rest\n\n  array size: u8[4]\n  for i < 4\n    n: u8\n    size[i] := n\n  for i < 4\n"
                            "    producing size[i]\n      within size[i] bytes\n        repeat until end of input\n          c: u8\n          emit c\n";
  const std::string copies = "  repeat until end of input\n    t: u8\n    literals u8[t & 7]\n    far: u16le\n    copy distance far + 1, length (t >> 3) + 1\n";
  EXPECT_EQ(Asked::text(parts).works(Strategy::Split), "parts of known size");
  EXPECT_EQ(Asked::text(parts + copies).works(Strategy::Split), "parts of known size, tokens");
}

TEST(ScheduleModel, SaysWhatItKnows) {
  EXPECT_EQ(explain_level(Strategy::Warp, {Work::Tokens}), "") << "the measure";
  EXPECT_EQ(explain_level(Strategy::Speculate, {Work::SumsAndCopies}), "nothing was measured on tokens that copy and add up");
  const std::string copies = explain_level(Strategy::Speculate, {Work::Copies});
  EXPECT_TRUE(copies.starts_with("expected to be 4.") && copies.ends_with(" times as fast as `warp` on tokens that copy")) << copies;
}

TEST(ScheduleModel, MoreChunksAreNeverWorse) {
  for (const auto& [strategy, work] : {std::pair(Strategy::Speculate, Work::BitCopies), std::pair(Strategy::Lanes, Work::Strings), std::pair(Strategy::Warp, Work::Tokens),
                                       std::pair(Strategy::Split, Work::PlacedParts), std::pair(Strategy::Block, Work::Tokens), std::pair(Strategy::Leader, Work::Tokens)})
    for (double chunks = 1; chunks < 64; ++chunks) EXPECT_GE(*expected(of(strategy), {work}, chunks + 1), *expected(of(strategy), {work}, chunks));
  EXPECT_GT(*expected(of(Strategy::Speculate), {Work::BitCopies}, 24), *expected(of(Strategy::Speculate), {Work::BitCopies}, 11));
}

// With as much room as those had that were measured, and as directives come, it is what these made.
TEST(ScheduleModel, IsAProductOfALevelFactorsAndAPower) {
  const double copies = *level(Strategy::Speculate, {Work::BitCopies});
  EXPECT_EQ(*expected(of(Strategy::Speculate), {Work::BitCopies}), copies);
  EXPECT_NEAR(*expected(of(Strategy::Speculate), {Work::BitCopies}, 22), copies, 0.01 * copies);
  const Schedule small = of(Strategy::Speculate, {{"table_bits", "8"}}), registers = of(Strategy::Speculate, {{"input", "registers"}});
  const Schedule both = of(Strategy::Speculate, {{"table_bits", "8"}, {"input", "registers"}});
  const auto factor = [&](const Schedule& schedule) { return *expected(schedule, {Work::BitCopies}) / copies; };
  EXPECT_NEAR(factor(both), factor(small) * factor(registers), 1e-9);
  EXPECT_NEAR(*expected(both, {Work::BitCopies}, 30) / *expected(both, {Work::BitCopies}, 10), *expected(small, {Work::BitCopies}, 30) / *expected(small, {Work::BitCopies}, 10), 1e-9);
}

// Deflate's kernels on an H200: tables of 11 bits are worse than those of 9, though as many chunks fit.
TEST(ScheduleModel, FactorsOfDirectives) {
  const auto deflate = [](std::initializer_list<std::pair<std::string_view, std::string_view>> directives, double chunks) {
    return *expected(of(Strategy::Speculate, directives), {Work::BitCopies}, chunks);
  };
  EXPECT_LT(deflate({{"table_bits", "11"}}, 12), deflate({}, 11));
  EXPECT_LT(deflate({{"writer_warps", "1"}, {"wide_parts", "64"}}, 20), deflate({{"writer_warps", "1"}}, 20));
  EXPECT_GT(*expected(of(Strategy::Lanes, {{"chunk_warps", "8"}, {"shared_memory", "56"}}), {Work::FixedStrings}, 4), *expected(of(Strategy::Lanes), {Work::FixedStrings}, 5));
}

TEST(ScheduleModel, SaysNothingOfValuesThatNoneHad) {
  EXPECT_FALSE(expected(of(Strategy::Speculate, {{"wide_parts", "17"}}), {Work::Copies}));
  EXPECT_FALSE(expected(of(Strategy::Warp, {{"resolve", "rounds"}}), {Work::Tokens}));
  EXPECT_FALSE(expected(of(Strategy::Speculate), {Work::SumsAndCopies}, 8));
  // A block's memory shows in the chunks that fit.
  EXPECT_TRUE(expected(of(Strategy::Lanes, {{"shared_memory", "160"}}), {Work::FixedStrings}));
}

// What the trials say that formats are to strategies, it is.
TEST(ScheduleModel, TrialsNameTheirWork) {
  const std::map<std::string, Work> works{
#define WORK(Name, name) {#Name, Work::Name},
#include "compiler/strategy/work.def"
#undef WORK
  };
  std::ifstream file(SLUICE_SOURCE_DIR "/tests/bench/results/tune-trials.tsv");
  std::string line;
  ASSERT_TRUE(std::getline(file, line));
  std::map<std::string, std::map<std::string, Work>> formats;  // of each, of each strategy
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string format, sample, work, skipped, text;
    for (std::string* word : {&format, &sample, &work, &skipped, &skipped, &skipped, &skipped, &skipped, &text}) std::getline(words, *word, '\t');
    ASSERT_TRUE(works.contains(work)) << line;
    const std::string strategy = text.substr(9, text.find(',') - 9);
    const auto [at, is_new] = formats[format].emplace(strategy, works.at(work));
    EXPECT_EQ(at->second, works.at(work)) << line << ": other rows have " << name(at->second);
  }
  EXPECT_GE(formats.size(), 30u);
  for (const auto& [format, strategies_of] : formats) {
    const Asked asked = Asked::named(format);
    for (const auto& [strategy, work] : strategies_of) {
      const auto row = std::ranges::find(strategies(), strategy, [](const StrategyRow* r) { return schedule::name(r->strategy); });
      ASSERT_NE(row, strategies().end()) << strategy;
      ASSERT_TRUE((*row)->legal(asked.subject).legal) << format << " " << strategy;
      EXPECT_EQ(names((*row)->works(asked.subject)), name(work)) << format << " " << strategy;
    }
  }
}

// What was fitted a search has an axis for, and is a value of the directive.
TEST(ScheduleModel, FactorsAreOfAxes) {
  std::size_t factors = 0;
  const auto expect = [&](Strategy strategy, std::string_view directive, std::string_view value) {
    ++factors;
    Schedule schedule = of(strategy);
    EXPECT_TRUE(std::ranges::any_of(axes(), [&](const Axis& axis) { return axis.directive == directive; })) << directive;
    EXPECT_TRUE(schedule::find_directive(directive)->set(schedule, value)) << directive << " " << value;
    EXPECT_TRUE(schedule::find_directive(directive)->strategies & schedule::set_of(strategy)) << directive << " of " << schedule::name(strategy);
  };
#define FITTED(strategy, power, error, trials)
#define FACTOR(strategy, work, directive, value, factor, trials) expect(Strategy::strategy, directive, value);
#define LEVEL(strategy, work, factor, chunks, samples, formats)
#define SPREAD(factor)
#include "compiler/strategy/model.def"
#undef FITTED
#undef FACTOR
#undef LEVEL
#undef SPREAD
  EXPECT_GT(factors, 50u);
}

}  // namespace
}  // namespace sluice::strategy
