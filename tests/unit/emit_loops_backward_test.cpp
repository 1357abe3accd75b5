// Token loops that read a region from its end, against the interpreter.
#include <fmt/format.h>

#include "tests/unit/emit_loops_fixture.h"

namespace sluice::loops_test {
namespace {

// A region of nearly all of the input, and what is left.
std::string region(std::string_view declarations, std::string_view body) {
  std::string text = fmt::format("\n{}  front: u8\n  within remaining - min(remaining, front & 3) bytes, backward\n", declarations);
  return text += body;
}

TEST(FastLoopBackward, FieldsOfEveryWidth) {
  for (const char* width : {"n", "n + 20", "40 + (n >> 1)", "9"})
    expect_agreement(format("bits lsb", "u64[]", region("", fmt::format(R"(    mark top
    repeat until end of input
      n: u5
      v: uint({})
      s: i7
      emit v, s as u64, consumed bits since top
)", width))));
  expect_agreement(format("bits lsb", "u16[]", region("", R"(    repeat until end of input
      n: u6
      repeat n times
        v: u13
        emit v
      repeat n >> 3 times
        w: uint(n >> 2)
        emit w & 0xffff
)")));
}

TEST(FastLoopBackward, StatesOfOneStepChooseTheWidthsOfTheNext) {
  expect_agreement(format("bits lsb", "bytes", region(R"(  table widths: u4 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 3, 2, 1]
  var state: u4 = 0
  var other: u4 = 3
)", R"(    repeat 5000 times
      far: uint(widths[state])
      emit far & 255
      next: u4
      then: uint(widths[other] >> 2)
      if produced > far: copy distance far + 1, length next + 2
      state := next
      other := (other + then) & 15
)")));
}

TEST(FastLoopBackward, SymbolsInPairsAndAlone) {
  const char* const lengths = "  table lengths: u4 = [1, 3, 4, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 15, 4, 3]\n";
  for (const char* code : {"code(18, 15)", "code(18, 15), longest first"})
    for (const char* step : {"emit s", "emit s, s + 1", "when s < 9\n        emit s\n      else\n        extra: u5\n        emit extra"})
      expect_agreement(format("bits lsb", "bytes", region(fmt::format("{}  prefix_code {}\n  build code from lengths\n", lengths, code),
                                                          fmt::format("    repeat until end of input\n      s: code\n      {}\n", step))), 2);
  const char* const shorter = "  table lengths: u4 = [2, 2, 3, 3, 4, 4, 5, 5, 5, 6, 7, 8, 9, 10, 11, 11]\n  prefix_code code(16, 11), longest first\n  build code from lengths\n";
  expect_agreement(format("bits lsb", "bytes", region(shorter, "    repeat until end of input\n      s: code\n      emit s\n")), 3);
  // Other elements, and ends that are numbers of outputs.
  expect_agreement(format("bits lsb", "u16[]", region(shorter, "    repeat until end of input\n      s: code\n      emit s\n")));
  expect_agreement(format("bits lsb", "bytes", region(shorter, "    repeat until 300 outputs\n      s: code\n      emit s\n    _: uint(min(remaining bits, 64))\n")));
}

TEST(FastLoopBackward, OneCodeInBothDirections) {
  expect_agreement(format("bits lsb", "bytes", R"(
  table lengths: u4 = [1, 3, 4, 4, 5, 6, 7, 7, 3, 4]
  prefix_code code(10, 7)
  build code from lengths
  size: u7
  within size bytes, backward
    repeat until end of input
      s: code
      emit s
  repeat until end of input
    s: code
    emit s
)"));
}

}  // namespace
}  // namespace sluice::loops_test
