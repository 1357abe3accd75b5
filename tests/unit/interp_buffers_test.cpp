// Buffers, stages and symbols, by hand-written IR. Sites as in interp_statements_test.cpp: 0 end_of_input,
// 2 output_full, 3 bad_distance, 4 no_such_code, 5 reject, 6 out_of_range, 9 bytes_left, 10 output_short.
#include "compiler/ir/count_mode.h"
#include "compiler/ir/error_text.h"
#include "tests/unit/ir_fixture.h"

namespace sluice::test {
namespace {

const char* const kBuffers = "buffer \"b\" 8\nbuffer \"c\" 300\nmark \"m\"\n";
// Fills buffer 0 or 1 with all of the input.
const std::string kFill0 = "  into 0\n    loop until_end\n      literals fixed u8 count 1 !0,_,2\n";
const std::string kFill1 = "  into 1\n    loop until_end\n      literals fixed u8 count 1 !0,_,2\n";

std::string filled(const std::string& rest, const std::string& declarations = "", const std::string& output = "u8") {
  return program("bytes", kBuffers + declarations, kFill1 + rest, output);
}

TEST(InterpBuffers, OutputOfTheBodyGoesToTheBuffer) {
  const std::string text = program("bytes", kBuffers, "  emit 9 !2\n" + kFill0 + "  emit (produced) !2\n  emit (buffer_count 0) !2\n"
                                   "  emit_buffer 0 !2\n  emit (buffer_elem 0 1) !2\n  emit (buffer_elem 0 3) !2\n");
  EXPECT_EQ(run(text, {5, 6, 7}), ok({9, 1, 3, 5, 6, 7, 6, 0}, 3));
  EXPECT_EQ(run(text, {}), ok({9, 1, 0, 0, 0}, 0));
}

TEST(InterpBuffers, EveryIntoStartsEmpty) {
  EXPECT_EQ(run(program("bytes", kBuffers, "  into 0\n    run 1 count 3 !2\n  into 0\n    emit 7 !2\n  emit_buffer 0 !2\n"), {}), ok({7}, 0));
}

TEST(InterpBuffers, ProducedAndCopiesSeeTheBufferAlone) {
  const std::string text = program("bytes", kBuffers, "  emit 1 !2\n  emit 2 !2\n  into 0\n    emit 8 !2\n    emit (produced) !2\n"
                                   "    copy distance 2 length 3 !3,2\n  emit_buffer 0 !2\n  copy distance 7 length 1 !3,2\n");
  EXPECT_EQ(run(text, {}), ok({1, 2, 8, 1, 8, 1, 8, 1}, 0));
  EXPECT_EQ(run(program("bytes", kBuffers, "  emit 1 !2\n  into 0\n    copy distance 1 length 1 !3,2\n"), {}), refused("bad_distance", 0, {1}));
}

TEST(InterpBuffers, CopiesOfTheBufferReachNoDictionary) {
  const std::string text = program("bytes", std::string("dictionary\n") + kBuffers, "  into 0\n    copy distance 1 length 1 !3,2\n");
  EXPECT_EQ(run(text, {}, {.dictionary = {4}}), refused("bad_distance", 0));
}

TEST(InterpBuffers, TheLimitIsTheBuffers) {
  const std::string text = program("bytes", kBuffers, "  emit 9 !2\n" + kFill0 + "  emit_buffer 0 !2\n");
  EXPECT_EQ(run(text, Bytes(8, 3)), ok({9, 3, 3, 3, 3, 3, 3, 3, 3}, 8));
  EXPECT_EQ(run(text, Bytes(9, 3)), refused("output_full", 64, {9}));  // `produced` counts the chunk's output
  EXPECT_EQ(run(program("bytes", kBuffers, "  into 0\n    run 1 count 9 !2\n"), {}), refused("output_full", 0));
  EXPECT_EQ(run(text, {1, 2, 3, 4}, {.capacity = 4}), no_room(32, {9}));  // all or nothing
}

TEST(InterpBuffers, ProducingCountsTheBufferInsideAndTheChunkOutside) {
  const std::string inside = "  into 0\n    producing 3 !2,10\n      emit 1 !2\n      run 2 count 2 !2\n  emit_buffer 0 !2\n";
  EXPECT_EQ(run(program("bytes", kBuffers, inside), {}), ok({1, 2, 2}, 0));
  const std::string outside = "  producing 1 !2,10\n    into 0\n      run 2 count 5 !2\n    emit (buffer_count 0) !2\n";
  EXPECT_EQ(run(program("bytes", kBuffers, outside), {}), ok({5}, 0));
  EXPECT_EQ(run(program("bytes", kBuffers, "  into 0\n    producing 9 !2,10\n      emit 1 !2\n"), {}), refused("output_full", 0));
}

TEST(InterpBuffers, MarksInsideCountInput) {
  const std::string text = program("bytes", kBuffers, "  into 0\n    mark 0\n    literals fixed u8 count 2 !0,_,2\n    emit (consumed_since 0) !2\n"
                                                      "  emit_buffer 0 !2\n");
  EXPECT_EQ(run(text, {7, 8}), ok({7, 8, 2}, 2));
}

TEST(InterpBuffers, AcceptInsideEndsTheChunkWithItsOwnOutput) {
  const std::string text = program("bytes", kBuffers, "  emit 9 !2\n  into 0\n    run 1 count 4 !2\n    accept \"early\"\n");
  EXPECT_EQ(run(text, {}), ok({9}, 0));
}

TEST(InterpBuffers, AppendsToAnotherBuffer) {
  const std::string text = program("bytes", kBuffers, kFill0 + "  into 1\n    emit_buffer 0 !2\n    stage add 0 1\n    emit_buffer 0 !2\n"
                                                               "  emit_buffer 1 !2\n");
  EXPECT_EQ(run(text, {1, 2}), ok({1, 2, 2, 3}, 2));
}

TEST(InterpBuffers, ElementsAreOfTheOutputsType) {
  const std::string text = program("bytes", kBuffers, "  slot i64 \"v\"\n  into 0\n    emit 65535 !2\n  set %0 (buffer_elem 0 0)\n"
                                                      "  emit (neg %0) !2\n", "i16");
  EXPECT_EQ(run(text, {}), (Outcome{"", 0, 1, 0, {1, 0}}));
}

TEST(InterpStages, InverseMoveToFront) {
  EXPECT_EQ(run(filled("  stage inverse_mtf 1 !6\n  emit_buffer 1 !2\n"), {3, 0, 1, 255, 1, 2}), ok({3, 3, 0, 255, 0, 3}, 6));
  const std::string alphabet = "array u8 \"front\" 4\n";
  const std::string head = "  set_elem 0 0 65\n  set_elem 0 1 66\n  set_elem 0 2 67\n";
  const std::string stage = "  stage inverse_mtf 1 array 0 count 3 !6\n  emit_buffer 1 !2\n";
  EXPECT_EQ(run(filled(head + stage, alphabet), {2, 2, 0, 1}), ok({67, 66, 66, 67}, 4));
  EXPECT_EQ(run(filled(head + stage, alphabet), {2, 3}), refused("out_of_range", 16));
  EXPECT_EQ(run(filled(head + stage, alphabet), {}), ok({}, 0));
}

TEST(InterpStages, ElementsOfSignedTypesArePositionsByTheirBits) {
  const std::string front = program("bytes", kBuffers, "  into 0\n    emit 255 !2\n    emit 1 !2\n  stage inverse_mtf 0 !6\n  emit_buffer 0 !2\n", "i8");
  EXPECT_EQ(run(front, {}), ok({255, 0}, 0));
  const std::string gather = program("bytes", "buffer \"b\" 8\nbuffer \"c\" 300\n",
                                     "  into 1\n    run 0 count 300 step 1 !2\n  into 0\n    emit -2:i64 !2\n  stage gather 0 from 1 !6\n"
                                     "  emit_buffer 0 !2\n", "i8");
  EXPECT_EQ(run(gather, {}), ok({254}, 0));
  const std::string wide = program("bytes", kBuffers, "  into 0\n    emit -1:i64 !2\n  stage gather 0 from 1 !6\n", "i32");
  EXPECT_EQ(run(wide, {}).error, "out_of_range");
}

TEST(InterpStages, InverseBurrowsWheeler) {
  const auto undo = [](const std::string& column, unsigned origin) {
    const Outcome o = run(filled("  stage inverse_bwt 1 origin " + std::to_string(origin) + " !6\n  emit_buffer 1 !2\n"),
                          Bytes(column.begin(), column.end()));
    return o.error + std::string(o.out.begin(), o.out.end());
  };
  // Rotations of "banana", sorted: abanan, anaban, ananab, banana, nabana, nanaba; the original is row 3.
  EXPECT_EQ(undo("nnbaaa", 3), "banana");
  EXPECT_EQ(undo("nnbaaa", 0), "abanan");
  EXPECT_EQ(undo("x", 0), "x");
  EXPECT_EQ(undo("aaaa", 2), "aaaa");
  EXPECT_EQ(undo("\xff\x01", 1), "\xff\x01");  // bytes sort unsigned
  EXPECT_EQ(undo("nnbaaa", 6), "out_of_range");
  EXPECT_EQ(undo("", 0), "out_of_range");
}

TEST(InterpStages, SumsAndOffsetsWrap) {
  EXPECT_EQ(run(filled("  stage prefix_sum 1\n  emit_buffer 1 !2\n"), {1, 2, 3, 250}), ok({1, 3, 6, 0}, 4));
  EXPECT_EQ(run(filled("  stage prefix_sum 1 start 10\n  emit_buffer 1 !2\n"), {1, 2}), ok({11, 13}, 2));
  EXPECT_EQ(run(filled("  stage add 1 255\n  emit_buffer 1 !2\n"), {0, 1, 2}), ok({255, 0, 1}, 3));
  EXPECT_EQ(run(filled("  stage add 1 -1:i64\n  emit_buffer 1 !2\n", "", "i16"), {0, 1}), (Outcome{"", 0, 2, 2, {255, 255, 0, 0}}));
}

TEST(InterpStages, GatherLooksUpAnotherBuffer) {
  const std::string text = filled("  into 0\n    run 10 count 3 step 10 !2\n  stage gather 1 from 0 !6\n  emit_buffer 1 !2\n");
  EXPECT_EQ(run(text, {2, 0, 2}), ok({30, 10, 30}, 3));
  EXPECT_EQ(run(text, {2, 3}), refused("out_of_range", 16));
  EXPECT_EQ(run(text, {}), ok({}, 0));
}

TEST(InterpBuffers, ASliceIsSomeOfItsElements) {
  const auto text = [](const std::string& slice) { return filled("  emit_buffer 1 slice " + slice + " !2\n"); };
  EXPECT_EQ(run(text("from 1 count 2"), {1, 2, 3, 4}), ok({2, 3}, 4));
  EXPECT_EQ(run(text("from 0 count 4"), {1, 2, 3, 4}), ok({1, 2, 3, 4}, 4));
  EXPECT_EQ(run(text("from 4 count 0"), {1, 2, 3, 4}), ok({}, 4));
  EXPECT_EQ(run(text("from 1 count 3"), {1, 2, 3, 4}, {.capacity = 2}), no_room(32));  // all or nothing
}

TEST(InterpBuffers, ShuffledBytesComeOutInTheirElements) {
  const auto text = [](const std::string& form) { return filled("  emit_buffer 1 " + form + " !2\n"); };
  EXPECT_EQ(run(text("unshuffled size 2"), {1, 3, 5, 2, 4, 6}), ok({1, 2, 3, 4, 5, 6}, 6));
  EXPECT_EQ(run(text("unshuffled size 3"), {1, 4, 2, 5, 3, 6, 7, 8}), ok({1, 2, 3, 4, 5, 6, 7, 8}, 8));  // no whole element: as they are
  EXPECT_EQ(run(text("unshuffled size 9"), {1, 2, 3}), ok({1, 2, 3}, 3));
  EXPECT_EQ(run(text("unshuffled size 2"), {}), ok({}, 0));
  EXPECT_EQ(run(text("unshuffled size 2"), {1, 2, 3}, {.capacity = 2}), no_room(24));  // all or nothing
  // Eight elements of a byte: plane b holds bit b of each. The first element has bits 0 and 7, the last one bit 1.
  EXPECT_EQ(run(text("bit_unshuffled size 1"), {1, 0x80, 0, 0, 0, 0, 0, 1, 77}), ok({0x81, 0, 0, 0, 0, 0, 0, 2, 77}, 9));
  EXPECT_EQ(run(text("bit_unshuffled size 1"), {1, 2, 3, 4, 5, 6, 7}), ok({1, 2, 3, 4, 5, 6, 7}, 7));  // less than eight
  EXPECT_EQ(run(text("bit_unshuffled size 2"), {0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0, 0, 0, 0, 0, 0, 0}),
            ok({0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}, 16));
}

TEST(InterpBuffers, AWindowMayBeginInABuffer) {
  const std::string head = "  into 0\n    emit 1 !2\n    emit 2 !2\n    new_window\n    emit 3 !2\n";
  EXPECT_EQ(run(program("bytes", kBuffers, head + "    copy distance 1 length 2 !3,2\n  emit_buffer 0 !2\n"), {}), ok({1, 2, 3, 3, 3}, 0));
  EXPECT_EQ(run(program("bytes", kBuffers, head + "    copy distance 2 length 2 !3,2\n"), {}), refused("bad_distance", 0));
  // Behind the block it is as it was before.
  EXPECT_EQ(run(program("bytes", kBuffers, "  emit 9 !2\n" + head + "  emit 8 !2\n  copy distance 2 length 1 !3,2\n"), {}), ok({9, 8, 9}, 0));
}

TEST(InterpRegions, ARegionMayStandElsewhere) {
  const std::string body = "  slot u8 \"n\"\n  slot u8 \"at\"\n  mark 0\n  loop times 2\n    read %0 fixed u8 !0\n    read %1 fixed u8 !0\n"
                           "    within %0 at %1 since 0 !0,9\n      literals fixed u8 count (remaining) !0,_,2\n    emit (consumed_since 0) !2\n";
  const std::string text = program("bytes", kBuffers, body);
  EXPECT_EQ(run(text, {2, 5, 1, 4, 77, 88, 99}), ok({88, 99, 2, 77, 4}, 4));  // the position comes back
  EXPECT_EQ(run(text, {2, 6, 1, 4, 77, 88, 99}), refused("end_of_input", 16));
  EXPECT_EQ(run(text, {2, 0, 0, 8, 77, 88, 99}), refused("end_of_input", 32, {2, 0, 2}));
  EXPECT_EQ(run(text, {0, 7, 2, 0, 77, 88, 99}), ok({2, 0, 7, 4}, 4));
  EXPECT_EQ(run(text, {4, 0, 4, 1, 77, 88, 99}), refused("end_of_input", 32, {4, 0, 4, 1, 2}));  // together more than the input
  const std::string left = program("bytes", kBuffers, "  mark 0\n  within 2 at 1 since 0 !0,9\n    read _ fixed u8 !0\n");
  EXPECT_EQ(run(left, {1, 2, 3}), refused("bytes_left", 16));
  const std::string behind = program("bytes", kBuffers, "  mark 0\n  skip 2 !0\n  mark 1\n  within 1 at 0 since 0 !0,9\n    read _ fixed u8 !0\n"
                                     "    emit (consumed_since 1) !2\n");
  std::string two = behind;
  two.insert(two.find("mark \"m\"\n"), "mark \"before\"\n");
  EXPECT_EQ(run(two, {1, 2, 3}), ok({0}, 2));  // a mark behind the position
  const std::string bits = program("bits_lsb", kBuffers, "  slot u4 \"v\"\n  mark 0\n  within bits 4 at 6 since 0 !0,9\n    read %0 fixed u4 !0\n  emit %0 !2\n");
  EXPECT_EQ(run(bits, {0xc0, 0x02}), ok({0x0b}, 0));
}

TEST(InterpBuffers, RunsOfFourAreFollowedByTheirCount) {
  const std::string text = filled("  emit_buffer 1 runs !2,10\n");
  EXPECT_EQ(run(text, {7, 7, 7}), ok({7, 7, 7}, 3));
  EXPECT_EQ(run(text, {7, 7, 7, 7, 0}), ok({7, 7, 7, 7}, 5));
  EXPECT_EQ(run(text, {7, 7, 7, 7, 2, 7, 8}), ok({7, 7, 7, 7, 7, 7, 7, 8}, 7));
  EXPECT_EQ(run(text, {7, 7, 7, 7, 7, 7, 7, 7, 7, 1}, {.capacity = 99}), ok(Bytes(16, 7), 10));  // the run starts anew
  EXPECT_EQ(run(text, {0, 0, 0, 0, 0}), ok({0, 0, 0, 0}, 5));
  EXPECT_EQ(run(text, {1, 7, 7, 7, 7}), refused("output_short", 40));
  EXPECT_EQ(run(text, {1, 7, 7, 7, 7}, {.capacity = 0}), refused("output_short", 40));  // before output_full
  EXPECT_EQ(run(text, {7, 7, 7, 7, 2}, {.capacity = 5}), no_room(40));
  EXPECT_EQ(run(text, {7, 7, 7, 7, 2}, {.capacity = 6}), ok(Bytes(6, 7), 5));
}

const char* const kSymbols = "symbols \"words\" 4\n";

TEST(InterpSymbols, ReadAndOutput) {
  const std::string body = "  slot u8 \"n\"\n  read %0 fixed u8 !0\n  read_symbol 0 index 2 bytes (add{1..8} (bit_and{0..7} %0 7) 1) !0\n"
                           "  emit_symbol 0 index 2 !4,2\n  emit_symbol 0 index 2 !4,2\n  emit_symbol 0 index 1 !4,2\n";
  const std::string text = program("bytes", kSymbols, body);
  EXPECT_EQ(run(text, {2, 5, 6, 7}), refused("no_such_code", 32, {5, 6, 7, 5, 6, 7}));
  EXPECT_EQ(run(text, {2, 5, 6}), refused("end_of_input", 8));
  EXPECT_EQ(run(text, {2, 5, 6, 7}, {.capacity = 5}), no_room(32, {5, 6, 7}));
  EXPECT_EQ(run(text, {7, 1, 2, 3, 4, 5, 6, 7, 8}).produced, 16u);
}

TEST(InterpSymbols, ALaterReadReplacesTheEntryAndIntoTakesSymbols) {
  const std::string body = "  read_symbol 0 index 3 bytes 2 !0\n  read_symbol 0 index 3 bytes 1 !0\n  into 0\n    emit_symbol 0 index 3 !4,2\n"
                           "    emit_symbol 0 index 3 !4,2\n  emit_buffer 0 !2\n";
  EXPECT_EQ(run(program("bytes", std::string(kSymbols) + kBuffers, body), {1, 2, 3}), ok({3, 3}, 3));
}

TEST(InterpSymbols, BitStreamsGiveBytesInTheirOrder) {
  const std::string body = "  read _ fixed u8 !0\n  read_symbol 0 index 0 bytes 2 !0\n  emit_symbol 0 index 0 !4,2\n";
  EXPECT_EQ(run(program("bits_msb", kSymbols, body), {0, 0x12, 0x34}), ok({0x12, 0x34}, 3));
  EXPECT_EQ(run(program("bits_lsb", kSymbols, body), {0, 0x12, 0x34}), ok({0x12, 0x34}, 3));
}

TEST(InterpSymbols, BrokenPromisesAreReportedNotObeyed) {
  for (const char* body : {"  emit_symbol 0 index (remaining) !4,2\n", "  read_symbol 0 index (remaining) bytes 1 !0\n",
                           "  read_symbol 0 index 0 bytes 0 !0\n", "  read_symbol 0 index 0 bytes 9 !0\n",
                           "  read _ fixed u3 !0\n  read_symbol 0 index 0 bytes 1 !0\n"}) {
    EXPECT_EQ(run(program("bits_lsb", kSymbols, body), Bytes(20, 0)).error, "broken module") << body;
  }
}

TEST(InterpRegions, WithinBits) {
  const std::string body = "  slot u8 \"n\"\n  slot u8 \"v\"\n  read %0 fixed u8 !0\n  mark 0\n  within bits %0 !0,9\n    loop until_end\n"
                           "      read %1 fixed u3 !0\n      emit %1 !2\n  emit (consumed_since 0 bits) !2\n  emit (consumed_since 0) !2\n";
  const std::string text = program("bits_lsb", kBuffers, body);
  EXPECT_EQ(run(text, {9, 0b10'011'001, 0b1}), ok({1, 3, 6, 9, 1}, 3));
  EXPECT_EQ(run(text, {0}), ok({0, 0}, 1));
  EXPECT_EQ(run(text, {17, 0, 0}), refused("end_of_input", 8));
  EXPECT_EQ(run(text, {10, 0, 0}), refused("end_of_input", 8 + 9, {0, 0, 0}));  // one bit of three is left in the region
  EXPECT_EQ(run(program("bits_lsb", "", "  within bits 5 !0,9\n    read _ fixed u3 !0\n"), {0}), refused("bytes_left", 3));
}

TEST(InterpBuffers, CountModeFillsBuffers) {
  const auto count = [](const std::string& text, const Bytes& in) {
    const ir::Module m = module_of(text);
    EXPECT_TRUE(ir::count_plan(m).countable);
    return outcome_of(m, interp::count(m, in));
  };
  // Runs of what a stage has made of the buffer decide the size.
  const std::string text = filled("  stage inverse_mtf 1 !6\n  emit_buffer 1 runs !2,10\n  if (eq (buffer_elem 1 0) 7)\n    emit 1 !2\n");
  const Bytes in{7, 0, 0, 0, 1};  // 7 7 7 7 0
  EXPECT_EQ(count(text, in), (Outcome{"", 0, 5, 5, {}}));
  EXPECT_EQ(run(text, in), ok({7, 7, 7, 7, 1}, 5));
  EXPECT_EQ(count(program("bytes", kBuffers, "  into 0\n    run 1 count 9 !2\n"), {}).error, "output_full");
  EXPECT_EQ(count(program("bytes", kBuffers, "  emit 3 !2\n  into 0\n    emit 5 !2\n    copy distance 1 length 2 !3,2\n  emit_buffer 0 !2\n"), {}).produced, 4u);
}

TEST(InterpBuffers, OutputValuesInABufferMayNotSteer) {
  const std::string value = "  slot u32 \"v\"\n  emit 1 !2\n  set %0 (checksum crc32 output 0)\n";
  const std::string fill = value + "  into 0\n    emit %0 !2\n";
  const auto countable = [](const std::string& body) { return ir::count_plan(module_of(program("bytes", kBuffers, body))).countable; };
  EXPECT_TRUE(countable(fill + "  emit_buffer 0 !2\n"));
  EXPECT_FALSE(countable(fill + "  emit_buffer 0 runs !2,10\n"));
  EXPECT_FALSE(countable(fill + "  stage inverse_mtf 0 !6\n"));
  EXPECT_FALSE(countable(fill + "  stage gather 0 from 1 !6\n"));
  EXPECT_TRUE(countable(fill + "  stage prefix_sum 0\n"));
  EXPECT_FALSE(countable(fill + "  if (eq (buffer_elem 0 0) 1)\n    emit 1 !2\n"));
  EXPECT_TRUE(countable(fill + "  check (eq (buffer_elem 0 0) 1) !5\n"));
  EXPECT_FALSE(countable(fill + "  into 1\n    emit_buffer 0 !2\n  emit_buffer 1 runs !2,10\n"));
  EXPECT_FALSE(countable(value + "  into 1\n    emit 1 !2\n  stage add 1 %0\n  emit_buffer 1 runs !2,10\n"));
  EXPECT_FALSE(countable(value + "  stage inverse_bwt 1 origin %0 !6\n"));
  EXPECT_TRUE(countable(value + "  emit %0 !2\n  into 0\n    emit 5 !2\n  emit_buffer 0 runs !2,10\n"));
}

TEST(InterpBuffers, ARuleThatFillsIsFollowedWhenCounting) {
  std::string text = program("bytes", kBuffers, "  slot u32 \"v\"\n  set %0 (checksum crc32 output 0)\n  into 0\n    call 1 %0\n"
                                                "  emit_buffer 0 runs !2,10\n");
  text.insert(text.find("site"), "rule \"r\" 1\n  slot u32 \"x\"\n  emit %0 !2\n");
  EXPECT_FALSE(ir::count_plan(module_of(text)).countable);
}

TEST(InterpTrace, TellsBuffersStagesAndSymbols) {
  const ir::Module m = module_of(program("bytes", std::string(kSymbols) + kBuffers,
                                         "  read_symbol 0 index 1 bytes 2 !0\n  into 0\n    emit_symbol 0 index 1 !4,2\n"
                                         "  stage add 0 1\n  emit_buffer 0 !2\n"));
  std::vector<std::string> lines;
  run(m, {5, 6}, {}, [&](const interp::TraceEvent& e) {
    using Kind = interp::TraceEvent::Kind;
    const char* kind = e.kind == Kind::Symbol ? "symbol" : e.kind == Kind::Into ? "into" : e.kind == Kind::Filled ? "filled"
                       : e.kind == Kind::Stage ? "stage" : e.kind == Kind::Buffer ? "buffer" : "other";
    lines.push_back(std::string(kind) + " " + std::string(e.name) + " @" + std::to_string(e.bit) + "+" + std::to_string(e.bits) + " =" +
                    std::to_string(e.value) + " x" + std::to_string(e.count) + (e.into != nullptr ? " into" : ""));
  });
  EXPECT_EQ(lines, (std::vector<std::string>{"other main @0+0 =0 x0", "symbol words @0+16 =1 x2", "into b @16+0 =0 x0",
                                             "symbol words @16+0 =1 x2 into", "filled b @16+0 =0 x2 into", "stage b @16+0 =0 x2",
                                             "buffer b @16+0 =2 x2", "other main @16+0 =0 x0"}));
}

TEST(IrErrorText, TellsOfBuffersStagesAndSymbols) {
  const ir::Module m = module_of(program("bits_lsb", std::string(kSymbols) + kBuffers,
                                         "  stage inverse_bwt 0 origin 0 !6\n  emit_buffer 0 runs !2,10\n  read_symbol 0 index 0 bytes 1 !0\n"
                                         "  emit_symbol 0 index 0 !4,2\n  within bits 3 !0,9\n"));
  const auto text = [&](std::uint32_t site) { return ir::describe(m, SourceSet{}, ir::error_word(m.sites[site], 8), 0); };
  EXPECT_EQ(text(6), "main, clause 7: `stage inverse_bwt` meets a position or an index that is not there at bit 8 of chunk 0");
  EXPECT_EQ(text(10), "main, clause 11: the last run of `emit runs` lacks its count at bit 8 of chunk 0");
  EXPECT_EQ(text(4), "main, clause 5: the input gave no bytes for this entry of `symbol` at bit 8 of chunk 0");
  EXPECT_EQ(text(9), "main, clause 10: bits of the `within` region are left over at bit 8 of chunk 0");
  EXPECT_EQ(text(0), "main, clause 1: the input ends inside a symbol at bit 8 of chunk 0");
}

}  // namespace
}  // namespace sluice::test
