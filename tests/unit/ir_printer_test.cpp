#include "compiler/ir/printer.h"

#include "compiler/ir/names.h"
#include "tests/unit/ir_fixture.h"

namespace sluice::test {
namespace {

// One of everything, in the printer's own spelling.
const char* const kEverything = R"(module "every \"thing\""
input bits_msb
output u8
window 32768
dictionary
arg u32 "flags" 7
global u32{0..10} "state" mutable
array u4 "lengths" 320
table u5 "order" [16 17 18]
table i8 "signed" [18446744073709551615 5]
ranges "distance" [1 2 3] [0 0 13]
code "litlen" 288 15 2 single
code "plain" 4 3 1 refuse
buffer "bwt" 900000
buffer "dictionary" 16777216
symbols "words" 255
mark "start"
assert "position_only" ""
assert "max_token_bits" "<=" 48
rule "main" 0
  slot u8 "a"
  slot i64{-5..5} "b" mutable
  slot u64 "c"
  read %0 fixed u8 "a" !0
  read _ fixed i16 be "_" !0,_,2
  read %1 computed i64 width (bit_and %0 7) !0
  read %2 varint u64 !0,3
  read %2 code u9 of 0 index 1 !0,4
  read %2 ranges u16 of 0 index (min %0 2:u8) !0
  set %1 -3:i64 "b"
  set_global $0 (add %0 5:u8{0..9})
  set_elem 0 %0{0..3} (cast:u4{1..2} %2)
  emit (table_elem{-1..4} 1 0) !1
  literals fixed u16 le count (sub:i64{-1..0} 1 %0) !0,_,1
  run (neg %1) count 3 step -1:i64 !1
  run 1 count 2 !1
  copy distance %2 length (select (eq %0 1) 2 3) !5,1
  build 0 index 1 array 0 start 0 count 19 !6,7
  build 1 table 0
  if (and (at_end) (not (aligned)))
    stop_never_written
  else
    reject !8
)";

TEST(IrPrinter, RejectsUnknownStatements) {
  std::string error;
  EXPECT_FALSE(ir::read(kEverything, &error));
  EXPECT_EQ(error, "line 41: unknown word `stop_never_written`");
}

TEST(IrPrinter, RoundTripsEverything) {
  std::string text = kEverything;
  const std::string marker = "    stop_never_written\n";
  text.replace(text.find(marker), marker.size(), "    accept \"early\"\n");
  text += R"(  loop forever !9
    stop
  loop until_end
    skip 1 !0
  loop until_outputs 5
    emit 1 !1
  loop until_cond (gt (remaining) 3)
    align zero !8
  loop times %0 -> %2
    call 1 %2 (peek 2 big) -> %2
    call 1 %2 (add (peek_bits 9) (remaining bits)) -> %2
    call 2
  within (consumed_since 0) !0,10
    producing (produced_since 0) "block" !1,11
      check (fits i8 (zigzag %2)) !12
  mark 0
  within bits (consumed_since 0 bits) !0,10
    read _ fixed u3 !0
  into 0
    emit (buffer_count 1) !1
    emit_symbol 0 index 3 !4,1
  stage inverse_mtf 0 !12
  stage inverse_mtf 1 array 0 count (add %0 1) !12
  stage inverse_bwt 0 origin %2 !12
  stage prefix_sum 0
  stage prefix_sum 0 start (buffer_elem 1 (buffer_count{1..5} 0))
  stage add 0 -1:i64
  stage gather 0 from 1 !12
  emit_buffer 0 !1
  emit_buffer 1 runs "undone" !1,11
  read_symbol 0 index %0 bytes (buffer_elem{1..8} 0 0) "word" !0
  new_window
  new_window after_dictionary
  align
  check (mul_ok (arg 0) (peek 8 little)) !12
  check (lt (checksum xxh32 output 0) (dictionary_size)) "sum" !8
rule "sub.value" 2 -> u40
  slot u8 "x"
  slot u16 "y"
  return (produced)
rule "sub.none" 0
  return
site 0 1 end_of_input "end_of_input"
site 0 2 output_full "output_full"
site 0 3 unaligned "unaligned"
site 0 4 varint_too_long "varint_too_long"
site 0 5 no_such_code "no_such_code"
site 0 6 bad_distance "bad_distance"
site 0 7 oversubscribed "oversubscribed"
site 0 8 incomplete "incomplete"
site 0 9 reject "nope"
site 0 10 no_progress "no_progress"
site 0 11 bytes_left "bytes_left"
site 0 12 output_short "output_short"
site 0 13 out_of_range "out_of_range"
)";
  std::string error;
  const std::optional<ir::Module> m = ir::read(text, &error);
  ASSERT_TRUE(m) << error;
  EXPECT_EQ(ir::verify(*m), std::vector<std::string>{});
  EXPECT_EQ(ir::print(*m), text);
}

TEST(IrPrinter, IgnoresCommentsAndBlankLines) {
  const std::string text = program("bytes", "", "  emit 1 !2\n");
  std::string noisy = "# head\n\n" + text;
  noisy.replace(noisy.find("emit 1 !2"), 9, "emit 1 !2   # one");
  std::string error;
  const auto m = ir::read(noisy, &error);
  ASSERT_TRUE(m) << error;
  EXPECT_EQ(ir::print(*m), text);
}

TEST(IrPrinter, PrintsSingleExpressions) {
  const ir::Module m = module_of(program("bytes", "", "  slot u8 \"a\"\n  read %0 fixed u8 !0\n  emit (add %0 (remaining)) !2\n"));
  EXPECT_EQ(ir::print(m, &m.rules[0], *m.rules[0].body[1]->a), "(add %0 (remaining))");
  EXPECT_EQ(ir::print(m, nullptr, *m.rules[0].body[1]->a), "(add %0:u8 (remaining))");
}

TEST(IrReader, TellsTheLine) {
  const auto error_of = [](const std::string& body) {
    std::string error;
    EXPECT_FALSE(ir::read("module \"t\"\ninput bytes\noutput u8\n" + body, &error)) << body;
    return error;
  };
  EXPECT_EQ(error_of("frob"), "line 4: unknown declaration `frob`");
  EXPECT_EQ(error_of("array u65 \"a\" 3"), "line 4: expected a type, not `u65`");
  EXPECT_EQ(error_of("code \"c\" 4 300 1 refuse"), "line 4: expected a number that fits");
  EXPECT_EQ(error_of("  mark \"m\""), "line 4: unexpected indentation");
  EXPECT_EQ(error_of("rule \"main\" 0\n  emit (frob 1)"), "line 5: unknown operator `frob`");
  EXPECT_EQ(error_of("rule \"main\" 0\n  emit (add 1 2"), "line 5: expected an operand");
  EXPECT_EQ(error_of("rule \"main\" 0\n  emit 1 2"), "line 5: unexpected text at the end of the line: `2`");
  EXPECT_EQ(error_of("rule \"main\" 0\n  emit 1 !1,2,3,4"), "line 5: a statement has at most three sites");
  EXPECT_EQ(error_of("rule \"main\" 0\n  emit 1\n    emit 2"), "line 6: the statement above takes no block");
  EXPECT_EQ(error_of("rule \"main\" 0\n  emit 1\n  else\n    stop"), "line 6: `else` without `if`");
  EXPECT_EQ(error_of("rule \"main\" 0\n  loop forever\n      stop\n    stop"), "line 7: this line is indented unlike its neighbours");
  EXPECT_EQ(error_of("buffer \"b\" 99999999999"), "line 4: expected a number that fits");
  EXPECT_EQ(error_of("rule \"main\" 0\n  stage backwards 0"), "line 5: unknown word `backwards`");
  EXPECT_EQ(error_of("rule \"main\" 0\n  stage gather 0 1"), "line 5: expected `from`");
  EXPECT_EQ(error_of("rule \"main\" 0\n  emit 99999999999999999999"), "line 5: expected an operand");
}

TEST(IrReader, SurvivesHostileNesting) {
  std::string error;
  std::string deep = "module \"t\"\nrule \"main\" 0\n  emit ";
  for (int i = 0; i < 100000; ++i) deep += "(neg ";
  EXPECT_FALSE(ir::read(deep, &error));
  EXPECT_EQ(error, "line 3: nested too deeply");
  std::string blocks = "module \"t\"\nrule \"main\" 0\n";
  for (std::size_t i = 0; i < 2000; ++i) blocks += std::string(i + 1, ' ') + "loop forever\n";
  EXPECT_FALSE(ir::read(blocks, &error));
}

TEST(IrNames, EveryWordFindsItsEnumerator) {
  for (unsigned i = 0; i <= static_cast<unsigned>(ir::Op::BufferElem); ++i) {
    const auto op = static_cast<ir::Op>(i);
    EXPECT_EQ(ir::op_named(ir::info(op).name), op);
  }
  for (unsigned i = 0; i <= static_cast<unsigned>(ir::Reason::TrailingBytes); ++i) {
    const auto reason = static_cast<ir::Reason>(i);
    EXPECT_EQ(ir::named<ir::Reason>(ir::name(reason)), reason);
  }
  for (unsigned i = 0; i <= static_cast<unsigned>(ir::Stmt::Kind::EmitSymbol); ++i) {
    const auto kind = static_cast<ir::Stmt::Kind>(i);
    EXPECT_EQ(ir::named<ir::Stmt::Kind>(ir::name(kind)), kind);
  }
  for (unsigned i = 0; i <= static_cast<unsigned>(ir::StageKind::Gather); ++i) {
    const auto stage = static_cast<ir::StageKind>(i);
    EXPECT_EQ(ir::named<ir::StageKind>(ir::name(stage)), stage);
  }
  EXPECT_EQ(ir::name(ir::Reason::TrailingBytes), "trailing_bytes");
  EXPECT_EQ(ir::name(ir::Stmt::Kind::Skip), "skip");
  EXPECT_EQ(ir::type_named("i64"), (ir::Type{64, true}));
  EXPECT_FALSE(ir::type_named("u0"));
  EXPECT_FALSE(ir::type_named("u6x"));
}

}  // namespace
}  // namespace sluice::test
