// Regions that are read from their end, and codes whose longest codes come first. Sites: ir_fixture.h.
#include <gtest/gtest.h>

#include "compiler/interp/prefix_code.h"
#include "compiler/ir/printer.h"
#include "compiler/ir/verify.h"
#include "tests/unit/ir_fixture.h"

namespace sluice::test {
namespace {

std::string backward(std::string_view body, std::string_view declarations = "mark \"m\"\n") {
  std::string text = "  slot u32 \"v\"\n  read _ fixed u8 !0\n  within backward 2 !0,9,15\n";
  text += body;
  return program("bits_lsb", declarations, text + "  read %0 fixed u8 !0\n  emit %0 !2\n");
}

// Between a byte in front and one behind: 101'0011'1 of the first byte, behind the padding 00001 the bits 110 of the second.
const Bytes kTwo{0xaa, 0b1010'0111, 0b00001'110, 0x55};

TEST(InterpBackward, TheBitTakenFirstIsTheHighest) {
  const std::string fields = "    read %0 fixed u2 !0\n    emit %0 !2\n    read %0 fixed u4 !0\n    emit %0 !2\n    read %0 fixed u5 !0\n    emit %0 !2\n";
  EXPECT_EQ(run(backward(fields), kTwo), ok({0b11, 0b0101, 0b00111, 0x55}, 4));
  const std::string sign = "    read %0 fixed i3 !0\n    emit %0 !2\n    read _ computed u64 width 8 !0\n";
  EXPECT_EQ(run(backward(sign), kTwo).out.at(0), 0xfe);
}

TEST(InterpBackward, CountsWhatIsLeftAndTaken) {
  const std::string body = "    mark 0\n    emit (remaining bits) !2\n    emit (remaining) !2\n    read _ fixed u9 !0\n    emit (consumed_since 0 bits) !2\n"
                           "    emit (consumed_since 0) !2\n    emit (remaining bits) !2\n    loop until_end\n      read %0 fixed u1 !0\n      emit %0 !2\n";
  EXPECT_EQ(run(backward(body), kTwo), ok({11, 1, 9, 1, 2, 1, 1, 0x55}, 4));
  // A mark of the other direction counts nothing.
  const std::string other = "    emit (consumed_since 0 bits) !2\n    mark 0\n    read _ fixed u11 !0\n  emit (consumed_since 0 bits) !2\n";
  EXPECT_EQ(run(backward(other), kTwo), ok({0, 0, 0x55}, 4));
}

TEST(InterpBackward, RefusesAtTheBitReached) {
  EXPECT_EQ(run(backward("    read _ fixed u3 !0\n    read _ fixed u9 !0\n"), kTwo), refused("end_of_input", 8 + 8));
  EXPECT_EQ(run(backward("    read _ fixed u3 !0\n"), kTwo), refused("bytes_left", 8 + 8));
  EXPECT_EQ(run(backward("    read _ fixed u11 !0\n"), {0xaa, 1}), refused("end_of_input", 8));
  EXPECT_EQ(run(backward("    read _ fixed u11 !0\n"), {0xaa, 1, 0, 0}), refused("bad_padding", 8 + 16));
  EXPECT_EQ(run(program("bits_lsb", "", "  within backward 0 !0,9,15\n    loop until_end\n      read _ fixed u1 !0\n"), {1}),
            refused("bad_padding", 0));
  // The padding is the whole byte; elsewhere, where the position comes back.
  EXPECT_EQ(run(backward("    read _ fixed u8 !0\n"), {0, 7, 1, 9}), ok({9}, 4));
  const std::string at = "  mark 0\n  within backward 1 at 1 since 0 !0,9,15\n    read _ fixed u7 !0\n  read _ fixed u8 !0\n";
  EXPECT_EQ(run(program("bits_lsb", "mark \"m\"\n", at), {0, 0x80}), ok({}, 1));
}

TEST(InterpBackward, CodesHaveTheirHighestBitFirst) {
  // Lengths 1, 2, 2: 0, 10, 11. From the last bit down: 1 (the padding's end), 11, 0, 10, 10 ...
  const std::string declarations = "table u4 \"lengths\" [1 2 2]\ncode \"c\" 3 2 1 refuse\n";
  const std::string body = "  slot u32 \"v\"\n  build 0 table 0\n  within backward 1 !0,9,15\n    loop until_end\n      read %0 code u64 of 0 !0,4\n      emit %0 !2\n";
  EXPECT_EQ(run(program("bits_lsb", declarations, body), {0b1'11'0'10'10}), ok({2, 0, 1, 1}, 1));
  EXPECT_EQ(run(program("bits_lsb", declarations, body), {0b001'0'10'11}), ok({0, 1, 2}, 1));
  EXPECT_EQ(run(program("bits_lsb", declarations, body), {0b001'0'10'0'1}), refused("end_of_input", 1, {0, 1, 0}));
}

TEST(InterpBackward, LongestFirst) {
  // Lengths 2, 1, 3, 3: the two of three bits are 000 and 001, that of two 01, that of one 1.
  interp::PrefixCode code(3, true);
  EXPECT_EQ(code.build(std::vector<std::uint64_t>{2, 1, 3, 3}, ir::Incomplete::Refuse), interp::PrefixCode::Built::Ok);
  const auto decoded = [&](std::uint8_t bits) {
    const Bytes in{bits};
    interp::BitReader reader(in, ir::Input::BitsMsb);
    return *code.decode(reader).value;
  };
  EXPECT_EQ(decoded(0b000'00000), 2u);
  EXPECT_EQ(decoded(0b001'00000), 3u);
  EXPECT_EQ(decoded(0b01'000000), 0u);
  EXPECT_EQ(decoded(0b1'0000000), 1u);
  EXPECT_EQ(code.build(std::vector<std::uint64_t>{2, 1, 3}, ir::Incomplete::Refuse), interp::PrefixCode::Built::Incomplete);
}

TEST(InterpBackward, TheTextIsReadBack) {
  const std::string text = program("bits_lsb", "code \"c\" 3 2 1 refuse longest_first\n", "  within backward 1 !0,9,15\n    read _ fixed u3 !0\n");
  const ir::Module m = module_of(text);
  EXPECT_TRUE(m.codes[0].longest_first);
  EXPECT_TRUE(m.rules[0].body[0]->backward);
  EXPECT_EQ(ir::print(module_of(ir::print(m))), ir::print(m));
}

TEST(InterpBackward, WholeBytesHaveNoPlaceThere) {
  const auto problems = [](std::string_view input, std::string_view body, std::string_view more = "") {
    std::string text = program(input, "mark \"m\"\n", "  within backward 1 !0,9,15\n    " + std::string(body) + "\n");
    text += more;
    std::string error;
    const auto module = ir::read(text, &error);
    EXPECT_EQ(error, "");
    return module ? ir::verify(*module).size() : 0u;
  };
  EXPECT_EQ(problems("bits_lsb", "read _ fixed u8 !0"), 0u);
  EXPECT_EQ(problems("bits_msb", "read _ fixed u8 !0"), 1u);
  for (const char* body : {"read _ fixed u16 le !0", "read _ varint u8 !0,1", "literals fixed u8 count 1 !0,_,2", "align", "skip 1 !0",
                           "within 1 !0,9", "emit (peek_bits 3) !2"})
    EXPECT_EQ(problems("bits_lsb", body), 1u) << body;
  EXPECT_EQ(problems("bits_lsb", "call 1", "rule \"r\" 0\n  align\n"), 1u);
}

}  // namespace
}  // namespace sluice::test
