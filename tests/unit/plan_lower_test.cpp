// The form of a token loop, what its tokens cost, and why it has no better one. Sites as in ir_fixture.h's program().
#include "compiler/plan/lower.h"
#include "compiler/plan/walk.h"
#include "tests/unit/ir_fixture.h"

namespace sluice::test {
namespace {

using plan::Loop;
using plan::LoopForm;
using plan::Reader;
using plan::Target;

Loop first_loop(const ir::Module& module, Target target) {
  plan::Plan plan = plan::lower(module, target);
  EXPECT_FALSE(plan.loops.empty());
  return plan.loops.empty() ? Loop() : plan.loops[0];
}

ir::Module bytes(std::string_view body) { return module_of(program("bytes", "", body)); }
ir::Module bits(std::string_view body, std::string_view output = "u8") {
  return module_of(program("bits_msb", "", body, output));
}

std::string reason(const Loop& loop) { return loop.obstacles.empty() ? "" : loop.obstacles.back().reason; }

TEST(PlanLower, BytesAreTestedOnceAToken) {
  const ir::Module module = bytes(
      "  slot u8 \"n\"\n  slot u24 \"v\"\n  loop until_end\n    read %0 fixed u8 !0\n    read %1 fixed u24 le !0\n"
      "    emit %0 !2\n    emit (cast:u8 %1) !2\n");
  const Loop loop = first_loop(module, Target::Cpu);
  EXPECT_EQ(loop.form, LoopForm::Token);
  EXPECT_EQ(loop.reader, Reader::Bytes);
  EXPECT_EQ(loop.cost.in, 1u + 4u);  // three bytes come in a load of four
  EXPECT_EQ(loop.cost.out, 2u);
  EXPECT_EQ(loop.in_margin, loop.cost.in + 8);
  EXPECT_EQ(loop.locals.size(), 2u);
  EXPECT_TRUE(loop.captures.empty());
  EXPECT_TRUE(loop.carried.empty());
  EXPECT_EQ(&plan::statement_at(module.rules[0], loop.path), module.rules[0].body[0].get());
}

TEST(PlanLower, ALaneTakesShortTokensInBursts) {
  const ir::Module module = bytes("  slot u8 \"v\"\n  loop until_end\n    read %0 fixed u8 !0\n    emit %0 !2\n");
  const Loop lane = first_loop(module, Target::Lane);
  EXPECT_EQ(lane.form, LoopForm::Burst);
  EXPECT_EQ(lane.in_margin, 1u);
  EXPECT_EQ(first_loop(module, Target::Warp).form, LoopForm::Token);
}

TEST(PlanLower, ABranchCostsAsMuchAsItsDearestArm) {
  const Loop loop = first_loop(
      bytes("  slot u8 \"n\"\n  slot u32 \"v\"\n  loop until_end\n    read %0 fixed u8 !0\n    if (lt %0 9)\n"
            "      read %1 fixed u32 le !0\n    else\n      emit %0 !2\n      emit %0 !2\n    emit %0 !2\n"),
      Target::Cpu);
  EXPECT_EQ(loop.cost.in, 1u + 4u);
  EXPECT_EQ(loop.cost.out, 2u + 1u);
}

TEST(PlanLower, ExtraBitsAreNoMoreThanTheBufferShows) {
  const ir::Module module = module_of(program("bits_msb", "ranges \"far\" [1 2 3 4] [0 0 3 38]\n",
                                              "  slot u2 \"n\"\n  slot u64 \"v\"\n  loop until_end\n    read %0 fixed u2 !0\n"
                                              "    read %1 ranges u64 of 0 index %0{0..3} !0\n    emit %1 !2\n",
                                              "u64"));
  EXPECT_EQ(first_loop(module, Target::Cpu).form, LoopForm::Token);
  EXPECT_EQ(first_loop(module, Target::Warp).form, LoopForm::Checked);
  EXPECT_EQ(reason(first_loop(module, Target::Warp)), "its extra bits are more than the bit buffer shows");
}

TEST(PlanLower, CountedFieldsOfOneWidthNeedNoTest) {
  const ir::Module module = bits(
      "  slot u7{1..64} \"w\"\n  slot u64 \"v\"\n  slot u32 \"n\"\n  read %0 fixed u7 !0\n  check (ge %0 1) !5\n"
      "  read %2 fixed u32 !0\n  loop times %2\n    read %1 computed u64 width %0 !0\n    emit %1 !2\n",
      "u64");
  const Loop cpu = first_loop(module, Target::Cpu);
  EXPECT_EQ(cpu.form, LoopForm::Unchecked);
  EXPECT_EQ(cpu.reader, Reader::Position);
  EXPECT_NE(cpu.only_field, plan::kNoValue);
  EXPECT_EQ(cpu.cost.bits, 64u);
  EXPECT_EQ(cpu.captures, std::vector<std::uint32_t>{0});
  EXPECT_EQ(first_loop(module, Target::Warp).form, LoopForm::SideBySide);
  EXPECT_EQ(first_loop(module, Target::Lane).reader, Reader::Lane);
}

// A step's own element: the one that its number says, or what a table says of that, if it says another of each.
TEST(PlanLower, LanesStoreEachToAnElementOfItsOwn) {
  const auto form_of = [](const char* table, const char* index, const char* behind = "") {
    const ir::Module module = module_of(program("bits_lsb", std::string("array u8 \"a\" 8\ntable u3 \"order\" ") + table + "\n",
                                                "  slot u64{0..3} \"i\"\n  slot u3 \"n\"\n  loop times 4 -> %0 \"i\"\n    read %1 fixed u3 !0\n"
                                                "    set_elem 0 " + std::string(index) + " %1 \"a\"\n" + behind));
    const Loop loop = first_loop(module, Target::Warp);
    EXPECT_TRUE(loop.counts || loop.form != LoopForm::SideBySide) << "sizes ask for it, too";
    return loop.form;
  };
  EXPECT_EQ(form_of("[3 1 0 2]", "%0{0..3}"), LoopForm::SideBySide);
  EXPECT_EQ(form_of("[3 1 0 2]", "(table_elem{0..3} 0 %0{0..3})"), LoopForm::SideBySide);
  EXPECT_NE(form_of("[3 1 0 1]", "(table_elem{0..3} 0 %0{0..3})"), LoopForm::SideBySide) << "two steps store to one element";
  EXPECT_EQ(form_of("[3 1 0 2]", "%0{0..3}", "    set_elem 0 %0{0..3} 7 \"a\"\n"), LoopForm::SideBySide) << "one element, twice";
  EXPECT_NE(form_of("[3 1 0 2]", "%0{0..3}", "    set_elem 0 (add{1..4} %0{0..3} 1) 7 \"a\"\n"), LoopForm::SideBySide) << "the next step's";
  EXPECT_NE(form_of("[3 1 0 2]", "%0{0..3}", "    set_elem 0 (table_elem{0..3} 0 %0{0..3}) 7 \"a\"\n"), LoopForm::SideBySide) << "another step's";
  EXPECT_NE(form_of("[3 1 0 2]", "(table_elem{0..3} 0 (bit_and{0..2} %0{0..3} 2))"), LoopForm::SideBySide);
}

TEST(PlanLower, LanesAddUpButDoNotWaitForEachOther) {
  const auto module = [](const char* step) {
    return bits(std::string("  slot u64 \"sum\" mutable\n  slot u8 \"v\"\n  slot u32 \"n\"\n  set %0 0\n"
                            "  read %2 fixed u32 !0\n  loop times %2\n    read %1 fixed u8 !0\n") +
                    step + "    emit %0 !2\n",
                "u64");
  };
  const Loop sum = first_loop(module("    set %0 (add %0 %1)\n"), Target::Warp);
  EXPECT_EQ(sum.form, LoopForm::SideBySide);
  EXPECT_TRUE(plan::holds<plan::Sum>(sum.body));
  const Loop other = first_loop(module("    set %0 (mul (add %0 1) %1)\n"), Target::Warp);
  EXPECT_EQ(other.form, LoopForm::Unchecked);
  EXPECT_EQ(reason(other), "a step needs what the one before it computed");
  EXPECT_EQ(other.carried, std::vector<std::uint32_t>{0});
}

TEST(PlanLower, TokensHoldCountedLoops) {
  const ir::Module module = bits(
      "  slot u6 \"w\"\n  slot u8 \"v\"\n  loop until_end\n    read %0 fixed u6 !0\n    loop times (add %0 1)\n"
      "      read %1 fixed u8 !0\n      emit %1 !2\n    align\n");
  const Loop cpu = first_loop(module, Target::Cpu);
  EXPECT_EQ(cpu.form, LoopForm::Token);
  EXPECT_TRUE(cpu.nested);
  EXPECT_TRUE(cpu.aligned);
  EXPECT_TRUE(plan::holds<plan::Unchecked>(cpu.body));
  EXPECT_EQ(cpu.cost.bits, 6u + 7u);  // the inner loop tests its own size
  EXPECT_TRUE(plan::holds<plan::SideBySide>(first_loop(module, Target::Warp).body));
}

// A step that a check may refuse can't be one of many that are tested at once.
TEST(PlanLower, AnInnerLoopWhoseStepsMayFailIsLeft) {
  const Loop loop = first_loop(
      bits("  slot u6 \"w\"\n  slot u8 \"v\"\n  loop until_end\n    read %0 fixed u6 !0\n    loop times (add %0 1)\n"
           "      read %1 fixed u8 !0\n      check (lt %1 9) !5\n      emit %1 !2\n    align\n"),
      Target::Cpu);
  EXPECT_EQ(loop.form, LoopForm::Checked);
  EXPECT_EQ(reason(loop), "it holds a loop whose steps may fail");
}

constexpr const char* kCode = "table u4 \"lens\" [1 1]\ncode \"litlen\" 288 15 1 single\n";

TEST(PlanLower, SymbolsComeInRows) {
  const ir::Module module = module_of(program("bits_lsb", kCode,
                                              "  slot u9{0..287} \"s\"\n  build 0 table 0\n  loop forever\n"
                                              "    read %0 code u9 of 0 \"s\" !0,4\n    if (lt %0 256)\n"
                                              "      emit %0 !2\n    else\n      stop\n"));
  const Loop cpu = first_loop(module, Target::Cpu);
  EXPECT_EQ(cpu.form, LoopForm::Row);
  ASSERT_TRUE(cpu.row.has_value());
  EXPECT_EQ(cpu.row->first, 10u);
  EXPECT_EQ(cpu.row->symbols, 3u);
  EXPECT_EQ(cpu.cost.out, 3u + 1u);
  EXPECT_EQ(cpu.cost.in, 8u + 8u);  // a refill for the row, one for the look-up that runs ahead
  EXPECT_EQ(std::get<plan::Symbol>(cpu.body[0].what).long_code, plan::LongCode::Second);
  const Loop warp = first_loop(module, Target::Warp);
  EXPECT_EQ(std::get<plan::Symbol>(warp.body[0].what).long_code, plan::LongCode::Search);
  EXPECT_EQ(first_loop(module, Target::Lane).form, LoopForm::Token);
}

// A CPU looks at what its buffer shows before it asks for more: at a code's first bits, and for the next row.
TEST(PlanLower, LookUpsComeBeforeTheBufferIsFilled) {
  const ir::Module module = module_of(program("bits_lsb", std::string(kCode) + "code \"dist\" 32 15 1 single\n",
                                              "  slot u9{0..287} \"s\"\n  slot u5 \"d\"\n  build 0 table 0\n  loop forever\n"
                                              "    read %0 code u9 of 0 \"s\" !0,4\n    if (lt %0 256)\n      emit %0 !2\n    else\n"
                                              "      read %1 code u5 of 1 \"d\" !0,4\n      emit %1 !2\n"));
  const Loop cpu = first_loop(module, Target::Cpu);
  ASSERT_EQ(cpu.form, LoopForm::Row);
  const auto& first = std::get<plan::Symbol>(cpu.body[0].what);
  ASSERT_EQ(first.arms.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<plan::LookAhead>(first.arms[0].body[0].what));
  EXPECT_TRUE(std::holds_alternative<plan::Refill>(first.arms[0].body[1].what));
  const auto& second = std::get<plan::Symbol>(first.arms[1].body[0].what);
  EXPECT_EQ(second.first, 8u);
  EXPECT_EQ(second.needs_long, 15u + 10u - 1u);  // the code, and what the row's look-up asks for: one bit more is shown
  EXPECT_EQ(second.needs, 8u + 10u - 1u);
  EXPECT_EQ(cpu.cost.in, 8u + 8u + 8u);
  // What every arm shows is looked at before the refill, which a warp does first.
  const Loop warp = first_loop(module, Target::Warp);
  const auto& of_warp = std::get<plan::Symbol>(warp.body[0].what);
  EXPECT_TRUE(std::holds_alternative<plan::Refill>(of_warp.arms[0].body[0].what));
  plan::for_each_step(warp.body, [](const plan::Step& s) {
    const auto* symbol = std::get_if<plan::Symbol>(&s.what);
    EXPECT_TRUE(symbol == nullptr || symbol->needs == 0);
  });
}

TEST(PlanLower, TablesAreSharedBetweenLoops) {
  const std::string loop =
      "  loop forever\n    read %0 code u9 of 0 \"s\" !0,4\n    if (lt %0 256)\n      emit %0 !2\n    else\n      stop\n";
  const ir::Module module =
      module_of(program("bits_lsb", kCode, "  slot u9{0..287} \"s\"\n  build 0 table 0\n" + loop + loop));
  const plan::Plan plan = plan::lower(module, Target::Cpu);
  EXPECT_EQ(plan.loops.size(), 2u);
  ASSERT_EQ(plan.tables.size(), 1u);
  EXPECT_EQ(plan.tables[0].info.size(), 288u);
  EXPECT_EQ(plan.tables[0].info[256], plan::kKindLeave);
}

TEST(PlanLower, SaysWhatStandsInTheWay) {
  const auto why = [](const char* body, const char* input = "bytes") {
    const Loop loop = first_loop(module_of(program(input, "mark \"m\"\n", body)), Target::Cpu);
    EXPECT_EQ(loop.form, LoopForm::Checked);
    return reason(loop);
  };
  EXPECT_EQ(why("  slot u8 \"v\"\n  loop until_cond (le (remaining) 9)\n    read %0 fixed u8 !0\n    emit %0 !2\n"),
            "a condition needs the input's exact position");
  EXPECT_EQ(why("  slot u8 \"v\"\n  loop until_end\n    read %0 fixed u8 !0\n"), "its steps make no output");
  EXPECT_EQ(why("  slot u8 \"v\"\n  loop until_end\n    mark 0\n    read %0 fixed u8 !0\n    emit %0 !2\n"),
            "a step sets a mark");
  EXPECT_EQ(why("  slot u64 \"v\"\n  loop until_end\n    set %0 (remaining)\n    skip 1 !0\n    emit (cast:u8 %0) !2\n"),
            "an expression needs the input's exact position");
  EXPECT_EQ(why("  slot u8 \"v\"\n  loop until_end\n    read %0 fixed u8 !0\n    emit %0 !2\n    align\n"),
            "a step skips to a byte boundary");
}

TEST(PlanLower, SaysWhatKeepsATokenFromABetterForm) {
  const auto why = [](const char* body, Target target, const char* input) {
    const Loop loop = first_loop(module_of(program(input, kCode, body)), target);
    EXPECT_EQ(loop.form, LoopForm::Token);
    return loop.obstacles;
  };
  const char* uncounted = "  slot u8 \"v\"\n  loop until_end\n    read %0 fixed u8 !0\n    emit %0 !2\n";
  auto obstacles = why(uncounted, Target::Warp, "bits_msb");
  ASSERT_EQ(obstacles.size(), 2u);
  EXPECT_EQ(obstacles[0].form, LoopForm::SideBySide);
  EXPECT_EQ(obstacles[1].form, LoopForm::Unchecked);
  EXPECT_EQ(obstacles[1].reason, "how many steps it makes is not known when it begins");
  EXPECT_TRUE(why(uncounted, Target::Cpu, "bytes").empty());  // bytes have no better form

  obstacles = why("  slot u8 \"v\"\n  loop times 99\n    read %0 fixed u8 !0\n    check (lt %0 9) !5\n    emit %0 !2\n",
                  Target::Cpu, "bits_msb");
  ASSERT_EQ(obstacles.size(), 1u);
  EXPECT_EQ(obstacles[0].reason, "a token may leave for the checked path");

  obstacles = why("  slot u9 \"s\"\n  build 0 table 0\n  loop times 99\n    read %0 code u9 of 0 \"s\" !0,4\n    emit (cast:u8 %0) !2\n",
                  Target::Cpu, "bits_lsb");
  ASSERT_EQ(obstacles.size(), 1u);
  EXPECT_EQ(obstacles[0].form, LoopForm::Row);

  obstacles = why("  slot u64 \"v\"\n  loop until_end\n    read %0 fixed u64 le !0\n    read %0 fixed u64 le !0\n"
                  "    read %0 fixed u8 !0\n"
                  "    emit (cast:u8 %0) !2\n",
                  Target::Lane, "bytes");
  ASSERT_EQ(obstacles.size(), 1u);
  EXPECT_EQ(obstacles[0].form, LoopForm::Burst);
}

// note [token budget]: calls that call calls would make the token as large as all of their paths.
TEST(PlanLower, RefusesTokensOfTooManyStatements) {
  std::string body = "  slot u8 \"v\"\n  loop until_end\n    read %0 fixed u8 !0\n";
  for (int i = 0; i < 300; ++i) body += "    emit %0 !2\n";
  const Loop loop = first_loop(bytes(body), Target::Cpu);
  EXPECT_EQ(loop.form, LoopForm::Checked);
  EXPECT_NE(reason(loop).find("more than 256 statements"), std::string::npos);
}

}  // namespace
}  // namespace sluice::test
