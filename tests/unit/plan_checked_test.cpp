// The checked path of a plan: which form its statements have, and what the verifier finds when one is wrong.
#include <algorithm>

#include "compiler/plan/lower.h"
#include "compiler/plan/text.h"
#include "compiler/plan/verify.h"
#include "tests/unit/sema_fixture.h"

namespace sluice::test {
namespace {

using plan::Checksums;
using plan::Target;

const char* const kSpec =
    "format f\n  input bits lsb\n  output bytes\n  trailing accept rest\n"
    "  table flat: u4 = [4 x 16]\n  prefix_code letter(16, 4)\n  argument w: u3 = 0\n"
    "  build letter from flat\n"
    "  for i < 9\n    s: letter\n    emit s\n"
    "  literals u7[3]\n"
    "  sum: u16le\n"
    "  mark start\n"
    "  literals u8[9]\n"
    "  c: u32le\n"
    "  require c == crc32(output since start) else reject bad_sum\n"
    "  repeat until end of input\n    literals u7[w]\n"
    "  reject trailing_bytes\n";

const char* const kViews =
    "format f\n  input bytes\n  output bytes\n  trailing accept rest\n"
    "  buffer text[300]\n  into text\n    literals u8[9]\n  emit text[3]\n";

// The lines of the checked path.
std::string checked_text(const ir::Module& module, const plan::Plan& plan) {
  const std::string text = plan::print(module, plan);
  const std::size_t at = text.find("checked rule");
  return at == std::string::npos ? "" : text.substr(at);
}

TEST(PlanChecked, FormsOnTheCpuAndOnAWarp) {
  const ir::Module module = lowered(kSpec);
  EXPECT_EQ(checked_text(module, plan::lower(module, Target::Cpu)),
            "checked rule 0 leaves\n"
            "  build at [0] tables [0]\n"
            "  loop at [1] tokens 0\n"
            "  aligned_read at [3]\n"
            "  literals at [5] bytes\n"
            "  output_check at [7]\n"
            "  loop at [8] tokens 1 watched\n");
  EXPECT_EQ(checked_text(module, plan::lower(module, Target::Warp, {.checksums = Checksums::Off})),
            "checked rule 0 leaves once\n"
            "  build at [0] tables [0]\n"
            "  loop at [1] tokens 0\n"
            "  literals at [2] fields\n"
            "  aligned_read at [3]\n"
            "  literals at [5] bytes\n"
            "  output_check at [7] left_out\n"
            "  loop at [8] tokens 1 watched\n"
            "  literals at [8 0 0] fields\n");
}

TEST(PlanChecked, ThePathAloneEntersNoLoopAndBuildsNoTable) {
  const ir::Module module = lowered(kSpec);
  const plan::Plan plan = plan::lower_checked(module, Target::Cpu);
  EXPECT_TRUE(plan.loops.empty());
  EXPECT_EQ(plan::verify(module, plan), std::vector<std::string>());
  EXPECT_EQ(checked_text(module, plan),
            "checked rule 0 leaves\n"
            "  aligned_read at [3]\n"
            "  literals at [5] bytes\n"
            "  output_check at [7]\n"
            "  loop at [8] watched\n");
}

// Every entry leaves then, until the code is built.
TEST(PlanChecked, TablesThatAChunkMayReadUnbuiltStartEmpty) {
  const auto spec = [](const char* build) {
    return std::string("format f\n  input bits lsb\n  output bytes\n  trailing accept rest\n"
                       "  table flat: u4 = [4 x 16]\n  prefix_code letter(16, 4)\n  n: u1\n") +
           build + "  repeat until end of input\n    s: letter\n    emit s\n";
  };
  const ir::Module always = lowered(spec("  build letter from flat\n"));
  const ir::Module maybe = lowered(spec("  if n == 1\n    build letter from flat\n"));
  for (const Target target : {Target::Cpu, Target::Warp}) {
    EXPECT_EQ(plan::print(always, plan::lower(always, target)).find("starts_empty"), std::string::npos);
    // On a GPU entries are of 8 bits besides, for its symbols and its codes are few.
    const std::string_view table = target == Target::Warp ? "table 0 code 0 tiny starts_empty info" : "table 0 code 0 starts_empty info";
    EXPECT_NE(plan::print(maybe, plan::lower(maybe, target)).find(table), std::string::npos);
  }
}

// By what a kernel's tables hold: few symbols of short codes, bytes, more than bytes; fields behind a symbol; and codes that a table doesn't
// hold whole, of which it has links.
TEST(PlanChecked, EntriesAreAsShortAsTheirSymbols) {
  const auto entry_of = [](const char* code, const char* behind = "") {
    const ir::Module module = lowered(std::string("format f\n  input bits lsb\n  output u16[]\n  trailing accept rest\n  array sizes: u4[300]\n"
                                                  "  ranges far = base [0, 1, 3, 9] extra [0, 1, 2, 3]\n  prefix_code letter(") +
                                      code + "), incomplete accept\n  build letter from sizes[0, " + std::string(code).substr(0, std::string(code).find(',')) +
                                      "]\n  repeat until end of input\n    s: letter\n" + behind + "    emit s\n");
    const plan::Plan plan = plan::lower(module, Target::Warp);
    EXPECT_EQ(plan::verify(module, plan), std::vector<std::string>()) << code;
    plan::Plan other = plan;
    for (const plan::EntryForm form : {plan::EntryForm::Narrow, plan::EntryForm::Tiny}) {
      other.tables[0].entry = form;
      EXPECT_EQ(plan::verify(module, other).empty(), form == plan.tables[0].entry || plan.tables[0].entry == plan::EntryForm::Tiny) << code;
    }
    return plan.tables[0].entry;
  };
  EXPECT_EQ(entry_of("32, 7"), plan::EntryForm::Tiny);
  EXPECT_EQ(entry_of("33, 7"), plan::EntryForm::Narrow);
  EXPECT_EQ(entry_of("32, 8"), plan::EntryForm::Wide) << "a table of 6 bits";
  EXPECT_EQ(entry_of("256, 9"), plan::EntryForm::Narrow);
  EXPECT_EQ(entry_of("257, 9"), plan::EntryForm::Wide);
  EXPECT_EQ(entry_of("4, 3", "    v: far[s & 3]\n    emit v\n"), plan::EntryForm::Tiny) << "fields that the symbol's own text reads are none of its entry's";
}

TEST(PlanChecked, AViewTakesItsLiteralsWithIt) {
  const ir::Module module = lowered(kViews);
  EXPECT_EQ(checked_text(module, plan::lower(module, Target::Warp)), "checked rule 0 once\n  view at [0]\n");
}

// A kernel's rule that is called at one place stands there, as its first one does; a CPU's compiler is asked for functions.
TEST(PlanChecked, RulesThatAreCalledOnce) {
  const ir::Module module = lowered(
      "format f\n  input bytes\n  output bytes\n  trailing accept rest\n"
      "  rule head()\n    a: u8\n    require a == 7 else reject bad_head\n"
      "  rule tail()\n    b: u8\n    emit b\n"
      "  head()\n  n: u8\n  if n == 0\n    tail()\n  tail()\n");
  const auto once = [&](const plan::Plan& plan) {
    std::vector<bool> all;
    for (const plan::CheckedRule& rule : plan.checked) all.push_back(rule.once);
    return all;
  };
  EXPECT_EQ(once(plan::lower(module, Target::Warp)), (std::vector<bool>{true, true, false}));
  EXPECT_EQ(once(plan::lower(module, Target::Cpu)), (std::vector<bool>{false, false, false}));
  plan::Plan wrong = plan::lower(module, Target::Warp);
  wrong.checked[2].once = true;
  EXPECT_EQ(plan::verify(module, wrong), std::vector<std::string>{"checked rule 2: it is called at more than one place"});
  wrong = plan::lower(module, Target::Cpu);
  wrong.checked[1].once = true;
  EXPECT_EQ(plan::verify(module, wrong), std::vector<std::string>{"checked rule 1: no kernel's, and stands where it is called"});
}

// ---- The verifier

class PlanCheckedVerify : public testing::Test {
 protected:
  const ir::Module module = lowered(kSpec);
  plan::Plan plan = plan::lower(module, Target::Cpu);

  // The step of that form.
  template <typename What>
  plan::CheckedStep& step() {
    return *std::ranges::find_if(plan.checked[0].steps,
                                 [](const plan::CheckedStep& s) { return std::holds_alternative<What>(s.what); });
  }
  template <typename What>
  What& what() {
    return std::get<What>(step<What>().what);
  }
  template <typename What>
  void remove() {
    std::erase_if(plan.checked[0].steps,
                  [](const plan::CheckedStep& s) { return std::holds_alternative<What>(s.what); });
  }
  void expect_broken(const char* what) const {
    const std::vector<std::string> broken = plan::verify(module, plan);
    EXPECT_TRUE(std::ranges::any_of(broken, [&](const std::string& b) { return b.ends_with(what); }))
        << what << " is not among " << broken.size();
  }
};

TEST_F(PlanCheckedVerify, LoopsThatNothingEnters) {
  what<plan::CheckedLoop>().tokens.reset();
  expect_broken("nothing on the checked path enters it");
}

TEST_F(PlanCheckedVerify, TokensOfAnotherLoop) {
  what<plan::CheckedLoop>().tokens = 7;
  expect_broken("tokens of another loop");
}

TEST_F(PlanCheckedVerify, LoopsThatMayStandStill) {
  for (plan::CheckedStep& s : plan.checked[0].steps)
    if (auto* loop = std::get_if<plan::CheckedLoop>(&s.what)) loop->watched = !loop->watched;
  expect_broken("a loop that may stand still is not watched");
  expect_broken("a watched loop that has nothing to say");
}

TEST_F(PlanCheckedVerify, TablesThatAreNotBuilt) {
  remove<plan::BuiltTables>();
  expect_broken("a table is not built beside its code");
}

TEST_F(PlanCheckedVerify, TablesOfAnotherCode) {
  what<plan::BuiltTables>().tables = {1};
  expect_broken("tables of another code");
}

TEST_F(PlanCheckedVerify, FieldsAtAnyBit) {
  remove<plan::AlignedRead>();
  expect_broken("whole bytes are read at any bit");
}

TEST_F(PlanCheckedVerify, FormsOfOtherStatements) {
  step<plan::AlignedRead>().path = {5};
  expect_broken("an aligned read of nothing that has to be");
  expect_broken("a statement of two forms");
  what<plan::CheckedLiterals>().form = plan::Together::Fields;
  expect_broken("fields that no lanes take");
  step<plan::CheckedLiterals>().path = {2};
  what<plan::CheckedLiterals>().form = plan::Together::Bytes;
  expect_broken("literals that are no bytes");
  what<plan::OutputCheck>().left_out = true;
  expect_broken("a check that is left out, or one that has no checksum");
}

TEST_F(PlanCheckedVerify, PathsAndEnds) {
  step<plan::OutputCheck>().path = {7, 0, 0};
  expect_broken("a path that names no statement of it");
  plan.checked[0].leaves = false;
  expect_broken("does control come out of its end?");
  plan.checked[0].path = {2};
  expect_broken("its path names no region");
  plan.checked[0].rule = 9;
  expect_broken("no such rule");
}

TEST(PlanCheckedVerifyViews, BuffersThatHaveNoMemory) {
  const ir::Module module = lowered(kViews);
  plan::Plan plan = plan::lower(module, Target::Cpu);
  plan.checked[0].steps.clear();
  EXPECT_EQ(plan::verify(module, plan), std::vector<std::string>{"checked rule 0: a view has no memory"});
}

}  // namespace
}  // namespace sluice::test
