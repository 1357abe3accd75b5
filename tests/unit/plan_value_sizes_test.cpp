// Sizes of tokens that are values, without what their numbers hold (compiler/plan/numbers_apart.h).
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/records_of.h"

namespace sluice::test {
namespace {

bool apart(const std::string& steps) {
  const plan::Records r = records_of(steps, "", "bytes", "i16[]");
  EXPECT_EQ(r.against, "") << steps;
  return r.values && r.values->apart;
}

TEST(PlanValueSizes, NumbersThatFollowEachOtherAreCounted) {
  const std::string list = "    when n >= 128\n      literals varint(i16)[n - 127]\n    else\n";
  EXPECT_TRUE(apart("    n: u8\n" + list + "      s: i8\n      v: varint(i16)\n      run v, count n, step s\n"));
  EXPECT_TRUE(apart("    n: u8\n" + list + "      v: varint(i16)\n      s: varint(i16)\n      run v, count n, step s\n"));
  EXPECT_TRUE(apart("    n: u8\n" + list + "      v: varint(i16)\n      w = v\n      run w, count n\n"));
  EXPECT_TRUE(apart("    n: u8\n" + list + "      pass\n"));
}

TEST(PlanValueSizes, SizesThatHangOnNumbersAreNotApart) {
  const std::string list = "    when n >= 128\n      literals varint(i16)[n - 127]\n    else\n";
  EXPECT_FALSE(apart("    n: varint(u16)\n    literals varint(i16)[n + 1]\n")) << "a number says how many follow";
  EXPECT_FALSE(apart("    n: varint(u16)\n    m = n & 7\n    literals varint(i16)[m + 1]\n")) << "and what is made of it";
  EXPECT_FALSE(apart("    n: u8\n" + list + "      v: varint(i16)\n      s: i8\n      run v, count n, step s\n")) << "a field behind one";
  EXPECT_FALSE(apart("    n: u8\n" + list + "      v: varint(i16)\n      when v > 9\n        s: i8\n        run s, count n\n      else\n        pass\n")) << "a way that one chooses";
  EXPECT_FALSE(apart("    n: u8\n" + list + "      v: varint(i16)\n      require v > -9 else reject low\n      run v, count n\n")) << "a test of one";
  EXPECT_FALSE(apart("    n: u8\n" + list + "      v: varint(i16)\n      x: u8\n      w: varint(i8)\n      run v, count n, step w\n")) << "two that stand apart";
}

}  // namespace
}  // namespace sluice::test
