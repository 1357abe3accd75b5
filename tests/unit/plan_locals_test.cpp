// Which variables a token's text declares, and which of them start at 0.
#include "compiler/plan/locals.h"

#include "compiler/analysis/slots.h"
#include "compiler/plan/lower.h"
#include "tests/unit/ir_fixture.h"

namespace sluice::test {
namespace {

using Slots = std::set<std::uint32_t>;

struct Seen {
  Slots read, named, early;  // of the loop's own rule
  friend bool operator==(const Seen&, const Seen&) = default;
};

void PrintTo(const Seen& seen, std::ostream* os) {
  for (const auto& [word, slots] : {std::pair("read", seen.read), {"named", seen.named}, {"early", seen.early}}) {
    *os << word;
    for (const std::uint32_t slot : slots) *os << ' ' << slot;
    *os << "; ";
  }
}

// Of a loop with slots %0 to %3, whose steps are `steps`.
Seen seen(const std::string& steps, std::string_view input = "bytes") {
  std::string body;
  for (const char* name : {"a", "b", "c", "d"}) body += std::string("  slot u8 \"") + name + "\" mutable\n";
  body += "  loop until_end\n" + steps;
  // Not verified: some of these read what may not be set, which the verifier of the IR refuses.
  const std::optional<ir::Module> module = ir::read(program(input, "", body), nullptr);
  if (!module) return {};
  const plan::Plan plan = plan::lower(*module, plan::Target::Cpu);
  if (plan.loops.empty()) return {};
  const plan::LocalUse use = plan::local_use(plan.loops[0].body);
  const auto own = [](const std::set<plan::Local>& locals) {
    Slots slots;
    for (const plan::Local& local : locals)
      if (local.scope == 0) slots.insert(local.slot);
    return slots;
  };
  return {own(use.read), own(use.named), own(use.early)};
}

TEST(PlanLocals, WhatIsSetBeforeItIsReadNeedsNoStart) {
  EXPECT_EQ(seen("    read %0 fixed u8 !0\n    set %1 (cast:u8 (add %0 1))\n    emit %1 !2\n"),
            (Seen{{0, 1}, {0, 1}, {}}));
}

TEST(PlanLocals, BothArmsHaveToSetIt) {
  const std::string head = "    read %0 fixed u8 !0\n    if (lt %0 9)\n      set %1 3\n";
  EXPECT_EQ(seen(head + "    else\n      set %1 %0\n    emit %1 !2\n"), (Seen{{0, 1}, {0, 1}, {}}));
  EXPECT_EQ(seen(head + "    emit %1 !2\n"), (Seen{{0, 1}, {0, 1}, {1}}));
  // An arm that leaves has nothing behind it.
  EXPECT_EQ(seen(head + "    else\n      reject !5\n    emit %1 !2\n"), (Seen{{0, 1}, {0, 1}, {}}));
}

TEST(PlanLocals, ALoopInsideMayMakeNoStep) {
  const std::string loop = "    read %0 fixed u8 !0\n    loop times %0\n      read %1 fixed u8 !0\n      emit %1 !2\n";
  EXPECT_EQ(seen(loop, "bits_msb"), (Seen{{0, 1}, {0, 1}, {}}));
  EXPECT_EQ(seen(loop + "    emit %1 !2\n", "bits_msb"), (Seen{{0, 1}, {0, 1}, {1}}));
}

TEST(PlanLocals, WhatIsSetAndNotReadIsNamed) {
  EXPECT_EQ(seen("    read %0 fixed u8 !0\n    read %2 fixed u8 !0\n    emit %0 !2\n"), (Seen{{0}, {0, 2}, {}}));
}

TEST(AnalysisSlots, ReadAndSetApart) {
  const ir::Module module = module_of(program("bytes", "",
                                              "  slot u8 \"a\"\n  slot u8 \"b\"\n  slot u8 \"c\"\n"
                                              "  read %0 fixed u8 !0\n  read %1 fixed u8 !0\n  read %2 fixed u8 !0\n"
                                              "  check (lt %1 9) !5\n  emit %0 !2\n"));
  const ir::Rule& rule = module.rules[0];
  const auto all = analysis::slots_of(rule, rule.body, [](const ir::Stmt&) { return false; });
  EXPECT_EQ(all.read, (std::vector<bool>{true, true, false}));
  EXPECT_EQ(all.set, (std::vector<bool>{true, true, true}));
  const auto fewer =
      analysis::slots_of(rule, rule.body, [](const ir::Stmt& s) { return s.kind == ir::Stmt::Kind::Check; });
  EXPECT_EQ(fewer.read, (std::vector<bool>{true, false, false}));
}

}  // namespace
}  // namespace sluice::test
