// What one step of a loop may take and make. Sites as in ir_fixture.h's program().
#include "compiler/analysis/token_budget.h"
#include "tests/unit/ir_fixture.h"

namespace sluice::test {
namespace {

using analysis::TokenBudget;

std::vector<TokenBudget> budgets(const ir::Module& module) { return analysis::token_budgets(module); }

const char* const kDeflateLike =
    "table u4 \"lens\" [1 1]\n"
    "code \"litlen\" 288 15 1 single\ncode \"dist\" 32 15 1 single\n"
    "ranges \"length\" [3 4 11 258] [0 0 5 0]\nranges \"distance\" [1 2 16385 24577] [0 0 13 13]\n";

TEST(TokenBudget, DeflateTokenTakes48Bits) {
  const std::string body =
      "  slot u9{0..287} \"s\"\n  slot u9{3..258} \"len\"\n  slot u5{0..31} \"d\"\n  slot u16{1..32768} \"far\"\n"
      "  build 0 table 0\n  build 1 table 0\n"
      "  loop forever\n"
      "    read %0 code u9 of 0 \"s\" !0,4\n"
      "    if (lt %0 256)\n"
      "      emit %0 !2\n"
      "    else\n"
      "      if (eq %0 256)\n"
      "        stop\n"
      "      else\n"
      "        check (le %0 259) !5\n"
      "        read %1 ranges u9 of 0 index (sub{0..3} %0 257) \"len\" !0\n"
      "        read %2 code u5 of 1 \"d\" !0,4\n"
      "        check (le %2 3) !5\n"
      "        read %3 ranges u16 of 1 index %2{0..3} \"far\" !0\n"
      "        copy distance %3 length %1 !3,2\n";
  const ir::Module module = module_of(program("bits_lsb", kDeflateLike, body));
  const auto found = budgets(module);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].max_bits, 15u + 5 + 15 + 13);
  EXPECT_EQ(found[0].scalar_bits, 48u);
  EXPECT_EQ(found[0].max_outputs, 258u);
  EXPECT_EQ(found[0].min_bits, 1u);
  EXPECT_EQ(found[0].min_outputs, 1u);      // a step followed by another emits or copies
  EXPECT_EQ(found[0].min_outputs_any, 0u);  // the one that stops does not
  EXPECT_TRUE(found[0].is_token);
  std::vector<std::string> why;
  for (const auto& step : found[0].max_bits_why) why.push_back(step.text);
  EXPECT_EQ(why, (std::vector<std::string>{"`s`: at most 15 bits", "`len`: at most 5 bits", "`d`: at most 15 bits",
                                           "`far`: at most 13 bits"}));
}

TEST(TokenBudget, RangesUseTheIndexRange) {
  const ir::Module module = module_of(program("bits_lsb", kDeflateLike,
                                              "  slot u16 \"v\"\n  slot u1 \"i\"\n  loop forever\n    read %1 fixed u1 "
                                              "!0\n    read %0 ranges u16 of 1 index %1 !0\n    emit 1 !2\n"));
  EXPECT_EQ(budgets(module)[0].max_bits, 1u);  // indices 0 and 1 have no extra bits
}

TEST(TokenBudget, CountsMultiply) {
  const ir::Module module = module_of(program("bytes", "",
                                              "  slot u8{0..127} \"n\"\n  loop until_end\n    read %0 fixed u8 !0\n    "
                                              "literals varint u32 count (add{1..128} %0 1) !0,1,2\n",
                                              "u32"));
  const auto found = budgets(module);
  EXPECT_EQ(found[0].max_bits, 8u + 128 * 40);
  EXPECT_EQ(found[0].scalar_bits, 8u);
  EXPECT_EQ(found[0].min_bits, 8u + 8);
  EXPECT_EQ(found[0].max_outputs, 128u);
  EXPECT_EQ(found[0].min_outputs, 1u);
}

TEST(TokenBudget, AnInnerLoopWithoutBoundIsNamed) {
  const ir::Module module =
      module_of(program("bytes", "",
                        "  slot u8 \"c\"\n  loop until_end\n    loop forever !12\n      read %0 fixed u8 \"c\" !0\n    "
                        "  if (ne %0 255)\n        stop\n    emit %0 !2\n"));
  const auto found = budgets(module);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].max_bits, std::nullopt);
  EXPECT_EQ(found[0].scalar_bits, 0u);
  EXPECT_EQ(found[0].min_bits, 8u);
  EXPECT_EQ(found[0].max_outputs, 1u);
  ASSERT_EQ(found[0].max_bits_why.size(), 1u);
  EXPECT_EQ(found[0].max_bits_why[0].text, "the loop: the number of its steps has no bound");
  EXPECT_TRUE(found[0].is_token);
  EXPECT_EQ(found[1].max_bits, 8u);
  EXPECT_FALSE(found[1].produces);
}

TEST(TokenBudget, ARegionBoundsTheLoopInside) {
  const ir::Module module =
      module_of(program("bytes", "",
                        "  slot u8 \"n\"\n  slot u8 \"v\"\n  loop until_end\n    read %0 fixed u8 !0\n    within %0 "
                        "!0,9\n      loop until_end\n        read %1 fixed u8 !0\n        emit %1 !2\n"));
  const auto found = budgets(module);
  EXPECT_EQ(found[0].max_bits, 8u + 255 * 8);
  EXPECT_EQ(found[0].max_outputs, 255u);
  EXPECT_FALSE(found[0].is_token);
  EXPECT_TRUE(found[1].is_token);
}

TEST(TokenBudget, UntilOutputsOvershootsByOneStep) {
  const ir::Module module =
      module_of(program("bits_lsb", "",
                        "  slot u2 \"n\"\n  loop until_end\n    read %0 fixed u2 !0\n    loop until_outputs 10\n      "
                        "read _ fixed u8 !0\n      run 7 count (add{1..4} %0 1) !2\n"));
  const auto found = budgets(module);
  EXPECT_EQ(found[0].max_outputs, 10u + 4);
  EXPECT_EQ(found[0].max_bits, 2u + 10 * 8);
}

TEST(TokenBudget, HugeCountsAreNoBound) {
  const ir::Module module = module_of(
      program("bytes", "", "  slot u64 \"n\"\n  loop until_end\n    read %0 fixed u64 le !0\n    run 0 count %0 !2\n"));
  const auto found = budgets(module);
  EXPECT_EQ(found[0].max_bits, 64u);
  EXPECT_EQ(found[0].max_outputs, std::nullopt);
  ASSERT_EQ(found[0].max_outputs_why.size(), 1u);
  EXPECT_EQ(found[0].max_outputs_why[0].text, "`run`: its count may be as large as 18446744073709551615");
}

TEST(TokenBudget, CallsCountAndAcceptsLeave) {
  std::string text = program("bytes", "", "  slot u8 \"v\"\n  loop forever\n    call 1 -> %0\n    emit %0 !2\n");
  text.insert(text.find("site"),
              "rule \"r\" 0 -> u8\n  slot u8 \"x\"\n  read %0 fixed u8 !0\n  if (eq %0 0)\n    read _ fixed u16 le "
              "!0\n    accept \"done\"\n  return %0\n");
  const ir::Module module = module_of(text);
  const auto found = budgets(module);
  EXPECT_EQ(found[0].max_bits, 24u);  // the step that accepts
  EXPECT_EQ(found[0].min_bits, 8u);
  EXPECT_EQ(found[0].max_outputs, 1u);
}

TEST(TokenBudget, ALoopThatOnlySpreadsBelongsToTheToken) {
  // `for k < n: emit ...` of a table of byte strings.
  const std::string spread = "    loop times %0\n      emit 1 !2\n";
  const ir::Module fsst = module_of(
      program("bytes", "", "  slot u4 \"n\"\n  loop until_end\n    read %0 fixed u8 !0\n" + spread));
  const auto found = budgets(fsst);
  EXPECT_TRUE(found[0].is_token);
  EXPECT_FALSE(found[1].is_token);
  // A loop around it that reads in its own loops is none, and without a read in every step the inner loop is.
  const ir::Module outer = module_of(program(
      "bytes", "", "  slot u4 \"n\"\n  loop until_end\n    read %0 fixed u8 !0\n    loop until_outputs 9\n      read %0 "
                   "fixed u8 !0\n      loop times %0\n        emit 1 !2\n"));
  EXPECT_FALSE(budgets(outer)[0].is_token);
  EXPECT_TRUE(budgets(outer)[1].is_token);
  EXPECT_FALSE(budgets(outer)[2].is_token);
  const ir::Module idle = module_of(program(
      "bytes", "", "  slot u4 \"n\"\n  set %0 3\n  loop forever !12\n    if (eq (remaining) 3)\n      read %0 fixed u8 !0\n" + spread));
  EXPECT_FALSE(budgets(idle)[0].is_token);
  EXPECT_TRUE(budgets(idle)[1].is_token);
}

TEST(TokenBudget, ALoopOfACalledRuleBelongsToTheTokenToo) {
  std::string text = program("bytes", "", "  slot u8 \"v\"\n  loop until_end\n    read %0 fixed u8 !0\n    call 1 %0\n");
  text.insert(text.find("site"), "rule \"r\" 1\n  slot u8 \"n\"\n  loop times %0\n    emit 1 !2\n");
  const ir::Module module = module_of(text);
  EXPECT_TRUE(budgets(module)[0].is_token);
  EXPECT_FALSE(budgets(module)[1].is_token);
}

TEST(TokenBudget, SymbolsBuffersAndBits) {
  const std::string decls = "buffer \"b\" 12\nsymbols \"w\" 256\n";
  const ir::Module module = module_of(program(
      "bits_lsb", decls,
      "  slot u8 \"c\"\n  set %0 0\n  loop until_end\n    read %0 fixed u8 !0\n    emit_symbol 0 index %0 !4,2\n"
      "  loop until_end\n    read_symbol 0 index 0 bytes (add{1..8} (bit_and{0..7} %0 7) 1) !0\n"
      "  loop until_end\n    into 0\n      loop times 3\n        read %0 fixed u5 !0\n        emit %0 !2\n    emit_buffer 0 !2\n"
      "  loop until_end\n    within bits 30 !0,9\n      loop until_end\n        read %0 fixed u5 !0\n    emit_buffer 0 runs !2,10\n"));
  const auto found = budgets(module);
  EXPECT_EQ(found[0].min_outputs, 1u);
  EXPECT_EQ(found[0].max_outputs, 8u);
  EXPECT_EQ(found[0].scalar_outputs, 8u);
  EXPECT_EQ(found[1].min_bits, 8u);
  EXPECT_EQ(found[1].max_bits, 64u);
  EXPECT_FALSE(found[1].produces);
  EXPECT_EQ(found[2].max_bits, 15u);
  EXPECT_EQ(found[2].max_outputs, 12u);  // what went into the buffer is counted when it comes out
  EXPECT_EQ(found[2].min_outputs, 0u);
  EXPECT_EQ(found[2].scalar_outputs, 0u);
  EXPECT_FALSE(found[2].is_token);
  EXPECT_TRUE(found[3].is_token);
  EXPECT_EQ(found[3].max_outputs, 1u);
  EXPECT_EQ(found[4].max_outputs, 2u * 259 + 2);  // 4 equal elements and a count of 255, twice, and two elements
  EXPECT_EQ(found[4].min_bits, 30u);
  EXPECT_EQ(found[4].max_bits, 30u);
}

}  // namespace
}  // namespace sluice::test
