// State codes: their table, by the interpreter, what it refuses, and what of them is no module. Sites: ir_fixture.h.
#include "tests/unit/ir_fixture.h"

namespace sluice::test {
namespace {

const std::string kCode = "global u4 \"c.log\"\narray u32 \"c\" 16\narray i8 \"counts\" 4\nstates \"c\" 4 4 array 0 log $0\n";

// A table's numbers are words in a module's text.
std::string built(std::string counts, const std::string& body) {
  const std::string word = "18446744073709551615";
  for (std::size_t at; (at = counts.find("-1")) != std::string::npos;) counts.replace(at, 2, word);
  return program("bits_lsb", kCode + "table i8 \"n\" [" + counts + "]\n", "  build_states 0 table 0 !7,8\n" + body);
}
// Of a state: its symbol, the bits that the next one takes, and what is added to them.
std::string entry(unsigned state) {
  const std::string of = "(elem 0 " + std::to_string(state) + ")";
  return "  emit (bit_and (shr " + of + " 12) 255) !2\n  emit (bit_and " + of + " 63) !2\n  emit (shr " + of + " 20) !2\n";
}
std::string entries(unsigned n) {
  std::string text;
  for (unsigned i = 0; i < n; ++i) text += entry(i);
  return text;
}

TEST(StateCodes, TheTable) {
  // Eight states: places in order. Of a: x is 3, 4, 5; of b 4 to 7; c is rare.
  EXPECT_EQ(run(built("3 4 -1", "  emit $0 !2\n" + entries(8)), {}).out,
            (Bytes{3, 0, 2, 4, 0, 1, 0, 0, 1, 2, 1, 1, 0, 1, 1, 2, 1, 1, 4, 1, 1, 6, 2, 3, 0}));
  // Sixteen: steps of 13, the last two places are taken by rare symbols, the first of them last.
  EXPECT_EQ(run(built("-1 6 -1 8", "  emit $0 !2\n" + entry(15) + entry(14) + entry(0) + entry(13) + entry(10)), {}).out,
            (Bytes{4, 0, 4, 0, 2, 4, 0, 1, 2, 8, 1, 1, 6, 1, 1, 4}));
  EXPECT_EQ(run(built("0 1", "  emit $0 !2\n" + entries(2)), {}).out, (Bytes{0, 1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(run(built("0 -1 0 1", "  emit $0 !2\n" + entries(2)), {}).out, (Bytes{1, 3, 1, 0, 1, 1, 0}));
}

TEST(StateCodes, Refusals) {
  const auto refuses = [](const std::string& counts) { return run(built(counts, ""), {1}).error; };
  EXPECT_EQ(refuses("3 4"), "incomplete");
  EXPECT_EQ(refuses("0 0"), "incomplete");
  EXPECT_EQ(refuses("16 -1"), "oversubscribed");
  EXPECT_EQ(refuses("17"), "oversubscribed");
  EXPECT_EQ(refuses("15 -1"), "");
  EXPECT_EQ(run(program("bits_lsb", kCode, "  read _ fixed u8 !0\n  build_states 0 array 1 start 1 count 3 !7,8\n"), {1}), refused("incomplete", 8));
}

// What was built before stays where the new table has no states.
TEST(StateCodes, ASmallerTable) {
  const std::string more = "  set_elem 1 1 2\n  build_states 0 array 1 !7,8\n";
  EXPECT_EQ(run(built("1 3", more + "  emit $0 !2\n" + entry(0) + entry(1) + entry(3)), {}).out, (Bytes{1, 1, 0, 0, 1, 0, 1, 1, 0, 1}));
}

TEST(StateCodes, Verify) {
  const auto problems = [](const std::string& declarations, const std::string& body) {
    std::string error;
    const std::optional<ir::Module> m = ir::read(program("bits_lsb", declarations, body), &error);
    EXPECT_TRUE(m) << error;
    return m ? ir::verify(*m) : std::vector<std::string>{};
  };
  using Problems = std::vector<std::string>;
  EXPECT_EQ(problems(kCode, "  build_states 1 array 1 !7,8\n"), Problems{"rule main: build_states: names a state code that is not there"});
  EXPECT_EQ(problems(kCode, "  build_states 0 array 2 !7,8\n"), Problems{"rule main: build_states: names counts that are not there"});
  EXPECT_EQ(problems("global u4 \"l\"\narray u32 \"c\" 8\nstates \"c\" 4 4 array 0 log $0\n", ""),
            Problems{"module t: state code `c` has no array of its entries"});
  EXPECT_EQ(problems("global u8 \"l\"\narray u32 \"c\" 16\nstates \"c\" 4 4 array 0 log $0\n", ""),
            Problems{"module t: state code `c` has no global for its log"});
  EXPECT_EQ(problems("global u4 \"l\"\narray u32 \"c\" 16\nstates \"c\" 300 4 array 0 log $0\n", ""),
            (Problems{"module t: state code `c` has too few or too many symbols or states", "module t: state code `c` has no array of its entries"}));
}

TEST(StateCodes, UnbuiltIsOneStateOfSymbol0) {
  EXPECT_EQ(run(program("bits_lsb", kCode, "  emit $0 !2\n" + entry(0) + entry(15)), {}).out, (Bytes{0, 0, 0, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace sluice::test
