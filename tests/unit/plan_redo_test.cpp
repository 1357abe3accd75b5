// Stores to arrays that a token reads: which of them a CPU puts back when it leaves the token, what has no such form, and copies
// of a group that the token has at hand.
#include "compiler/plan/redo.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "compiler/driver/compile.h"
#include "compiler/plan/lower.h"
#include "compiler/plan/verify.h"
#include "compiler/plan/walk.h"

namespace sluice::test {
namespace {

using plan::LoopForm;
using plan::Target;

// A step of a loop over bytes, or over bits.
struct Made {
  driver::Compiled compiled;
  plan::Plan plan;

  explicit Made(std::string_view step, Target target = Target::Cpu, std::string_view head = "bytes\n  output bytes",
                std::string_view loop = "repeat until end of input") {
    driver::Request request;
    request.name = "redo";
    request.text = fmt::format(
        "format redo\n  input {}\n  trailing accept rest\n  array a: u8[16]\n  array b: u8[16]\n  var left: u8 = 0\n\n  {}\n{}", head, loop, step);
    compiled = driver::compile_spec(request);
    EXPECT_TRUE(compiled.ok()) << *request.text;
    if (compiled.ok()) {
      plan = plan::lower(*compiled.module, target);
      EXPECT_EQ(plan::verify(*compiled.module, plan), std::vector<std::string>());
    }
  }
  const plan::Loop& loop() const { return plan.loops.at(0); }
  std::string reason() const { return loop().obstacles.empty() ? "" : loop().obstacles.back().reason; }

  // Of each store in order, "put back" or "stays".
  std::vector<std::string> stores() const {
    std::vector<std::string> all;
    plan::for_each_step(loop().body, [&](const plan::Step& s) {
      if (const auto* set = std::get_if<plan::SetElement>(&s.what)) all.emplace_back(set->undo != plan::kNoValue ? "put back" : "stays");
    });
    return all;
  }
  // How many elements the copies repeat that have a group.
  std::vector<std::size_t> groups() const {
    std::vector<std::size_t> all;
    plan::for_each_step(loop().body, [&](const plan::Step& s) {
      if (const auto* copy = std::get_if<plan::Copy>(&s.what); copy != nullptr && !copy->group.empty()) all.push_back(copy->group.size());
    });
    return all;
  }
};

using Stores = std::vector<std::string>;
using Groups = std::vector<std::size_t>;

constexpr const char* kCheckBetween =
    "    n: u8\n    x = a[n & 15]\n    a[n & 15] := n\n    require x < 99 else reject r\n    a[x & 15] := n\n    emit x\n";

TEST(PlanRedo, AStoreBeforeACheckIsPutBackOneBehindItStays) {
  const Made made(kCheckBetween);
  EXPECT_EQ(made.loop().form, LoopForm::Token) << made.reason();
  EXPECT_EQ(made.stores(), (Stores{"put back", "stays"}));
}

TEST(PlanRedo, OthersHaveNoFormThen) {
  for (const Target target : {Target::Warp, Target::Lane}) {
    const Made made(kCheckBetween, target);
    EXPECT_EQ(made.loop().form, LoopForm::Checked);
    EXPECT_EQ(made.reason(), "a step changes an array that it reads, and may be done again after that");
  }
}

TEST(PlanRedo, NobodyReadsWhatOnlyIsStored) {
  EXPECT_EQ(Made("    n: u8\n    a[n & 15] := n\n    require n < 99 else reject r\n    emit n\n").stores(), Stores{"stays"});
}

TEST(PlanRedo, OneWayDoesNotSeeWhatAnotherStores) {
  EXPECT_EQ(Made("    n: u8\n    when a[n & 15] < 3\n      a[n & 15] := n\n      emit n\n    else\n      require n < 9 else reject r\n      emit 1\n").stores(),
            Stores{"stays"});
  EXPECT_EQ(Made("    n: u8\n    if a[n & 15] < 3\n      a[n & 15] := n\n    require n < 9 else reject r\n    emit 1\n").stores(), Stores{"put back"});
}

TEST(PlanRedo, AStepThatMayDoNothingIsLeftAtItsEnd) {
  const std::string step = "    if left == 0\n      read left: u8\n    a[left & 15] := a[left & 15] ^ 1\n    if a[left & 15] > 0: emit left\n    if left > 0: left := left - 1\n";
  const Made made(step);
  EXPECT_TRUE(made.loop().progress);
  EXPECT_EQ(made.stores(), Stores{"put back"});
  EXPECT_EQ(Made(step, Target::Warp).reason(), "a step changes an array that it reads, and may do nothing else");
  EXPECT_EQ(Made(step, Target::Cpu, "bytes\n  output bytes", "repeat 9 times").stores(), Stores{"stays"});
}

TEST(PlanRedo, HowManyStoresALoopInsideHasMadeIsNotKnown) {
  const Made made("    n: u8\n    for i < n\n      a[i & 15] := a[i & 15] ^ n\n    emit a[0]\n");
  EXPECT_EQ(made.loop().form, LoopForm::Checked);
  EXPECT_EQ(made.reason(), "a loop inside a step changes an array that it reads, and may be done again after that");
}

// Tokens that are read each where it stands, with loops inside: stores around these are put back.
TEST(PlanRedo, OfTokensWithLoopsThatMakeOutput) {
  const std::string step = "    n: u4\n    a[n] := a[n] ^ 1\n    repeat n times\n      v: u5\n      emit v\n    align\n";
  const Made made(step, Target::Cpu, "bits lsb\n  output bytes");
  EXPECT_TRUE(made.loop().nested);
  EXPECT_EQ(made.loop().form, LoopForm::Token);
  EXPECT_EQ(made.stores(), Stores{"put back"});
  EXPECT_EQ(Made(step, Target::Warp, "bits lsb\n  output bytes").reason(), "a step changes an array that it reads");
}

TEST(PlanRedo, TheVerifierWantsThoseAndNoOthers) {
  Made made(kCheckBetween);
  std::vector<plan::SetElement*> sets;
  plan::for_each_step(made.plan.loops[0].body, [&](plan::Step& s) {
    if (auto* set = std::get_if<plan::SetElement>(&s.what)) sets.push_back(set);
  });
  ASSERT_EQ(sets.size(), 2u);
  const auto says = [&](std::string_view what) {
    for (const std::string& problem : plan::verify(*made.compiled.module, made.plan))
      if (problem.find(what) != std::string::npos) return true;
    return false;
  };
  constexpr std::string_view kWrong = "a token may leave when it has changed an array that it reads";
  EXPECT_FALSE(says(kWrong));
  const plan::Value values = std::exchange(sets[0]->undo, plan::kNoValue);
  EXPECT_TRUE(says(kWrong));
  sets[0]->undo = values;
  sets[1]->undo = values + 2;
  EXPECT_TRUE(says(kWrong));
  sets[1]->undo = plan::kNoValue;
  EXPECT_FALSE(says(kWrong));
}

TEST(PlanRedo, ACopyRepeatsWhatTheTokenHasJustStored) {
  const auto groups = [](std::string_view emits, std::string_view distance, std::string_view window = "", Target target = Target::Cpu) {
    return Made(fmt::format("    n: u8\n    m: u8\n{}    copy distance {}, length m\n", emits, distance), target,
                fmt::format("bytes\n  output bytes{}", window)).groups();
  };
  EXPECT_EQ(groups("    emit n, m, 7\n", "3"), Groups{3});
  EXPECT_EQ(groups("    emit n, m, 7\n", "2"), Groups{2});
  EXPECT_EQ(groups("    emit n, m, 7\n", "3", ", window 3"), Groups{3});
  EXPECT_EQ(groups("    emit n, m, 7\n", "4"), Groups{}) << "one of them is of a token before";
  EXPECT_EQ(groups("    emit n, m, 7\n", "m"), Groups{}) << "how far back is not known";
  EXPECT_EQ(groups("    emit n\n    literals u8[1]\n    emit 7\n", "3"), Groups{});
  EXPECT_EQ(groups("    emit n, m, 7\n", "3", "", Target::Warp), Groups{});
  EXPECT_EQ(groups("    emit 1, 2, 3, 4, 5, 6, 7, 8\n", "8"), Groups{8});
  EXPECT_EQ(groups("    emit 1, 2, 3, 4, 5, 6, 7, 8, 9\n", "9"), Groups{}) << "more than a register holds";
}

// It tests once that it fits, so what has been stored before it is put back; its own steps do nothing that could be done twice.
TEST(PlanRedo, ARunOfValuesThatIsALoopStandsInTheToken) {
  const std::string step = "    n: u8\n    a[n & 15] := a[n & 15] ^ 1\n    repeat n times\n      emit n, 7\n";
  const Made made(step);
  EXPECT_EQ(made.loop().form, LoopForm::Token) << made.reason();
  EXPECT_TRUE(plan::holds<plan::Unchecked>(made.loop().body));
  EXPECT_EQ(made.stores(), Stores{"put back"});
  EXPECT_EQ(Made(step, Target::Warp).reason(), "a step holds a loop that makes output");
  EXPECT_EQ(Made("    n: u32le\n    repeat n times\n      emit 7\n").reason(), "a step holds a loop that makes output") << "that may be long";
  EXPECT_EQ(Made("    n: u8\n    repeat n times\n      m: u8\n      emit m\n").reason(), "a step holds a loop that makes output") << "it reads";
}

// Its distance is right whatever the stream says, so such a token does not leave by it.
TEST(PlanRedo, ACopyOfAGroupOnlyTestsTheRoomForALongOne) {
  const auto leaves = [](std::string_view length) {
    return plan::any_step(Made(fmt::format("    n: u32le\n    emit 5\n    copy distance 1, length {}\n", length)).loop().body, plan::may_leave);
  };
  EXPECT_FALSE(leaves("n & 255"));
  EXPECT_TRUE(leaves("n"));
}

}  // namespace
}  // namespace sluice::test
