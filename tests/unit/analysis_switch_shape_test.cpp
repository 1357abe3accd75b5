// Chains of tests on one value.
#include "compiler/analysis/switch_shape.h"
#include "tests/unit/ir_fixture.h"

namespace sluice::test {
namespace {

using analysis::Intervals;

const ir::Stmt& first_if(const ir::Module& module) {
  for (const auto& stmt : module.rules[0].body)
    if (stmt->kind == ir::Stmt::Kind::If) return *stmt;
  ADD_FAILURE() << "no If";
  return *module.rules[0].body.front();
}

const char* const kSlots = "  slot u9{0..287} \"s\"\n  slot i8 \"c\"\n  read %0 fixed u9 !0\n  read %1 fixed i8 !0\n";

TEST(SwitchShape, ChainOfThree) {
  const ir::Module module =
      module_of(program("bits_lsb", "",
                        std::string(kSlots) + "  if (lt %0 256)\n    emit %0 !2\n  else\n    if (eq %0{256..287} "
                                              "256)\n      align\n    else\n      reject !5\n"));
  const auto shape = analysis::switch_shape(first_if(module));
  ASSERT_TRUE(shape);
  ASSERT_EQ(shape->arms.size(), 2u);
  EXPECT_EQ(shape->arms[0].values, (Intervals{{0, 255}}));
  EXPECT_EQ(shape->arms[1].values, (Intervals{{256, 256}}));
  EXPECT_EQ(shape->arms[1].block->front()->kind, ir::Stmt::Kind::Align);
  EXPECT_EQ(shape->rest, (Intervals{{257, 287}}));
  ASSERT_NE(shape->otherwise, nullptr);
  EXPECT_EQ(shape->otherwise->front()->kind, ir::Stmt::Kind::Reject);
}

TEST(SwitchShape, SubjectMayBeAnExpression) {
  const ir::Module module = module_of(
      program("bits_lsb", "",
              std::string(kSlots) +
                  "  if (eq (bit_and{0..3} %0 3) 0)\n    emit 0 !2\n  else\n    if (eq 1 (bit_and{0..3} %0 3))\n      "
                  "emit 1 !2\n    else\n      if (le 2 (bit_and{0..3} %0 3))\n        emit 2 !2\n"));
  const auto shape = analysis::switch_shape(first_if(module));
  ASSERT_TRUE(shape);
  ASSERT_EQ(shape->arms.size(), 3u);
  EXPECT_EQ(shape->arms[1].values, (Intervals{{1, 1}}));
  EXPECT_EQ(shape->arms[2].values, (Intervals{{2, 3}}));
  EXPECT_TRUE(shape->rest.empty());
  EXPECT_EQ(shape->otherwise, nullptr);
}

TEST(SwitchShape, EarlierArmsWinAndCombinedConditionsSolve) {
  const ir::Module module =
      module_of(program("bits_lsb", "",
                        std::string(kSlots) + "  if (or (eq %0 3) (and (ge %0 10) (le %0 20)))\n    emit 0 "
                                              "!2\n  else\n    if (not (lt %0 15))\n      emit 1 !2\n"));
  const auto shape = analysis::switch_shape(first_if(module));
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->arms[0].values, (Intervals{{3, 3}, {10, 20}}));
  EXPECT_EQ(shape->arms[1].values, (Intervals{{21, 287}}));
  EXPECT_EQ(shape->rest, (Intervals{{0, 2}, {4, 9}}));
}

TEST(SwitchShape, SignedSubjects) {
  const ir::Module module =
      module_of(program("bits_lsb", "",
                        std::string(kSlots) + "  if (ge %1 0:i64)\n    emit 0 !2\n  else\n    if (eq %1 -1:i64)\n      "
                                              "emit 1 !2\n    else\n      emit 2 !2\n"));
  const auto shape = analysis::switch_shape(first_if(module));
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->arms[0].values, (Intervals{{0, 127}}));
  EXPECT_EQ(shape->arms[1].values, (Intervals{{-1, -1}}));
  EXPECT_EQ(shape->rest, (Intervals{{-128, -2}}));
}

TEST(SwitchShape, StopsWhereAnotherValueIsTested) {
  const ir::Module module = module_of(
      program("bits_lsb", "",
              std::string(kSlots) + "  if (eq %0 1)\n    emit 0 !2\n  else\n    if (eq %1 1:i64)\n      emit 1 !2\n"));
  const auto shape = analysis::switch_shape(first_if(module));
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->arms.size(), 1u);
  ASSERT_NE(shape->otherwise, nullptr);
  EXPECT_EQ(shape->otherwise->front()->kind, ir::Stmt::Kind::If);
}

TEST(SwitchShape, NoConstantNoShape) {
  const ir::Module module = module_of(program("bits_lsb", "",
                                              "  slot u8 \"a\"\n  slot u8 \"b\"\n  read %0 fixed u8 !0\n  read %1 "
                                              "fixed u8 !0\n  if (lt %0 %1)\n    emit 0 !2\n"));
  EXPECT_FALSE(analysis::switch_shape(first_if(module)));
}

TEST(SwitchShape, AnArmNothingTakesIsLeftOut) {
  const ir::Module module = module_of(program(
      "bits_lsb", "",
      std::string(kSlots) +
          "  if (lt %0 100)\n    emit 0 !2\n  else\n    if (eq %0 50)\n      emit 1 !2\n    else\n      emit 2 !2\n"));
  const auto shape = analysis::switch_shape(first_if(module));
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->arms.size(), 1u);
  EXPECT_EQ(shape->rest, (Intervals{{100, 287}}));
  EXPECT_EQ(shape->otherwise->front()->a->imm, 2u);
}

}  // namespace
}  // namespace sluice::test
