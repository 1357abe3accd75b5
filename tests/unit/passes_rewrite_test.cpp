// Each rewrite by example, and the promise they all keep: the interpreter can't tell the difference.
#include <random>

#include "compiler/passes/dead_locals.h"
#include "compiler/passes/decide.h"
#include "compiler/passes/fold.h"
#include "compiler/passes/pipeline.h"
#include "compiler/passes/prune.h"
#include "tests/unit/ir_fixture.h"

namespace sluice::test {
namespace {

// The lines of rule main after its slots, without the sites.
std::string body_of(const ir::Module& module) {
  const std::string text = ir::print(module);
  std::string body;
  bool inside = false;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("rule "))
      inside = true;
    else if (!line.starts_with(" "))
      inside = false;
    else if (inside && !line.starts_with("  slot"))
      body += line + "\n";
  }
  return body;
}

const char* const kXY = "  slot u8 \"x\"\n  slot u8 \"y\"\n  read %0 fixed u8 \"x\" !0\n  read %1 fixed u8 \"y\" !0\n";
const char* const kReads = "  read %0 fixed u8 \"x\" !0\n  read %1 fixed u8 \"y\" !0\n";

// What `emit EXPR` becomes.
std::string folded(const std::string& expr) {
  ir::Module module =
      module_of(program("bytes", "table u8 \"t\" [5 6 7]\n", std::string(kXY) + "  emit " + expr + " !2\n", "u64"));
  passes::fold(module);
  for (const std::string& problem : ir::verify(module)) ADD_FAILURE() << problem;
  const std::string body = body_of(module);
  const std::size_t start = body.find("emit ") + 5;
  return body.substr(start, body.rfind(" !2") - start);
}

TEST(PassesFold, Constants) {
  EXPECT_EQ(folded("(add (mul 4 2) 1)"), "9");
  EXPECT_EQ(folded("(table_elem 0 2)"), "7:u8");
  EXPECT_EQ(folded("(sub 3 4)"), "18446744073709551615");  // words wrap
  EXPECT_EQ(folded("(div 7 0)"), "(div 7 0)");             // left for the check in front
  EXPECT_EQ(folded("(shl 1 64)"), "(shl 1 64)");
}

TEST(PassesFold, Identities) {
  EXPECT_EQ(folded("(add %0 0)"), "%0");
  EXPECT_EQ(folded("(mul 1 %0)"), "%0");
  EXPECT_EQ(folded("(bit_and %0 255)"), "%0");
  EXPECT_EQ(folded("(bit_and %0 127)"), "(bit_and %0 127)");
  EXPECT_EQ(folded("(shr %0 0)"), "%0");
  EXPECT_EQ(folded("(cast:u16 %0)"), "%0");
  EXPECT_EQ(folded("(cast:u4 %0)"), "(cast:u4 %0)");
  EXPECT_EQ(folded("(cast:i16 %0)"), "(cast:i16 %0)");  // the sign decides how it is compared
  EXPECT_EQ(folded("(sub 0 %0)"), "(sub 0 %0)");
}

TEST(PassesFold, Chains) {
  EXPECT_EQ(folded("(add (add %0 3) 4)"), "(add %0 7)");
  EXPECT_EQ(folded("(add 4 %0)"), "(add %0 4)");
  EXPECT_EQ(folded("(bit_and (bit_and %0 15) 6)"), "(bit_and %0 6)");
}

TEST(PassesFold, Logic) {
  EXPECT_EQ(folded("(not (lt %0 3))"), "(ge %0 3)");
  EXPECT_EQ(folded("(not (lt{0..0} %0 3))"), "(ge{1..1} %0 3)");  // what is known of it is negated with it
  EXPECT_EQ(folded("(and (lt %0 3) 1:u1)"), "(lt %0 3)");
  EXPECT_EQ(folded("(and (lt %0 3) 0:u1)"), "0:u1");
  EXPECT_EQ(folded("(or 1:u1 (lt %0 3))"), "1:u1");
  EXPECT_EQ(folded("(select 1:u1 %0 %1)"), "%0");
  EXPECT_EQ(folded("(select (lt %0 3) %1 %1)"), "%1");
}

TEST(PassesDecide, RangesDecideTests) {
  ir::Module module = module_of(program(
      "bytes", "",
      std::string(kXY) +
          "  check (lt %0 256) !6\n  check (fits u8 (add{0..510} %0 %1)) !6\n  check (fits u9 (add{0..510} %0 %1)) !6\n"
          "  check (add_ok %0 %1) !6\n  check (eq %0 256) !6\n  check (ge %0 7) !6\n  check (lt %1 %0) !6\n"));
  EXPECT_TRUE(passes::decide(module));
  EXPECT_EQ(body_of(module), std::string(kReads) +
                                 "  check 1:u1 !6\n  check (fits u8 (add{0..510} %0 %1)) !6\n  check 1:u1 !6\n  check "
                                 "1:u1 !6\n  check 0:u1 !6\n"
                                 "  check (ge %0 7) !6\n  check (lt %1 %0) !6\n");
}

TEST(PassesDecide, TestsOfTheOutputStay) {
  // Count mode skips such a check; as a constant it would fail there.
  ir::Module module = module_of(
      program("bytes", "mark \"m\"\n", std::string(kXY) + "  check (eq (checksum crc32 output 0) 8589934592) !6\n"));
  EXPECT_FALSE(passes::decide(module));
}

TEST(PassesPrune, DeadStatementsGo) {
  ir::Module module = module_of(program(
      "bytes", "",
      std::string(kXY) +
          "  check 1:u1 !6\n  if 1:u1\n    emit %0 !2\n  else\n    emit %1 !2\n  if (lt %0 3)\n  else\n    emit 3 !2\n"
          "  loop times 0\n    emit 4 !2\n  loop forever !12\n    emit 5 !2\n    stop\n    emit 6 !2\n  reject !5\n  "
          "emit 7 !2\n"));
  EXPECT_TRUE(passes::prune(module));
  EXPECT_EQ(body_of(module), std::string(kReads) +
                                 "  emit %0 !2\n  if (not (lt %0 3))\n    emit 3 !2\n  loop forever !12\n    emit "
                                 "5 !2\n    stop\n  reject !5\n");
  EXPECT_FALSE(passes::prune(module));
}

TEST(PassesDeadLocals, SlotsCloseUp) {
  ir::Module module = module_of(program("bytes", "",
                                        "  slot u8 \"a\"\n  slot u8 \"b\"\n  slot u8 \"c\"\n  read %0 fixed u8 \"a\" "
                                        "!0\n  set %1 %0\n  read %2 fixed u8 \"c\" !0\n  emit %2 !2\n"));
  EXPECT_TRUE(passes::dead_locals(module));  // b
  EXPECT_TRUE(passes::dead_locals(module));  // then a
  EXPECT_FALSE(passes::dead_locals(module));
  EXPECT_EQ(body_of(module), "  read _ fixed u8 \"a\" !0\n  read %0 fixed u8 \"c\" !0\n  emit %0 !2\n");
  ASSERT_EQ(module.rules[0].slots.size(), 1u);
  EXPECT_EQ(module.rules[0].slots[0].name, "c");
  EXPECT_TRUE(ir::verify(module).empty());
}

// Random expressions over two bytes: the word the interpreter emits must not change.
class RandomExpr {
 public:
  explicit RandomExpr(std::uint32_t seed) : random_(seed) {}

  std::string word(int depth) {
    if (depth == 0) return leaf();
    switch (pick(10)) {
      case 0:
        return "(select " + truth(depth - 1) + " " + word(depth - 1) + " " + word(depth - 1) + ")";
      case 1:
        return "(cast:" + std::string(kTypes[pick(4)]) + " " + word(depth - 1) + ")";
      case 2:
        return "(shl " + word(depth - 1) + " " + std::to_string(pick(64)) + ")";
      case 3:
        return "(shr " + word(depth - 1) + " " + std::to_string(pick(64)) + ")";
      case 4:
        return "(bit_not " + word(depth - 1) + ")";
      case 5:
        return "(neg " + word(depth - 1) + ")";
      default:
        return "(" + std::string(kBinary[pick(8)]) + " " + word(depth - 1) + " " + word(depth - 1) + ")";
    }
  }

 private:
  std::string truth(int depth) {
    if (depth == 0) return "(lt " + leaf() + " " + leaf() + ")";
    switch (pick(5)) {
      case 0:
        return "(not " + truth(depth - 1) + ")";
      case 1:
        return "(and " + truth(depth - 1) + " " + truth(depth - 1) + ")";
      case 2:
        return "(or " + truth(depth - 1) + " " + truth(depth - 1) + ")";
      case 3:
        return "(mul_ok " + word(depth - 1) + " " + word(depth - 1) + ")";
      default:
        return "(" + std::string(kCompare[pick(6)]) + " " + word(depth - 1) + " " + word(depth - 1) + ")";
    }
  }
  std::string leaf() {
    switch (pick(6)) {
      case 0:
        return "%0";
      case 1:
        return "%1";
      case 2:
        return std::to_string(pick(4));
      case 3:
        return "255";
      case 4:
        return "-" + std::to_string(1 + pick(3)) + ":i64";
      default:
        return "18446744073709551615";
    }
  }
  unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }

  static constexpr const char* kTypes[] = {"u4", "u16", "i8", "i64"};
  static constexpr const char* kBinary[] = {"add", "sub", "mul", "bit_and", "bit_or", "bit_xor", "min", "max"};
  static constexpr const char* kCompare[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  std::mt19937 random_;
};

TEST(PassesPipeline, RandomExpressionsKeepTheirValue) {
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    const std::string expr = RandomExpr(seed).word(4);
    std::string error;
    const auto before = ir::read(program("bytes", "", std::string(kXY) + "  emit " + expr + " !2\n", "u64"), &error);
    auto after = ir::read(program("bytes", "", std::string(kXY) + "  emit " + expr + " !2\n", "u64"), &error);
    ASSERT_TRUE(before && after) << error << "\n" << expr;
    passes::run(*after);
    for (const Bytes& in : {Bytes{0, 0}, Bytes{1, 2}, Bytes{3, 255}, Bytes{128, 127}, Bytes{255, 255}})
      ASSERT_EQ(run(*before, in), run(*after, in)) << expr << "\n" << ir::print(*after);
  }
}

TEST(PassesPipeline, KeepsErrorsAndPositions) {
  const std::string text = program("bytes", "",
                                   "  slot u8 \"n\"\n  slot u8 \"unused\"\n  loop until_end\n    read %0 fixed u8 "
                                   "\"n\" !0\n    set %1 (add %0 0)\n    check (lt %0 256) !6\n"
                                   "    if (eq %0 300)\n      reject !5\n    else\n      if (lt %0 128)\n        "
                                   "literals fixed u8 count (add{1..128} 1 %0) !0,_,2\n      else\n"
                                   "        check (ne %0 128) !5\n        read _ fixed u16 le !0\n        run 1 count "
                                   "(sub{0..127} %0 128) step 2 !2\n");
  const ir::Module before = module_of(text);
  ir::Module after = module_of(text);
  passes::run(after);
  EXPECT_TRUE(ir::verify(after).empty());
  EXPECT_EQ(ir::print(after).find("300"), std::string::npos);
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    Bytes in(random() % 12);
    for (std::uint8_t& byte : in)
      byte = static_cast<std::uint8_t>(random() % 3 == 0 ? random() % 6 : 126 + random() % 8);
    const RunOptions options{.capacity = random() % 40};
    ASSERT_EQ(run(before, in, options), run(after, in, options));
  }
}

// Buffers, stages and symbols: operands are simplified, an Into empties its buffer even when it fills nothing.
const char* const kStaged =
    "buffer \"b\" 8\nbuffer \"c\" 8\nsymbols \"w\" 300\n";

TEST(PassesPipeline, OperandsOfBuffersAndSymbols) {
  ir::Module module = module_of(program(
      "bytes", kStaged,
      "  slot u8 \"x\"\n  slot u8 \"y\"\n  slot u8 \"unused\"\n  slot u8 \"i\"\n" + std::string(kReads) +
          "  read_symbol 0 index (add (add %0 1) 2) bytes (add 1 1) !0\n"
          "  emit_symbol 0 index (add 3 %0) !4,2\n  into 0\n    emit (buffer_elem 1 (add 1 2)) !2\n    set %2 5\n"
          "  into 1\n    check (lt %0 256) !6\n  stage add 0 (mul 2 3)\n  stage prefix_sum 0 start (sub %1 0)\n"
          "  check (le (buffer_count 0) 8) !6\n  loop times 2 -> %3\n    emit (buffer_elem 0 %3) !2\n"));
  passes::run(module);
  EXPECT_EQ(ir::verify(module), std::vector<std::string>{});
  EXPECT_EQ(body_of(module), std::string(kReads) +
                                 "  read_symbol 0 index (add %0 3) bytes 2 !0\n  emit_symbol 0 index (add %0 3) !4,2\n"
                                 "  into 0\n    emit (buffer_elem 1 3) !2\n  into 1\n  stage add 0 6\n"
                                 "  stage prefix_sum 0 start %1\n  loop times 2 -> %2\n    emit (buffer_elem 0 %2) !2\n");
}

TEST(PassesPipeline, StagesKeepTheirMeaning) {
  const std::string text = program(
      "bytes", kStaged,
      "  slot u8 \"n\"\n  slot u8 \"x\"\n  loop until_end\n    read %0 fixed u8 \"n\" !0\n    into 0\n      loop times (bit_and %0 7)\n"
      "        literals fixed u8 count (add{1..1} 0 1) !0,_,2\n    into 1\n      emit_buffer 0 !2\n      copy distance 1 length 1 !3,2\n"
      "    set %1 (buffer_elem 1 (add 0 0))\n    if (eq (bit_and %0 8) 8)\n      stage inverse_mtf 1 !6\n"
      "    if (gt (buffer_count 0) %1)\n      stage inverse_bwt 0 origin %1 !6\n    emit_buffer 1 runs !2,10\n    emit_buffer 0 !2\n");
  const ir::Module before = module_of(text);
  ir::Module after = module_of(text);
  passes::run(after);
  EXPECT_EQ(ir::verify(after), std::vector<std::string>{});
  std::mt19937 random(11);
  std::size_t refused = 0;
  for (int round = 0; round < 500; ++round) {
    Bytes in(random() % 24);
    for (std::uint8_t& byte : in) byte = static_cast<std::uint8_t>(random() % 4 == 0 ? random() % 16 : 2);
    const RunOptions options{.capacity = random() % 60};
    const Outcome outcome = run(before, in, options);
    refused += outcome.error.empty() ? 0 : 1;
    ASSERT_EQ(outcome, run(after, in, options));
  }
  EXPECT_GT(refused, 50u);
  EXPECT_LT(refused, 450u);
}

}  // namespace
}  // namespace sluice::test
