// The plan as text, and what its verifier finds.
#include <algorithm>
#include <filesystem>

#include "compiler/driver/compile.h"
#include "compiler/driver/library.h"
#include "compiler/plan/lower.h"
#include "compiler/plan/text.h"
#include "compiler/plan/verify.h"
#include "compiler/plan/walk.h"
#include "tests/unit/ir_fixture.h"

namespace sluice::test {
namespace {

constexpr plan::Target kTargets[] = {plan::Target::Cpu, plan::Target::Warp, plan::Target::Lane};

void expect_round_trip(const ir::Module& module, const plan::Plan& plan) {
  EXPECT_EQ(plan::verify(module, plan), std::vector<std::string>()) << plan::name(plan.target);
  const std::string text = plan::print(module, plan);
  std::string error;
  const std::optional<plan::Plan> again = plan::read(module, text, &error);
  ASSERT_TRUE(again.has_value()) << error << "\n" << text;
  EXPECT_EQ(plan::print(module, *again), text);
  EXPECT_EQ(plan::verify(module, *again), std::vector<std::string>()) << plan::name(plan.target);
}

// Returns how many loops lanes do in parts.
std::size_t expect_round_trip(const ir::Module& module) {
  for (const plan::Target target : kTargets) expect_round_trip(module, plan::lower(module, target));
  const analysis::SplitLoops splits = analysis::find_split_loops(module);
  if (splits.loops.empty()) return 0;
  const plan::PartPlans plans = plan::lower_parts(module, splits.loops);
  expect_round_trip(module, plans.warp);
  expect_round_trip(module, plans.lane);
  EXPECT_EQ(plans.warp.tables, plans.lane.tables);  // a lane looks symbols up in tables that the warp builds
  return static_cast<std::size_t>(
      std::ranges::count(plans.warp.loops, plan::LoopForm::Parts, &plan::Loop::form));
}

TEST(PlanText, RoundTripOfEveryCodec) {
  std::size_t codecs = 0, parts = 0;
  for (const std::string& codec : driver::builtin_codecs()) {
    SCOPED_TRACE(codec);
    driver::Request request;
    request.name = codec;
    const driver::Compiled compiled = driver::compile_spec(request);
    ASSERT_TRUE(compiled.ok()) << compiled.failure_text;
    parts += expect_round_trip(*compiled.module);
    ++codecs;
  }
  EXPECT_GE(codecs, 10u);
  EXPECT_GE(parts, 4u);
}

TEST(PlanText, RoundTripOfTheTestsSpecs) {
  std::size_t specs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SLUICE_SPECS)) {
    if (entry.path().extension() != ".sluice") continue;
    SCOPED_TRACE(entry.path().string());
    driver::Request request;
    request.name = entry.path().string();
    const driver::Compiled compiled = driver::compile_spec(request);
    if (!compiled.ok()) continue;  // some take parameters
    static_cast<void>(expect_round_trip(*compiled.module));
    ++specs;
  }
  EXPECT_GE(specs, 8u);
}

const char* const kTokens =
    "  slot u8 \"n\"\n  slot u8 \"v\"\n  loop until_end\n    read %0 fixed u8 !0\n    if (lt %0 9)\n"
    "      read %1 fixed u8 !0\n      emit %1 !2\n    else\n      literals fixed u8 count %0 !0,_,2\n";

TEST(PlanText, OfASmallLoop) {
  const ir::Module module = module_of(program("bytes", "", kTokens));
  EXPECT_EQ(plan::print(module, plan::lower(module, plan::Target::Cpu)),
            "plan cpu\n"
            "loop rule 0 at [0] until_end token bytes counts number 0 margin 73 cost in 65 out 64\n"
            "  scope rule 0\n"
            "  locals %0 %1\n"
            "  steps\n"
            "    field local %0 load u8 bits 8 cost in 1\n"
            "    if (lt %0 9)\n"
            "      field local %1 load u8 bits 8 cost in 1\n"
            "      store %1 cost out 1\n"
            "    else\n"
            "      literals short u8 count %0 with t0 cost in 64 out 64\n"
            "checked rule 0\n"
            "  loop at [0] tokens 0\n"
            "  literals at [0 0 1 1 0] bytes\n");
}

TEST(PlanText, ErrorsNameTheLine) {
  const ir::Module module = module_of(program("bytes", "", kTokens));
  const auto error = [&](std::string_view text) {
    std::string what;
    EXPECT_FALSE(plan::read(module, text, &what).has_value());
    return what;
  };
  const std::string head = "plan cpu\nloop rule 0 at [0] until_end token bytes number 0\n  scope rule 0\n  steps\n";
  EXPECT_EQ(error("loop"), "line 1: expected `plan`");
  EXPECT_EQ(error("plan gpu"), "line 1: unknown word `gpu`");
  EXPECT_EQ(error(head + "    leap\n"), "line 5: unknown statement `leap`");
  EXPECT_EQ(error(head + "    store (lt %0\n"), "line 5: expected an operand");
  EXPECT_EQ(error(head + "    leave now\n"), "line 5: unexpected text: `now`");
  EXPECT_EQ(error(head + "    field local %0 load u99\n"), "line 5: expected a type");
  EXPECT_EQ(error("plan cpu\nloop rule 0 at [0] until_end token bytes number 0\n  scope rule 7\n"), "line 3: no such rule");
  EXPECT_EQ(error("plan cpu\nchecked rule 0\n  leap at [0]\n"), "line 3: unknown statement `leap`");
  EXPECT_EQ(error("plan cpu\nchecked rule 0\n  literals at [0] slowly\n"), "line 3: unknown word `slowly`");
  EXPECT_EQ(error("plan cpu\nrule 0\n"), "line 2: expected `checked`");
}

// ---- The verifier finds what a wrong lowering could do.

class PlanVerify : public testing::Test {
 protected:
  const ir::Module module = module_of(program("bytes", "", kTokens));
  plan::Plan plan = plan::lower(module, plan::Target::Cpu);
  plan::Loop& loop = plan.loops[0];

  void expect_broken(const char* what) {
    const std::vector<std::string> broken = plan::verify(module, plan);
    EXPECT_TRUE(std::ranges::any_of(broken, [&](const std::string& b) { return b.find(what) != std::string::npos; }))
        << what << " is not among " << broken.size();
  }
};

TEST_F(PlanVerify, MarginsTooSmall) {
  loop.in_margin = 64;
  expect_broken("a token takes more than its margin");
}

TEST_F(PlanVerify, CostsThatAreForgotten) {
  loop.body[0].cost = {};
  expect_broken("its cost is not what its statements add up to");
}

TEST_F(PlanVerify, SlotsOfNobody) {
  loop.locals.clear();
  expect_broken("@0%0 is nobody's");
}

TEST_F(PlanVerify, ValuesThatComeTwice) {
  loop.body.push_back(loop.body[1]);
  expect_broken("value t0 is none or two");
}

TEST_F(PlanVerify, FormsOfAnotherReader) {
  std::get<plan::Field>(loop.body[0].what).form = plan::FieldForm::At;
  expect_broken("a position that the loop does not have");
}

TEST_F(PlanVerify, PathsToNoLoop) {
  loop.path = {1};
  expect_broken("its path names no loop of that kind");
  loop.path = {0, 0, 0};
  expect_broken("its path names no loop of that kind");
}

TEST(PlanVerifyParts, PlacesAndSlotsOfParts) {
  driver::Request request;
  request.name = "gompresso_bit";
  const driver::Compiled compiled = driver::compile_spec(request);
  ASSERT_TRUE(compiled.ok()) << compiled.failure_text;
  const ir::Module& module = *compiled.module;
  const plan::Plan good = plan::lower_parts(module, analysis::find_split_loops(module).loops).warp;
  const auto part = std::ranges::find(good.loops, plan::LoopForm::Parts, &plan::Loop::form);
  ASSERT_NE(part, good.loops.end());
  const auto broken = [&](void (*f)(plan::Loop&)) {
    plan::Plan plan = good;
    f(plan.loops[static_cast<std::size_t>(part - good.loops.begin())]);
    const std::vector<std::string> all = plan::verify(module, plan);
    return all.empty() ? std::string() : all.front().substr(all.front().find(": ") + 2);
  };
  EXPECT_EQ(broken([](plan::Loop&) {}), "");
  EXPECT_EQ(broken([](plan::Loop& l) { l.part->core.back() = 99; }), "its part is no region of a step");
  EXPECT_EQ(broken([](plan::Loop& l) { l.part->core = l.path; }), "its part is no region of a step");
  EXPECT_EQ(broken([](plan::Loop& l) { l.part->own.push_back(l.part->step.front()); }), "a slot is nobody's, or two's");
  EXPECT_EQ(broken([](plan::Loop& l) { l.part->reads_slots = l.part->own; }), "a part reads what it is not given");
  EXPECT_EQ(broken([](plan::Loop& l) { l.part->counted = false; }), "copies wait in parts that are counted");
  EXPECT_EQ(broken([](plan::Loop& l) { l.part.reset(); }), "parts are of form `parts`");
}

TEST_F(PlanVerify, QuestionsThatALoopCannotAnswer) {
  ir::Expr remaining;
  remaining.op = ir::Op::Remaining;
  loop.body.push_back({plan::Store{{plan::clone(remaining), 0}}, {}, {}});
  expect_broken("an operand needs the input's exact position");
}

TEST_F(PlanVerify, CheckedLoopsSayWhy) {
  plan.loops[0] = plan::Loop();
  loop.path = {0};
  loop.kind = ir::LoopKind::UntilEnd;
  expect_broken("a checked loop without a reason");
}

}  // namespace
}  // namespace sluice::test
