// Token loops against the interpreter: stores to arrays that the tokens read, behind which they are left in many ways; and copies
// of groups.
#include <fmt/format.h>

#include "tests/unit/emit_loops_fixture.h"

namespace sluice::loops_test {
namespace {

TEST(FastLoopArrays, StoresAreUndoneWhereverATokenIsLeft) {
  for (const char* left : {"require old != 37 else reject unlucky", "if old == 37: stop", "copy distance old + 1, length n >> 4",
                           "run old, count old * old + n", "v: varint(u64)", "literals u8[old]"}) {
    expect_agreement(format("bytes", "bytes", fmt::format(R"(
  array counts: u8[16]
  array sums: u8[16]
  literals u8[60]
  repeat until end of input
    n: u8
    old = sums[n & 15]
    counts[n & 15] := (counts[n & 15] + 1) as u8
    sums[n & 15] := (old + counts[n & 15]) as u8
    counts[n & 15] := (counts[n & 15] + n) as u8
    {}
    emit sums[n & 15]
)", left)), 3);
  }
}

TEST(FastLoopArrays, OfSymbolsInRows) {
  expect_agreement(format("bits lsb", "bytes", R"(
  table lengths: u4 = [8 x 144, 9 x 112, 7 x 24, 8 x 8]
  prefix_code litlen(288, 15)
  array counts: u8[16]
  build litlen from lengths
  repeat until end of input
    s: litlen
    when s < 256
      emit s
    when s == 256
      stop
    else
      counts[s & 15] := (counts[s & 15] + 1) as u8
      extra: u5
      require counts[extra & 15] < 9 else reject too_many
      copy distance counts[s & 15], length extra + 3
)"));
}

// Runs of several values that are written as loops, behind a store that is undone where they have no room.
TEST(FastLoopArrays, RunsThatAreLoops) {
  for (const char* count : {"m & 31", "m", "m * m", "counts[n & 3]"})
    for (const char* steps : {"repeat x times", "for i < x"})
      expect_agreement(format("bytes", "bytes", fmt::format(R"(
  array counts: u8[4]
  repeat until end of input
    n: u8
    m: u8
    counts[n & 3] := (counts[n & 3] + m) as u8
    x = {}
    {}
      emit n, m, {}
    emit counts[n & 3]
)", count, steps, steps[0] == 'f' ? "i as u8" : "7")));
}

TEST(FastLoopArrays, GroupsOfEverySize) {
  for (unsigned size = 1; size <= 9; ++size) {
    std::string emits;
    for (unsigned k = 0; k < size; ++k) emits += fmt::format("{}(n + {}) as u8", k == 0 ? "" : ", ", 11 * k);
    for (const char* length : {"m & 31", "m", "m * m"})
      expect_agreement(format("bytes", "bytes", fmt::format(R"(
  repeat until end of input
    n: u8
    m: u8
    emit {}
    copy distance {}, length {}
)", emits, size, length)));
  }
}

}  // namespace
}  // namespace sluice::loops_test
