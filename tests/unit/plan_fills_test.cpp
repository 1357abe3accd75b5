// Tokens that fill an array: which loops have them, why others don't, and a plan that says otherwise is broken (compiler/plan/fills.h).
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "compiler/driver/compile.h"
#include "compiler/plan/fills.h"
#include "compiler/plan/lower.h"
#include "compiler/plan/verify.h"
#include "compiler/plan/walk.h"

namespace sluice::test {
namespace {

struct Made {
  driver::Compiled compiled;
  plan::Plan plan;
  plan::Loop* loop = nullptr;  // the one that may fill an array: the last one of bits
};

std::string deeper(std::string_view lines) {
  std::string text;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at) + 1;
    text += "  " + std::string(lines.substr(at, end - at));
    at = end;
  }
  return text;
}
// `token`: of a loop until `until`, behind `done` and in front of nothing.
Made made_of(std::string_view token, std::string_view until = "until done == 90", std::string_view input = "bits lsb") {
  Made made;
  driver::Request request;
  request.name = "fills.sluice";
  request.text = "format fills\n  input " + std::string(input) + "\n  output bytes\n  trailing accept rest\n  array levels: u7[100]\n  array others: u7[100]\n" +
                 "  table sizes: u3 = [1, 2, 3, 3]\n  prefix_code code(4, 3)\n  rule fill\n    var done: u8 = 0\n    repeat " + std::string(until) +
                 "\n" + deeper(token) + "  build code from sizes\n  fill()\n  emit levels[7]\n  emit others[9]\n";
  made.compiled = driver::compile_spec(request);
  EXPECT_TRUE(made.compiled.ok()) << *request.text;
  if (!made.compiled.ok()) return made;
  made.plan = plan::lower(*made.compiled.module, plan::Target::Warp);
  for (plan::Loop& loop : made.plan.loops)
    if (loop.kind == ir::LoopKind::UntilCond || loop.kind == ir::LoopKind::Forever) made.loop = &loop;
  EXPECT_NE(made.loop, nullptr) << *request.text;
  return made;
}
std::optional<plan::Fills> fills_of(std::string_view token, std::string_view until = "until done == 90", std::string_view input = "bits lsb") {
  const Made made = made_of(token, until, input);
  return made.loop != nullptr ? made.loop->fills : std::nullopt;
}

// What every token ends with.
const std::string kFill =
    "    require done + times <= 90 else reject many\n    for k < times\n      levels[done + k] := value\n    done := done + times\n";
const std::string kRepeats =
    "    s: code\n    var value: u7 = 0\n    var times: u5 = 1\n    when s < 2\n      value := s\n    else\n"
    "      require done > 0 else reject none\n      value := levels[done - 1]\n      more: u3\n      times := more + 1\n";

TEST(PlanFills, ValuesThatSymbolsSayOrThatAreThereAlready) {
  const auto fills = fills_of(kRepeats + kFill);
  ASSERT_TRUE(fills);
  EXPECT_EQ(fills->array, 0u);
  EXPECT_EQ(fills->next, (plan::Local{0, 0}));
  EXPECT_TRUE(fills->repeats);
  EXPECT_EQ(fills->most_bits, 6u);
  EXPECT_EQ(fills->kept, (std::vector<plan::Local>{{0, 1}, {0, 2}, {0, 3}})) << "the symbol, which says what is tested, the value and how many";
}

TEST(PlanFills, ValuesOfFields) {
  const std::string token = "    times: u2\n    value: u7\n";
  EXPECT_TRUE(fills_of(token + "    require times > 0 else reject none\n" + kFill)) << "a token that fails that is not taken";
  EXPECT_FALSE(fills_of(token + kFill)) << "one that fills nothing may stand in front of one that takes the element before";
  const std::string more = "    n: u2\n    value: u7\n    times = n + 1\n";
  ASSERT_TRUE(fills_of(more + kFill, "until done == 90", "bits msb"));
  EXPECT_FALSE(fills_of(more + kFill)->repeats);
  EXPECT_TRUE(fills_of("    if done >= 80\n      stop\n" + more + kFill, "")) << "an end by a test of its own";
}

TEST(PlanFills, WhatIsNone) {
  const std::string more = "    n: u2\n    value: u7\n    times = n + 1\n";
  EXPECT_FALSE(fills_of("    n: u2\n    value: u7\n    times = n + done & 3\n    times2 = times + 1\n" + kFill)) << "how many waits for the tokens before";
  EXPECT_FALSE(fills_of("    n: u2\n    v: u7\n    value = v ^ done & 127\n    times = n + 1\n" + kFill)) << "so does the value";
  EXPECT_FALSE(fills_of("    n: u2\n    v: u7\n    value = v ^ others[n]\n    times = n + 1\n" + kFill)) << "it looks at another array";
  EXPECT_FALSE(fills_of(more + kFill + "    others[done] := value\n")) << "it changes another array";
  EXPECT_FALSE(fills_of(more + kFill + "    done := done + n\n")) << "there are holes";
  EXPECT_FALSE(fills_of(more + "    wide: u32\n" + kFill)) << "more bits than a window has";
  EXPECT_FALSE(fills_of(more + kFill + "    emit value\n")) << "it makes output";
  EXPECT_FALSE(fills_of(more + "    require value != levels[n] else reject same\n" + kFill)) << "it looks at what is filled, elsewhere";
  // A value that is there already is known only when the tokens before are.
  EXPECT_FALSE(fills_of(kRepeats + "    require value < 100 else reject high\n" + kFill));
  // What a test asks that waits is asked when the token is over.
  EXPECT_FALSE(fills_of("    var times: u5 = 1\n    value: u7\n    require done + times < 99 else reject many\n    n: u2\n    times := n + 1\n" + kFill));
}

TEST(PlanFills, AnotherMustNotSayIt) {
  Made made = made_of(kRepeats + kFill);
  ASSERT_TRUE(made.loop != nullptr && made.loop->fills);
  const auto broken = [&](auto&& change) {
    plan::Plan plan = made.plan;
    change(plan.loops[static_cast<std::size_t>(made.loop - made.plan.loops.data())]);
    return plan::verify(*made.compiled.module, plan);
  };
  EXPECT_EQ(broken([](plan::Loop&) {}), std::vector<std::string>());
  const std::vector<std::string> wrong{"loop 0: its tokens do not fill what it says"};
  EXPECT_EQ(broken([](plan::Loop& l) { l.fills.reset(); }), std::vector<std::string>{"loop 0: its tokens are not the records it says"}) << "steps wait";
  EXPECT_EQ(broken([](plan::Loop& l) { l.fills->array = 1; }), wrong);
  EXPECT_EQ(broken([](plan::Loop& l) { l.fills->repeats = false; }), wrong);
  EXPECT_EQ(broken([](plan::Loop& l) { l.fills->kept.pop_back(); }), wrong);
  EXPECT_EQ(broken([](plan::Loop& l) {
              plan::for_each_step(l.body, [](plan::Step& s) {
                if (s.reading == plan::Reading::Late) s.reading = plan::Reading::Token;
              });
            }), wrong);
  EXPECT_EQ(broken([](plan::Loop& l) {
              plan::for_each_step(l.body, [](plan::Step& s) {
                if (auto* let = std::get_if<plan::Let>(&s.what)) let->before = false;
              });
            }), wrong);
}

}  // namespace
}  // namespace sluice::test
