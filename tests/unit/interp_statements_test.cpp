// Each statement kind and each reason, by hand-written IR. Sites of program(): 0 end_of_input, 1 varint_too_long,
// 2 output_full, 3 bad_distance, 4 no_such_code, 5 reject, 6 out_of_range, 7 oversubscribed, 8 incomplete,
// 9 bytes_left, 10 output_short, 11 unaligned, 12 no_progress, 13 trailing_bytes, 14 divide_by_zero.
#include "tests/unit/ir_fixture.h"

namespace sluice::test {
namespace {

TEST(InterpRead, FixedFollowsTheBitOrder) {
  const std::string body = "  slot u3 \"a\"\n  slot u5 \"b\"\n  read %0 fixed u3 !0\n  read %1 fixed u5 !0\n  emit %0 !2\n  emit %1 !2\n";
  EXPECT_EQ(run(program("bits_lsb", "", body), {0b10110'101}), ok({0b101, 0b10110}, 1));
  EXPECT_EQ(run(program("bits_msb", "", body), {0b101'10110}), ok({0b101, 0b10110}, 1));
}

TEST(InterpRead, ByteOrderAndSign) {
  const std::string body =
      "  slot u16 \"a\"\n  slot i24 \"b\"\n  read %0 fixed u16 le !0\n  read %1 fixed i24 be !0\n  emit %0 !2\n  emit %1 !2\n";
  EXPECT_EQ(run(program("bytes", "", body, "i32"), {0x34, 0x12, 0xff, 0xff, 0xfe}),
            (Outcome{"", 0, 2, 5, {0x34, 0x12, 0, 0, 0xfe, 0xff, 0xff, 0xff}}));
}

TEST(InterpRead, EndsAtTheStartOfTheField) {
  const std::string body = "  slot u8 \"a\"\n  read %0 fixed u8 !0\n  emit %0 !2\n  read %0 fixed u16 le !0\n";
  EXPECT_EQ(run(program("bytes", "", body), {7, 8}), refused("end_of_input", 8, {7}));
}

TEST(InterpRead, UnalignedComesBeforeEndOfInput) {
  const std::string body = "  read _ fixed u3 !0\n  read _ fixed u16 le !0,_,11\n";
  EXPECT_EQ(run(program("bits_lsb", "", body), {0}), refused("unaligned", 3));
}

TEST(InterpRead, ComputedWidthOfZeroReadsNothing) {
  const std::string body =
      "  slot u8 \"w\"\n  slot i64 \"v\"\n  loop until_end\n    read %0 fixed u8 !0\n    read %1 computed i64 width %0 !0\n"
      "    align\n    emit %1 !2\n";
  EXPECT_EQ(run(program("bits_lsb", "", body), {0, 3, 0b101, 8, 0x80}), ok({0, 0xfd, 0x80}, 5));
}

TEST(InterpRead, VarintZigZagAndItsLimits) {
  const std::string body = "  slot i16 \"v\"\n  read %0 varint i16 !0,1\n  emit %0 !2\n";
  const std::string text = program("bytes", "", body, "i16");
  EXPECT_EQ(run(text, {0x03}), (Outcome{"", 0, 1, 1, {0xfe, 0xff}}));
  EXPECT_EQ(run(text, {0xff, 0xff, 0x03}), (Outcome{"", 0, 1, 3, {0x00, 0x80}}));  // -32768
  EXPECT_EQ(run(text, {0xff, 0xff, 0x04}), refused("varint_too_long", 0));        // 2^16 does not fit
  EXPECT_EQ(run(text, {0x80, 0x80, 0x80}), refused("varint_too_long", 0));        // goes on after the last group
  EXPECT_EQ(run(text, {0x80, 0x80}), refused("end_of_input", 0));
  EXPECT_EQ(run(text, {0x80, 0x80, 0x00}), (Outcome{"", 0, 1, 3, {0, 0}}));       // long forms of small values pass
}

TEST(InterpRead, VarintOf64Bits) {
  const std::string text = program("bytes", "", "  slot u64 \"v\"\n  read %0 varint u64 !0,1\n  emit %0 !2\n", "u64");
  Bytes most(9, 0xff);
  most.push_back(0x01);
  EXPECT_EQ(run(text, most), (Outcome{"", 0, 1, 10, Bytes(8, 0xff)}));
  most.back() = 0x02;
  EXPECT_EQ(run(text, most), refused("varint_too_long", 0));
}

// Lengths 1, 2, 3, 3 give the codes 0, 10, 110, 111.
const char* const kCode =
    "array u4 \"lengths\" 4\ntable u3 \"three\" [1 2 3 3]\ncode \"c\" 4 3 1 refuse\ncode \"unbuilt\" 4 3 2 accept\n";

TEST(InterpCode, DecodesCanonicalCodesInBothOrders) {
  const std::string body = "  slot u2 \"s\"\n  build 0 table 0\n  loop times 4 \n    read %0 code u2 of 0 !0,4\n    emit %0 !2\n";
  // 0 10 110 111, first bit first.
  EXPECT_EQ(run(program("bits_msb", kCode, body), {0b01011011, 0b10000000}), ok({0, 1, 2, 3}, 2));
  EXPECT_EQ(run(program("bits_lsb", kCode, body), {0b11011010, 0b00000001}), ok({0, 1, 2, 3}, 2));
}

TEST(InterpCode, NearTheEndShortCodesStillDecode) {
  const std::string body =
      "  slot u2 \"s\"\n  build 0 table 0\n  read _ fixed u6 !0\n  loop forever\n    read %0 code u2 of 0 !0,4\n    emit %0 !2\n";
  EXPECT_EQ(run(program("bits_msb", kCode, body), {0b00000001}), refused("end_of_input", 7, {0}));  // `0`, then 1 of 3 bits
}

TEST(InterpCode, ACodeNeverBuiltHasNoCodes) {
  const std::string body = "  read _ code u2 of 1 index 1 !0,4\n";
  EXPECT_EQ(run(program("bits_lsb", kCode, body), {0}), refused("no_such_code", 0));
  EXPECT_EQ(run(program("bits_lsb", kCode, "  read _ fixed u6 !0\n" + body), {0}), refused("end_of_input", 6));
}

std::string build_lengths(const std::string& policy) {
  return program("bits_lsb", "array u4 \"lengths\" 4\ncode \"c\" 4 3 1 " + policy + "\n",
                 "  slot u2 \"i\"\n  slot u4 \"n\"\n  loop times 4 -> %0\n    read %1 fixed u4 !0\n    set_elem 0 %0 %1\n"
                 "  build 0 array 0 start 0 count 4 !7,8\n");
}

TEST(InterpCode, Policies) {
  const Bytes complete{0x21, 0x33}, over{0x11, 0x01}, too_long{0x21, 0x43}, lone{0x01, 0x00}, two{0x21, 0x00}, lone2{0x02, 0x00}, none{0, 0};
  for (const char* policy : {"refuse", "single", "accept"}) {
    EXPECT_EQ(run(build_lengths(policy), complete), ok({}, 2)) << policy;
    EXPECT_EQ(run(build_lengths(policy), none), ok({}, 2)) << policy;
    EXPECT_EQ(run(build_lengths(policy), over), refused("oversubscribed", 16)) << policy;
    EXPECT_EQ(run(build_lengths(policy), too_long), refused("oversubscribed", 16)) << policy;
  }
  EXPECT_EQ(run(build_lengths("refuse"), lone), refused("incomplete", 16));
  EXPECT_EQ(run(build_lengths("single"), lone), ok({}, 2));
  EXPECT_EQ(run(build_lengths("single"), lone2), refused("incomplete", 16));
  EXPECT_EQ(run(build_lengths("single"), two), refused("incomplete", 16));
  EXPECT_EQ(run(build_lengths("accept"), two), ok({}, 2));
}

TEST(InterpRead, Ranges) {
  const std::string text = program("bits_lsb", "ranges \"r\" [3 10] [0 4]\n",
                                   "  slot u8 \"i\"\n  slot u8 \"v\"\n  loop times 2\n    read %0 fixed u4 !0\n"
                                   "    check (lt %0 2) !6\n    read %1 ranges u8 of 0 index %0 !0\n    emit %1 !2\n");
  EXPECT_EQ(run(text, {0x10, 0x05}), ok({3, 15}, 2));
  EXPECT_EQ(run(text, {0x10}), refused("end_of_input", 8, {3}));
  EXPECT_EQ(run(text, {0x20}), refused("out_of_range", 8, {3}));
}

TEST(InterpOutput, EmitStopsAtTheCapacity) {
  const std::string text = program("bytes", "", "  slot u8 \"v\"\n  loop until_end\n    read %0 fixed u8 !0\n    emit %0 !2\n");
  EXPECT_EQ(run(text, {1, 2, 3}, {.capacity = 3}), ok({1, 2, 3}, 3));
  EXPECT_EQ(run(text, {1, 2, 3}, {.capacity = 2}), no_room(24, {1, 2}));
}

TEST(InterpOutput, LiteralsReadBeforeTheyLookForRoom) {
  const std::string text = program("bytes", "", "  slot u8 \"n\"\n  read %0 fixed u8 !0\n  literals fixed u8 count %0 !0,_,2\n");
  EXPECT_EQ(run(text, {3, 1, 2, 3}), ok({1, 2, 3}, 4));
  EXPECT_EQ(run(text, {3, 1, 2}), refused("end_of_input", 24, {1, 2}));
  EXPECT_EQ(run(text, {3, 1, 2, 3}, {.capacity = 1}), no_room(16, {1}));
  EXPECT_EQ(run(text, {3, 1}, {.capacity = 1}), refused("end_of_input", 16, {1}));
  EXPECT_EQ(run(text, {0}, {.capacity = 0}), ok({}, 1));
}

TEST(InterpOutput, LiteralsOfVarintsFailAtTheElement) {
  const std::string text = program("bytes", "", "  literals varint u8 count 3 !0,1,2\n");
  EXPECT_EQ(run(text, {5, 0xff, 0x01, 6}), ok({5, 255, 6}, 4));
  EXPECT_EQ(run(text, {5, 0xff, 0x02, 6}), refused("varint_too_long", 8, {5}));
  EXPECT_EQ(run(text, {5, 0xff, 0x01, 6}, {.capacity = 1}), no_room(8, {5}));
}

TEST(InterpOutput, RunsWrapAndAreAllOrNothing) {
  const std::string text = program("bytes", "", "  slot u8 \"n\"\n  read %0 fixed u8 !0\n  run 254 count %0 step 3 !2\n");
  EXPECT_EQ(run(text, {4}), ok({254, 1, 4, 7}, 1));
  EXPECT_EQ(run(text, {0}), ok({}, 1));
  EXPECT_EQ(run(text, {4}, {.capacity = 3}), no_room(8));
}

const char* const kCopy =
    "  slot u8 \"d\"\n  slot u8 \"n\"\n  literals fixed u8 count 3 !0,_,2\n  read %0 fixed u8 !0\n  read %1 fixed u8 !0\n"
    "  copy distance %0 length %1 !3,2\n";

TEST(InterpOutput, CopiesMayOverlap) {
  EXPECT_EQ(run(program("bytes", "", kCopy), {1, 2, 3, 2, 5}), ok({1, 2, 3, 2, 3, 2, 3, 2}, 5));
  EXPECT_EQ(run(program("bytes", "", kCopy), {1, 2, 3, 3, 0}), ok({1, 2, 3}, 5));
}

TEST(InterpOutput, CopyDistances) {
  EXPECT_EQ(run(program("bytes", "", kCopy), {1, 2, 3, 0, 1}), refused("bad_distance", 40, {1, 2, 3}));
  EXPECT_EQ(run(program("bytes", "", kCopy), {1, 2, 3, 4, 0}), refused("bad_distance", 40, {1, 2, 3}));
  EXPECT_EQ(run(program("bytes", "window 2\n", kCopy), {1, 2, 3, 3, 1}), refused("bad_distance", 40, {1, 2, 3}));
  EXPECT_EQ(run(program("bytes", "", kCopy), {1, 2, 3, 4, 9}, {.capacity = 3}), refused("bad_distance", 40, {1, 2, 3}));
  EXPECT_EQ(run(program("bytes", "", kCopy), {1, 2, 3, 3, 2}, {.capacity = 4}), no_room(40, {1, 2, 3}));
}

TEST(InterpOutput, TheDictionaryStandsBeforeTheStart) {
  const std::string text = program("bytes", "dictionary\n", kCopy);
  EXPECT_EQ(run(text, {1, 2, 3, 5, 7}, {.dictionary = {8, 9}}), ok({1, 2, 3, 8, 9, 1, 2, 3, 8, 9}, 5));
  EXPECT_EQ(run(text, {1, 2, 3, 6, 1}, {.dictionary = {8, 9}}), refused("bad_distance", 40, {1, 2, 3}));
  // A format without `dictionary` never looks at one.
  EXPECT_EQ(run(program("bytes", "", kCopy), {1, 2, 3, 5, 1}, {.dictionary = {8, 9}}), refused("bad_distance", 40, {1, 2, 3}));
}

TEST(InterpOutput, NewWindow) {
  const std::string copy = "  copy distance 3 length 3 !3,2\n";
  const std::string prefix = "  literals fixed u8 count 2 !0,_,2\n";
  const std::string tail = "  literals fixed u8 count 1 !0,_,2\n" + copy;
  EXPECT_EQ(run(program("bytes", "dictionary\n", prefix + "  new_window\n" + tail), {1, 2, 3}, {.dictionary = {8, 9}}),
            refused("bad_distance", 24, {1, 2, 3}));
  EXPECT_EQ(run(program("bytes", "dictionary\n", prefix + "  new_window after_dictionary\n" + tail), {1, 2, 3}, {.dictionary = {8, 9}}),
            ok({1, 2, 3, 8, 9, 3}, 3));
  EXPECT_EQ(run(program("bytes", "dictionary\n", prefix + tail), {1, 2, 3}, {.dictionary = {8, 9}}), ok({1, 2, 3, 1, 2, 3}, 3));
}

TEST(InterpControl, Loops) {
  EXPECT_EQ(run(program("bytes", "", "  slot u8 \"i\"\n  loop times 3 -> %0\n    emit %0 !2\n"), {}), ok({0, 1, 2}, 0));
  EXPECT_EQ(run(program("bytes", "", "  slot u8 \"i\"\n  emit 9 !2\n  loop until_outputs 2\n    emit 1 !2\n"), {}), ok({9, 1, 1}, 0));
  EXPECT_EQ(run(program("bytes", "", "  loop until_cond (ge (produced) 2)\n    emit 1 !2\n"), {}), ok({1, 1}, 0));
  EXPECT_EQ(run(program("bytes", "", "  slot u8 \"v\"\n  loop forever\n    read %0 fixed u8 !0\n    if (eq %0 0)\n      stop\n    else\n"
                                     "      emit %0 !2\n  emit 7 !2\n"), {4, 0, 5}), ok({4, 7}, 2));
}

TEST(InterpControl, StopLeavesOnlyTheInnermostLoop) {
  const std::string body = "  loop times 2\n    loop forever\n      emit 1 !2\n      stop\n    emit 2 !2\n";
  EXPECT_EQ(run(program("bytes", "", body), {}), ok({1, 2, 1, 2}, 0));
}

TEST(InterpControl, NoProgressIsAtTheStartOfTheStep) {
  const std::string body =
      "  slot u8 \"v\" mutable\n  set %0 0\n  loop forever !12\n    if (eq %0 0)\n      read _ fixed u8 !0\n      set %0 1\n";
  EXPECT_EQ(run(program("bytes", "", body), {1, 2}), refused("no_progress", 8));
  const std::string producing = "  slot u8 \"v\"\n  read %0 fixed u8 !0\n  loop until_cond (ge (produced) 3) !12\n    run 5 count %0 !2\n";
  EXPECT_EQ(run(program("bytes", "", producing), {2}), ok({5, 5, 5, 5}, 1));
  EXPECT_EQ(run(program("bytes", "", producing), {0}), refused("no_progress", 8));
}

TEST(InterpControl, RejectAcceptCheck) {
  const std::string body = "  slot u8 \"v\"\n  read %0 fixed u8 !0\n  if (eq %0 1)\n    reject !5\n  if (eq %0 2)\n    accept \"early\"\n"
                           "  check (eq %0 3) !6\n  emit 1 !2\n";
  EXPECT_EQ(run(program("bytes", "", body), {1, 9}), refused("reject", 8));
  EXPECT_EQ(run(program("bytes", "", body), {2, 9}), ok({}, 1));
  EXPECT_EQ(run(program("bytes", "", body), {3, 9}), ok({1}, 1));
  EXPECT_EQ(run(program("bytes", "", body), {4, 9}), refused("out_of_range", 8));
}

TEST(InterpControl, CallsHaveTheirOwnSlots) {
  const std::string declarations = "global u8 \"g\" mutable\nrule \"main\" 0\n  slot u8 \"a\"\n  slot u8 \"b\"\n  read %0 fixed u8 !0\n"
                                   "  call 1 %0 2 -> %1\n  emit %0 !1\n  emit %1 !1\n  emit $0 !1\n"
                                   "rule \"twice\" 2 -> u8\n  slot u8 \"x\"\n  slot u8 \"k\"\n  set_global $0 %1\n  return (mul %0 %1)\n"
                                   "site 0 1 end_of_input \"end_of_input\"\nsite 0 2 output_full \"output_full\"\n";
  EXPECT_EQ(run("module \"t\"\ninput bytes\noutput u8\n" + declarations, {21}), ok({21, 42, 2}, 1));
  EXPECT_EQ(run("module \"t\"\ninput bytes\noutput u8\n" + declarations, {200}), ok({200, 144, 2}, 1));  // results keep the low bits
}

TEST(InterpControl, ErrorWordsCarryTheSitesRule) {
  const ir::Module m = module_of("module \"t\"\ninput bytes\noutput u8\nrule \"main\" 0\n  read _ fixed u8 !0\n  call 1\n"
                                 "rule \"r\" 0\n  read _ fixed u8 !1\nsite 0 1 end_of_input \"first\"\nsite 1 3 end_of_input \"second\"\n");
  const Bytes in{1};
  const interp::Result result = interp::interpret(m, {.in = in, .out = {}, .capacity_elements = 0, .dictionary = {}, .args = {}});
  EXPECT_EQ(result.error, (std::uint64_t{1} << 54) | (std::uint64_t{3} << 40) | 8);
  EXPECT_EQ(result.site, 1u);
}

TEST(InterpRegions, Within) {
  const std::string body = "  slot u8 \"n\"\n  read %0 fixed u8 !0\n  within %0 !0,9\n    loop until_end\n"
                           "      literals fixed u8 count 2 !0,_,2\n  read %0 fixed u8 !0\n  emit %0 !2\n";
  EXPECT_EQ(run(program("bytes", "", body), {2, 1, 2, 3}), ok({1, 2, 3}, 4));
  EXPECT_EQ(run(program("bytes", "", body), {0, 3}), ok({3}, 2));
  EXPECT_EQ(run(program("bytes", "", body), {5, 1, 2, 3}), refused("end_of_input", 8));
  EXPECT_EQ(run(program("bytes", "", body), {3, 1, 2, 3}), refused("end_of_input", 32, {1, 2, 3}));
  const std::string one = "  within 2 !0,9\n    read _ fixed u8 !0\n";
  EXPECT_EQ(run(program("bytes", "", one), {1, 2, 3}), refused("bytes_left", 8));
}

TEST(InterpRegions, Producing) {
  const std::string body = "  slot u8 \"n\"\n  read %0 fixed u8 !0\n  producing %0 !2,10\n    literals fixed u8 count 2 !0,_,2\n  emit 9 !2\n";
  EXPECT_EQ(run(program("bytes", "", body), {2, 5, 6}), ok({5, 6, 9}, 3));
  EXPECT_EQ(run(program("bytes", "", body), {3, 5, 6}), refused("output_short", 24, {5, 6}));
  EXPECT_EQ(run(program("bytes", "", body), {1, 5, 6}), refused("output_full", 16, {5}));
  // A promise needs no room; what is made does.
  EXPECT_EQ(run(program("bytes", "", body), {4, 5, 6}, {.capacity = 3}), refused("output_short", 24, {5, 6}));
  EXPECT_EQ(run(program("bytes", "", body), {4, 5, 6}, {.capacity = 1}), no_room(16, {5}));
}

TEST(InterpRegions, AlignAndSkip) {
  const std::string body = "  read _ fixed u3 !0\n  align\n  align\n  skip 1 !0\n  literals fixed u8 count 1 !0,_,2\n";
  EXPECT_EQ(run(program("bits_lsb", "", body), {0xff, 1, 2}), ok({2}, 3));
  EXPECT_EQ(run(program("bits_lsb", "", body), {0xff}), refused("end_of_input", 8));
  const std::string zero = "  read _ fixed u3 !0\n  align zero !5\n";
  EXPECT_EQ(run(program("bits_lsb", "", zero), {0b00000111}), ok({}, 1));
  EXPECT_EQ(run(program("bits_lsb", "", zero), {0b00001111}), refused("reject", 3));
  EXPECT_EQ(run(program("bits_msb", "", zero), {0b11100000}), ok({}, 1));
}

TEST(InterpRegions, TrailingBytesAreCheckedByStatements) {
  const std::string body = "  read _ fixed u3 !0\n  align\n  check (eq (remaining) 0) !13\n";
  EXPECT_EQ(run(program("bits_lsb", "", body), {1}), ok({}, 1));
  EXPECT_EQ(run(program("bits_lsb", "", body), {1, 2}), refused("trailing_bytes", 8));
}

TEST(Interp, BrokenPromisesAreReportedNotObeyed) {
  EXPECT_EQ(run(program("bytes", "array u8 \"a\" 4\n", "  slot u8 \"i\"\n  read %0 fixed u8 !0\n  set_elem 0 %0 1\n  emit (elem 0 %0) !2\n"), {4}).error,
            "broken module");
  EXPECT_EQ(run(program("bytes", "", "  slot u8 \"i\"\n  read %0 fixed u8 !0\n  emit (div 1 %0) !2\n"), {0}).error, "broken module");
}

TEST(InterpTrace, TellsEveryBit) {
  const ir::Module m = module_of(program("bits_lsb", "", "  slot u3 \"kind\"\n  read %0 fixed u3 \"kind\" !0\n  align\n"
                                                         "  literals fixed u8 count 2 !0,_,2\n  copy distance 2 length 3 !3,2\n  reject !5\n"));
  std::vector<std::string> lines;
  run(m, {5, 1, 2}, {}, [&](const interp::TraceEvent& e) {
    lines.push_back(std::to_string(static_cast<int>(e.kind)) + " " + std::string(e.name) + " @" + std::to_string(e.bit) + "+" +
                    std::to_string(e.bits) + " =" + std::to_string(e.value) + " x" + std::to_string(e.count) + " out" + std::to_string(e.output));
  });
  using Kind = interp::TraceEvent::Kind;
  const auto k = [](Kind kind) { return std::to_string(static_cast<int>(kind)); };
  EXPECT_EQ(lines, (std::vector<std::string>{k(Kind::Enter) + " main @0+0 =0 x0 out0", k(Kind::Field) + " kind @0+3 =5 x0 out0",
                                             k(Kind::Align) + "  @3+5 =0 x0 out0", k(Kind::Literals) + "  @8+16 =0 x2 out0",
                                             k(Kind::Copy) + "  @24+0 =2 x3 out2", k(Kind::Error) + " reject @24+0 =0 x0 out5"}));
}

}  // namespace
}  // namespace sluice::test
