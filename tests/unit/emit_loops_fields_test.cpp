// Token loops against the interpreter: what tokens read, keep and make. Fields of every kind, literals, arrays, the state of
// the format.
#include "tests/unit/emit_loops_fixture.h"

namespace sluice::loops_test {
namespace {

// The checked path does literals that are symbols, but where there are none the token goes on.
TEST(FastLoopFields, LiteralsOfWhichThereAreNone) {
  for (const char* input : {"bits msb", "bits lsb"}) {
    expect_agreement(format(input, "bytes", R"(
  table lengths: u4 = [2, 2, 2, 2]
  prefix_code c(4, 2)
  build c from lengths
  repeat until end of input
    k: u3
    when k < 3
      emit k
    else
      literals c[k & 1]
      emit k + 100
)"));
  }
}

// Expressions keep their shape wherever they are put.
TEST(FastLoopFields, OutputsSoFarAndDistancesAreWholeExpressions) {
  for (const char* output : {"bytes", "u32[]", "i64[]"}) {
    expect_agreement(format("bytes", output, R"(
  repeat until end of input
    k: u8
    emit (produced as u8) / 3 + (k & 15)
    skip k & 7 bytes
)"));
  }
  expect_agreement(format("bytes", "i64[]", R"(
  repeat until end of input
    k: i8
    emit -(-k) - k * 5
)"));
  expect_agreement(format("bits lsb", "bytes", R"(
  array lengths: u4[9]
  prefix_code c(8, 3)
  for i < 9
    lengths[i] := 3
  k: u8
  build c from lengths[k & 1, 8]
  repeat until end of input
    s: c
    emit s
)"));
}

TEST(FastLoopFields, SignedFieldsOfNoBits) {
  for (const char* input : {"bits msb", "bits lsb"}) {
    expect_agreement(format(input, "i64[]", R"(
  repeat until end of input
    width: u3
    value: int(width * 9)
    emit value
)"));
  }
}

// Whether a step reads its field is told by a bit: whole bytes must not be taken by their number then.
TEST(FastLoopFields, FieldsThatSomeStepsLack) {
  expect_agreement(format("bits lsb", "bytes", R"(
  repeat until end of input
    mask: u8
    n: u8
    for i < n
      if mask >> (i & 7) & 1 == 1
        v: uint(8)
        emit v
    align
)"));
}

// A width that only the condition makes safe to compute must not move in front of the loop.
TEST(FastLoopFields, WidthsThatConditionsGuard) {
  expect_agreement(format("bits msb", "bytes", R"(
  table widths: u4 = [3, 8, 5, 1]
  repeat until end of input
    d: u4
    n: u6
    repeat n times
      if d != 0
        v: uint(16 / d)
        emit v as u8
      when d < 4
        w: uint(widths[d])
        emit w
      else
        emit d
    align
)"));
}

TEST(FastLoopFields, VarintsLiteralsAndFlatRuns) {
  for (const char* input : {"bits msb", "bits lsb"}) {
    expect_agreement(format(input, "i64[]", R"(
  repeat until end of input
    kind: u2
    n: u6
    when kind == 0
      base: varint(i64)
      step: varint(i32)
      run base, count n + 1, step step
    when kind == 1
      literals u3[n & 3]
      x: u2
      emit x as i64
    when kind == 2
      value: uint(8 * ((n & 7) + 1))
      run value as i64, count (n >> 3) + 3
    else
      flag: bool
      if flag
        v: varint(u32)
        emit v as i64
    align
)"),
                     3);
  }
}

// Patches: what one step stores another reads, so such tokens are done carefully.
TEST(FastLoopFields, ArraysThatTokensReadBack) {
  expect_agreement(format("bits msb", "u16[]", R"(
  array values: u16[64]
  array kept: u16[64]
  repeat until end of input
    patched: u1
    n: u7
    when patched == 0
      repeat n times
        v: uint(9)
        emit v
    else
      count = n & 63
      for i < count
        v: uint(12)
        values[i] := v
      align
      for i < count
        emit values[i] ^ values[63 - i]
    align
)"));
}

// Fields that are read and dropped, of every kind: there is no name to put them under.
TEST(FastLoopFields, FieldsWithoutAName) {
  for (const char* input : {"bits msb", "bits lsb"}) {
    expect_agreement(format(input, "bytes", R"(
  trailing accept rest
  table lengths: u4 = [8 x 144, 9 x 112, 7 x 24, 8 x 8]
  ranges far = base [1, 2, 3, 4, 5, 7] extra [0 x 4, 1, 1]
  prefix_code litlen(288, 15)
  build litlen from lengths
  repeat until end of input
    s: litlen
    when s < 256
      emit s
    when s == 256
      stop
    else
      require s <= 261 else reject bad
      _: far[s - 257]
      _: u3
)"),
                     4, 15);
    expect_agreement(format(input, "bytes", R"(
  repeat until end of input
    n: u4
    _: uint(n)
    if n < 3
      _: varint(u16)
    emit n
)"),
                     4, 60);
    expect_agreement(format(input, "bytes", R"(
  table lengths: u4 = [1, 2, 3, 3]
  ranges wide = base [1, 2, 4, 9] extra [0, 1, 2, 3]
  prefix_code kinds(4, 4)
  rule item(x: u8) -> u8
    y: u3
    return x ^ y
  build kinds from lengths
  repeat until end of input
    k: u2
    _: wide[k]
    _: kinds
    _: item(k)
    emit k
)"));
  }
  expect_agreement(format("bytes", "bytes", R"(
  repeat until end of input
    n: u8
    _: u16be
    if n < 99
      _: varint(i32)
    _: uint_be(8 * (n & 3))
    emit n
)"),
                   4, 60);
}

// A `var` of the format lives in the loop and goes back where a token is left.
TEST(FastLoopFields, StateOfTheFormat) {
  expect_agreement(format("bytes", "bytes", R"(
  var sum: u8 = 3
  var count: u32 = 0
  var key: u8 = 90
  repeat until end of input
    op: u8
    sum := (sum + op) & 255
    if op > 250
      count := count +% 1
      require count < 9 else reject too_many
    literals u8[op & 3]
    emit sum ^ key
  emit count as u8
)"));
  for (const char* input : {"bits msb", "bits lsb"}) {
    expect_agreement(format(input, "u16[]", R"(
  var last: i32 = -7
  var seen: u16 = 0
  n: u16
  repeat n times
    step: i5
    last := (last + step) as i16
    if step == 3
      seen := seen +% 1
    emit (last as u16) ^ seen
  repeat until end of input
    width: u3
    more: u5
    repeat more times
      v: uint(width + 1)
      last := (last ^ v) as i16
      emit last as u16
    align
  emit seen
)"));
  }
}

// A mark may stand inside a byte, which then is none of those that are summed.
TEST(FastLoopFields, ChecksumsOfWholeBytes) {
  for (const char* input : {"bits msb", "bits lsb"}) {
    expect_agreement(format(input, "u32[]", R"(
  repeat until end of input
    n: u6
    mark here
    _: uint(n)
    emit xxh32(input since here)
    m: u3
    mark there
    _: uint(m)
    emit crc32(input since there)
)"));
  }
}

}  // namespace
}  // namespace sluice::loops_test
