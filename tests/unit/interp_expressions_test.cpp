// Each operator at its edges: `emit EXPR` of a u64 output, with operands from run-time arguments so that nothing is known.
#include "tests/unit/ir_fixture.h"

namespace sluice::test {
namespace {

constexpr std::uint64_t kMinI64 = std::uint64_t{1} << 63;
constexpr std::uint64_t kAll = ~std::uint64_t{0};

// Value of an expression over (arg 0), (arg 1): u64; (arg 2), (arg 3): i64, given the same words.
std::uint64_t value(const std::string& expression, std::uint64_t a = 0, std::uint64_t b = 0, const std::string& before = "",
                    const Bytes& in = {}) {
  const std::string text = program("bits_lsb",
                                   "arg u64 \"a\" 0\narg u64 \"b\" 0\narg i64 \"c\" 0\narg i64 \"d\" 0\narg i4 \"small\" 15\n"
                                   "array i8 \"state\" 4\ntable i16 \"t\" [7 18446744073709551615]\nmark \"m\"\n",
                                   before + "  emit " + expression + " !2\n", "u64");
  const Outcome o = run(text, in, {.args = {a, b, a, b}});
  EXPECT_EQ(o.error, "") << expression;
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < 8 && o.out.size() >= 8; ++i) word |= std::uint64_t{o.out[o.out.size() - 8 + i]} << (8 * i);
  return word;
}

const std::string kUnsigned = " (arg 0) (arg 1))", kSigned = " (arg 2) (arg 3))";

TEST(InterpExpressions, ArithmeticWraps) {
  EXPECT_EQ(value("(add" + kUnsigned, kAll, 2), 1u);
  EXPECT_EQ(value("(sub" + kUnsigned, 1, 2), kAll);
  EXPECT_EQ(value("(mul" + kUnsigned, kMinI64, 3), kMinI64);
  EXPECT_EQ(value("(neg (arg 2))", kMinI64), kMinI64);
  EXPECT_EQ(value("(bit_not (arg 0))", 5), kAll - 5);
}

TEST(InterpExpressions, DivisionFollowsTheFirstOperandsSign) {
  EXPECT_EQ(value("(div" + kUnsigned, kAll, 2), kAll / 2);
  EXPECT_EQ(value("(div" + kSigned, kAll - 6, 2), kAll - 2);  // -7 / 2 = -3
  EXPECT_EQ(value("(rem" + kSigned, kAll - 6, 2), kAll);      // -7 % 2 = -1
  EXPECT_EQ(value("(div" + kSigned, kMinI64, kAll), kMinI64);
  EXPECT_EQ(value("(rem" + kSigned, kMinI64, kAll), 0u);
}

TEST(InterpExpressions, Bits) {
  EXPECT_EQ(value("(bit_and" + kUnsigned, 12, 10), 8u);
  EXPECT_EQ(value("(bit_or" + kUnsigned, 12, 10), 14u);
  EXPECT_EQ(value("(bit_xor" + kUnsigned, 12, 10), 6u);
  EXPECT_EQ(value("(shl" + kUnsigned, 3, 63), kMinI64);
  EXPECT_EQ(value("(shr" + kUnsigned, kMinI64, 63), 1u);
  EXPECT_EQ(value("(shr (arg 2) (arg 1))", kMinI64, 63), kAll);
}

TEST(InterpExpressions, Comparisons) {
  EXPECT_EQ(value("(lt" + kUnsigned, kAll, 1), 0u);
  EXPECT_EQ(value("(lt" + kSigned, kAll, 1), 1u);
  EXPECT_EQ(value("(ge" + kSigned, kAll, 1), 0u);
  EXPECT_EQ(value("(le" + kUnsigned, 4, 4), 1u);
  EXPECT_EQ(value("(gt" + kUnsigned, 4, 4), 0u);
  EXPECT_EQ(value("(gt" + kUnsigned, 5, 4), 1u);
  EXPECT_EQ(value("(eq" + kUnsigned, 5, 4), 0u);
  EXPECT_EQ(value("(ne" + kUnsigned, 5, 4), 1u);
  EXPECT_EQ(value("(min" + kUnsigned, kAll, 1), 1u);
  EXPECT_EQ(value("(min" + kSigned, kAll, 1), kAll);
  EXPECT_EQ(value("(max" + kUnsigned, kAll, 1), kAll);
  EXPECT_EQ(value("(max" + kSigned, kAll, 1), 1u);
}

TEST(InterpExpressions, Logic) {
  EXPECT_EQ(value("(and (eq (arg 0) 1) (eq (arg 1) 1))", 1, 0), 0u);
  EXPECT_EQ(value("(or (eq (arg 0) 1) (eq (arg 1) 1))", 1, 0), 1u);
  EXPECT_EQ(value("(not (eq (arg 0) 1))", 1), 0u);
  EXPECT_EQ(value("(select (eq (arg 0) 1) 10 20)", 1), 10u);
  EXPECT_EQ(value("(select (eq (arg 0) 1) 10 20)", 2), 20u);
}

TEST(InterpExpressions, Widths) {
  EXPECT_EQ(value("(cast:u3 (arg 0))", 13), 5u);
  EXPECT_EQ(value("(cast:i3 (arg 0))", 13), kAll - 2);
  EXPECT_EQ(value("(cast:i64 (arg 0))", kAll), kAll);
  EXPECT_EQ(value("(sign_extend" + kUnsigned, 13, 3), kAll - 2);
  EXPECT_EQ(value("(sign_extend" + kUnsigned, kAll, 64), kAll);
  EXPECT_EQ(value("(zigzag (arg 0))", 5), kAll - 2);
  EXPECT_EQ(value("(zigzag (arg 0))", kAll), kMinI64);
  EXPECT_EQ(value("(arg 4)"), kAll);  // the default 15 of an i4 is -1
}

TEST(InterpExpressions, ChecksOfArithmetic) {
  EXPECT_EQ(value("(add_ok" + kUnsigned, kAll, 0), 1u);
  EXPECT_EQ(value("(add_ok" + kUnsigned, kAll, 1), 0u);
  EXPECT_EQ(value("(add_ok" + kSigned, kMinI64 - 1, 1), 0u);
  EXPECT_EQ(value("(add_ok" + kSigned, kMinI64, kAll), 0u);
  EXPECT_EQ(value("(sub_ok" + kUnsigned, 1, 2), 0u);
  EXPECT_EQ(value("(sub_ok" + kSigned, 1, 2), 1u);
  EXPECT_EQ(value("(mul_ok" + kUnsigned, std::uint64_t{1} << 32, std::uint64_t{1} << 32), 0u);
  EXPECT_EQ(value("(mul_ok" + kUnsigned, (std::uint64_t{1} << 32) - 1, (std::uint64_t{1} << 32) + 1), 1u);  // 2^64 - 1
  EXPECT_EQ(value("(mul_ok" + kUnsigned, 0, kAll), 1u);
  EXPECT_EQ(value("(mul_ok" + kSigned, kMinI64, kAll), 0u);
  EXPECT_EQ(value("(fits u8 (arg 0))", 255), 1u);
  EXPECT_EQ(value("(fits u8 (arg 0))", 256), 0u);
  EXPECT_EQ(value("(fits i8 (arg 2))", kAll - 127), 1u);
  EXPECT_EQ(value("(fits i8 (arg 2))", kAll - 128), 0u);
  EXPECT_EQ(value("(fits u64 (arg 2))", kAll), 0u);
  EXPECT_EQ(value("(fits u64 (arg 0))", kAll), 1u);
}

TEST(InterpExpressions, ArraysAndTables) {
  EXPECT_EQ(value("(table_elem 0 (arg 0))", 1), kAll);
  EXPECT_EQ(value("(elem 0 2)", 0, 0, "  set_elem 0 2 200\n"), kAll - 55);  // an i8 holds -56
  EXPECT_EQ(value("(elem 0 3)"), 0u);
}

TEST(InterpExpressions, Position) {
  const Bytes in{1, 2, 3, 4};
  EXPECT_EQ(value("(remaining)", 0, 0, "  read _ fixed u3 !0\n", in), 3u);
  EXPECT_EQ(value("(aligned)", 0, 0, "  read _ fixed u3 !0\n", in), 0u);
  EXPECT_EQ(value("(at_end)", 0, 0, "  skip 4 !0\n", in), 1u);
  EXPECT_EQ(value("(consumed_since 0)", 0, 0, "  skip 1 !0\n  mark 0\n  skip 2 !0\n  read _ fixed u7 !0\n", in), 2u);
  EXPECT_EQ(value("(produced_since 0)", 0, 0, "  emit 1 !2\n  mark 0\n  emit 1 !2\n  emit 1 !2\n"), 2u);
  EXPECT_EQ(value("(produced)", 0, 0, "  emit 1 !2\n  emit 1 !2\n"), 2u);
}

TEST(InterpExpressions, PeekIsZeroPastTheRegion) {
  const Bytes in{1, 2, 3, 4};
  EXPECT_EQ(value("(peek 3 little)", 0, 0, "", in), 0x030201u);
  EXPECT_EQ(value("(peek 3 big)", 0, 0, "", in), 0x010203u);
  EXPECT_EQ(value("(peek 2 little)", 0, 0, "  skip 3 !0\n", in), 0x04u);
  EXPECT_EQ(value("(peek 2 big)", 0, 0, "  skip 3 !0\n", in), 0x0400u);
  EXPECT_EQ(value("(peek 8 big)", 0, 0, "  skip 4 !0\n", in), 0u);
  EXPECT_EQ(value("(remaining bits)", 0, 0, "  skip 3 !0\n", in), 8u);
  const std::string inside = program("bytes", "", "  within 1 !0,9\n    emit (peek 2 big) !2\n    skip 1 !0\n", "u16");
  EXPECT_EQ(run(inside, {1, 2}), (Outcome{"", 0, 1, 1, {0x00, 0x01}}));
}

TEST(InterpExpressions, ChecksumsCoverWhatLiesBetween) {
  const auto sums = [](const std::string& expression, const std::string& before, const Bytes& in, const Bytes& dictionary = {}) {
    const std::string text = program("bytes", "dictionary\nmark \"m\"\n", before + "  check (eq " + expression + " 3421780262) !5\n");
    return run(text, in, {.dictionary = dictionary}).error;
  };
  const Bytes digits{'1', '2', '3', '4', '5', '6', '7', '8', '9'};  // CRC-32: 0xcbf43926 = 3421780262
  EXPECT_EQ(sums("(checksum crc32 output 0)", "  mark 0\n  literals fixed u8 count 9 !0,_,2\n", digits), "");
  EXPECT_EQ(sums("(checksum crc32 output 0)", "  emit 0 !2\n  mark 0\n  literals fixed u8 count 9 !0,_,2\n", digits), "");
  EXPECT_EQ(sums("(checksum crc32 output 0)", "  mark 0\n  emit 0 !2\n  literals fixed u8 count 9 !0,_,2\n", digits), "reject");
  EXPECT_EQ(sums("(checksum crc32 input 0)", "  mark 0\n  skip 9 !0\n", digits), "");
  EXPECT_EQ(sums("(checksum crc32 dictionary 0)", "", {}, digits), "");
  EXPECT_EQ(sums("(select (eq (dictionary_size) 9) 3421780262 0)", "", {}, digits), "");
}

}  // namespace
}  // namespace sluice::test
