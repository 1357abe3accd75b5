// Which tokens a CPU puts together from the one before them and the input, and that a plan says it where it is so and nowhere else.
#include "compiler/plan/joined.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/planned.h"

namespace sluice::test {
namespace {

struct Made : Planned {
  explicit Made(const std::string& steps, plan::Target target = plan::Target::Cpu, std::string_view window = "")
      : Planned("joined.sluice",
                fmt::format("format joined\n  input bytes\n  output bytes{}\n\n  var before: u32 = 0\n  var others: u32 = 0\n"
                            "  repeat until end of input\n    prefix: u8\n    rest: u8\n{}",
                            window, steps),
                target) {}
  std::optional<std::uint32_t> joined() const { return plan.loops.size() == 1 ? plan.loops[0].joined : std::nullopt; }
};

const std::string kCopy = "    if prefix > 0: copy distance before, length prefix\n";
const std::string kLiterals = "    literals u8[rest]\n";
const std::string kCount = "    before := prefix + rest\n";

TEST(PlanJoined, ACopyOfTheTokenBeforeAndLiterals) {
  const Made made(kCopy + kLiterals + kCount);
  EXPECT_EQ(made.joined(), std::optional<std::uint32_t>(2));
  EXPECT_TRUE(plan::verify(*made.compiled.module, made.plan).empty());
  EXPECT_EQ(Made(kCopy + kLiterals + kCount, plan::Target::Warp).joined(), std::nullopt);
  EXPECT_EQ(Made("    require prefix <= before else reject more\n" + kCopy + kLiterals + kCount).joined(), std::optional<std::uint32_t>(3));
  EXPECT_NE(Made(kCopy + kLiterals + "    before := rest + prefix\n").joined(), std::nullopt);
  EXPECT_NE(Made(kCopy + kLiterals + "    others := rest\n" + kCount).joined(), std::nullopt);
  EXPECT_NE(Made("    if prefix != 0: copy distance before, length prefix\n" + kLiterals + kCount).joined(), std::nullopt);
}

TEST(PlanJoined, NothingElse) {
  const auto none = [](const std::string& steps) { EXPECT_EQ(Made(steps).joined(), std::nullopt) << steps; };
  none("    copy distance before, length prefix\n" + kLiterals + kCount);  // of a distance of 0, too
  none("    if prefix > 1: copy distance before, length prefix\n" + kLiterals + kCount);
  none("    if rest > 0: copy distance before, length prefix\n" + kLiterals + kCount);
  none("    if prefix > 0: copy distance before + 1, length prefix\n" + kLiterals + kCount);
  none("    when prefix > 0\n      copy distance before, length prefix\n    else\n      others := 1\n" + kLiterals + kCount);
  none(kCopy + kLiterals);                                          // it is not set
  none(kCopy + kLiterals + "    before := prefix + rest + 1\n");
  none(kCopy + kLiterals + "    before := rest\n");
  none(kCopy + kLiterals + "    if rest > 0: before := prefix + rest\n");
  none(kCopy + kLiterals + kCount + "    if rest > 9: before := 3\n");
  none(kCopy + kLiterals + kCount + kCount);
  none(kCount + kCopy + kLiterals);                                 // the distance is what this token makes
  none(kCopy + kLiterals + kCount + "    emit rest\n");             // and so is not all of the token before
  none("    emit rest\n" + kCopy + kLiterals + kCount);
  none(kCopy + "    emit rest\n" + kLiterals + kCount);
  none(kLiterals + kCopy + kCount);
  EXPECT_EQ(Made(kCopy + kLiterals + kCount, plan::Target::Cpu, ", window 64").joined(), std::nullopt);
}

// Note [alone]: both lengths are elements of arrays, at the loop's index or behind it.
TEST(PlanJoined, TokensThatHaveNothingOfTheOneBeforeThem) {
  const auto alone = [](const std::string& steps) {
    driver::Request request;
    request.name = "joined.sluice";
    request.text =
        "format joined\n  input bytes\n  output bytes\n  trailing accept rest_of_it\n\n  array sizes: u16[40]\n  array others: u8[20]\n  var before: u32 = 0\n"
        "  for i < 40\n    size: u16le\n    sizes[i] := size\n  for i < 20\n    other: u8\n    others[i] := other\n  for i < 20\n" + steps;
    const driver::Compiled compiled = driver::compile_spec(request);
    EXPECT_TRUE(compiled.ok()) << steps;
    if (!compiled.ok()) return false;
    const plan::Plan plan = plan::lower(*compiled.module, plan::Target::Cpu);
    EXPECT_TRUE(plan::verify(*compiled.module, plan).empty());
    return plan.loops.back().joined.has_value() && plan.loops.back().alone;
  };
  const std::string prefix = "    prefix = sizes[i]\n", copy = "    if prefix > 0: copy distance before, length prefix\n";
  const std::string literals = "    literals u8[sizes[20 + i]]\n", count = "    before := prefix + sizes[20 + i]\n";
  EXPECT_TRUE(alone(prefix + copy + literals + count));
  EXPECT_TRUE(alone(prefix + "    require prefix <= before else reject more\n" + copy + literals + count));
  EXPECT_TRUE(alone(prefix + copy + "    literals u8[others[i]]\n    before := prefix + others[i]\n"));
  EXPECT_FALSE(alone(prefix + "    require sizes[20 + i] <= 99 else reject long\n" + copy + literals + count));  // of a later one nobody would ask
  EXPECT_FALSE(alone(prefix + "    require prefix < before else reject more\n" + copy + literals + count));      // may fail where it is 0
  EXPECT_FALSE(alone(prefix + copy + "    literals u8[sizes[2 * i]]\n    before := prefix + sizes[2 * i]\n"));
  EXPECT_FALSE(alone(prefix + copy + "    rest: u8\n    literals u8[rest]\n    before := prefix + rest\n"));
  EXPECT_FALSE(alone("    prefix: u8\n" + copy + literals + count));
}

TEST(PlanJoined, TheVerifierKnows) {
  Made made(kCopy + kLiterals + kCount);
  const std::vector<std::string> wrong{"loop 0: its tokens do not begin as it says"};
  made.plan.loops[0].joined = {};
  EXPECT_EQ(plan::verify(*made.compiled.module, made.plan), wrong);
  Made other(kCopy + kLiterals);
  other.plan.loops[0].joined = 2;
  EXPECT_EQ(plan::verify(*other.compiled.module, other.plan), wrong);
}

}  // namespace
}  // namespace sluice::test
