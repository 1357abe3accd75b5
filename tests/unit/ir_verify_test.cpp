#include "compiler/ir/verify.h"

#include "tests/unit/ir_fixture.h"

namespace sluice::test {
namespace {

using Problems = std::vector<std::string>;

Problems problems(const std::string& text) {
  std::string error;
  const std::optional<ir::Module> m = ir::read(text, &error);
  EXPECT_TRUE(m) << error;
  return m ? ir::verify(*m) : Problems{};
}
Problems in_body(const std::string& body, const std::string& declarations = "", const std::string& input = "bits_lsb") {
  return problems(program(input, declarations, body));
}

TEST(IrVerify, References) {
  EXPECT_EQ(in_body("  emit %0 !2\n"), Problems{"rule main: emit: local refers to nothing"});
  EXPECT_EQ(in_body("  emit $3 !2\n"), Problems{"rule main: emit: global refers to nothing"});
  EXPECT_EQ(in_body("  emit (elem 0 1) !2\n"), Problems{"rule main: emit: elem refers to nothing"});
  EXPECT_EQ(in_body("  set %1 2 \"x\"\n"), Problems{"rule main: set `x`: writes a slot that is not there"});
  EXPECT_EQ(in_body("  mark 0\n"), Problems{"rule main: mark: names a mark that is not there"});
  EXPECT_EQ(in_body("  call 3\n"), Problems{"rule main: call: calls a rule that is not there"});
  EXPECT_EQ(in_body("  emit 1 !99\n"), Problems{"rule main: emit: names a site that is not there"});
  EXPECT_EQ(in_body("  emit (checksum crc32 output 0) !2\n"), Problems{"rule main: emit: checksum refers to nothing"});
}

TEST(IrVerify, OperandsAndTypes) {
  EXPECT_EQ(in_body("  emit (add 1) !2\n"), Problems{"rule main: emit: add has a wrong number of operands"});
  EXPECT_EQ(in_body("  if 1\n    emit 1 !2\n"), Problems{"rule main: if: the condition is not a bool"});
  EXPECT_EQ(in_body("  emit (not 1) !2\n"), Problems{"rule main: emit: not of something that is not a bool"});
  EXPECT_EQ(in_body("  emit (eq:u8 1 2) !2\n"), Problems{"rule main: emit: eq must have type u1"});
  EXPECT_EQ(in_body("  emit (lt 1 -1:i64) !2\n"), Problems{"rule main: emit: lt mixes signed and unsigned operands"});
  EXPECT_EQ(in_body("  emit (lt 1 1:i64) !2\n"), Problems{});
  EXPECT_EQ(in_body("  emit 300:u8 !2\n"), Problems{"rule main: emit: const has a range outside its type"});
  EXPECT_EQ(in_body("  emit 3{4..5} !2\n"), Problems{"rule main: emit: constant outside its range"});
  EXPECT_EQ(in_body("  emit (peek 9 big) !2\n"), Problems{"rule main: emit: peek of 0 or more than 8 bytes"});
  EXPECT_EQ(in_body("  emit (peek_bits 65) !2\n"), Problems{"rule main: emit: peek of 0 or more than 64 bits"});
  EXPECT_EQ(in_body("  emit (peek_bits 3) !2\n", "", "bytes"), Problems{"rule main: emit: peek of bits in a stream of bytes"});
  EXPECT_EQ(in_body("  run 1 !2\n"), Problems{"rule main: run: lacks its count"});
}

TEST(IrVerify, Sites) {
  EXPECT_EQ(in_body("  emit 1\n"), Problems{"rule main: emit: lacks its site for output_full"});
  EXPECT_EQ(in_body("  emit 1 !0\n"), Problems{"rule main: emit: has a site of reason end_of_input where output_full belongs"});
  EXPECT_EQ(in_body("  read _ varint u8 !0\n"), Problems{"rule main: read: lacks its site for varint_too_long"});
  EXPECT_EQ(in_body("  check (at_end)\n"), Problems{"rule main: check: lacks its site"});
  EXPECT_EQ(in_body("  align zero\n"), Problems{"rule main: align: lacks its site for reject"});
  const std::string code = "array u4 \"a\" 4\ntable u4 \"t\" [1 1]\ncode \"c\" 4 3 1 refuse\n";
  EXPECT_EQ(in_body("  build 0 array 0 start 0 count 4 !7\n", code), Problems{"rule main: build: lacks its site for incomplete"});
  EXPECT_EQ(in_body("  build 0 table 0\n", code), Problems{});
  EXPECT_EQ(problems("module \"t\"\nrule \"main\" 0\nsite 0 1 reject \"a\"\nsite 0 1 reject \"b\"\nsite 0 0 reject \"c\"\n"),
            (Problems{"module t: site `b` shares its rule and clause with another", "module t: site `c` has a clause number out of range"}));
}

TEST(IrVerify, StopAndReturnStayInside) {
  EXPECT_EQ(in_body("  stop\n"), Problems{"rule main: stop: stands in no loop, or would leave a region"});
  EXPECT_EQ(in_body("  loop forever\n    within 1 !0,9\n      stop\n").size(), 1u);
  EXPECT_EQ(in_body("  within 1 !0,9\n    loop forever\n      stop\n"), Problems{});
  EXPECT_EQ(in_body("  producing 1 !2,10\n    return\n"), Problems{"rule main: return: would leave a region"});
  EXPECT_EQ(in_body("  return 1\n"), Problems{"rule main: return: the rule has no result"});
}

TEST(IrVerify, DefinitionBeforeUse) {
  const std::string slots = "  slot u8 \"v\"\n  slot u8 \"n\"\n";
  const Problems unset{"rule main: %1 `n` may be used before it is set"};
  EXPECT_EQ(in_body(slots + "  emit %1 !2\n"), unset);
  EXPECT_EQ(in_body(slots + "  read %0 fixed u8 !0\n  if (eq %0 1)\n    set %1 2\n  emit %1 !2\n"), unset);
  EXPECT_EQ(in_body(slots + "  read %0 fixed u8 !0\n  if (eq %0 1)\n    set %1 2\n  else\n    reject !5\n  emit %1 !2\n"), Problems{});
  EXPECT_EQ(in_body(slots + "  loop times 3 -> %0\n    set %1 2\n  emit %1 !2\n"), unset);
  EXPECT_EQ(in_body(slots + "  loop forever\n    set %1 2\n    stop\n  emit %1 !2\n"), Problems{});
  EXPECT_EQ(in_body(slots + "  loop forever\n    if (at_end)\n      stop\n    set %1 2\n  emit %1 !2\n"), unset);
  EXPECT_EQ(in_body(slots + "  within 1 !0,9\n    read %1 fixed u8 !0\n  emit %1 !2\n"), Problems{});
}

TEST(IrVerify, Rules) {
  const std::string head = "module \"t\"\ninput bytes\noutput u8\nrule \"main\" 0\n  call 1 1\n";
  EXPECT_EQ(problems(head + "rule \"r\" 1\n  slot u8 \"p\"\n  call 1 %0\n"), Problems{"rule r: calls itself"});
  EXPECT_EQ(problems(head + "rule \"r\" 0\n"), Problems{"rule main: call: passes a wrong number of arguments to `r`"});
  EXPECT_EQ(problems(head + "rule \"r\" 1 -> u8\n  slot u8 \"p\"\n  if (eq %0 1)\n    return 2\n"),
            Problems{"rule r: the rule may end without returning its result"});
  EXPECT_EQ(problems(head + "rule \"r\" 2\n  slot u8 \"p\"\n"),
            (Problems{"rule main: call: passes a wrong number of arguments to `r`", "rule r: more parameters than slots"}));
  EXPECT_EQ(problems("module \"t\"\n"), Problems{"module t: there is no rule"});
}

TEST(IrVerify, Declarations) {
  EXPECT_EQ(in_body("", "table u8 \"t\" []\n"), Problems{"module t: table `t` is empty"});
  EXPECT_EQ(in_body("", "ranges \"r\" [1 2] [0]\n"), Problems{"module t: ranges `r` needs as many extras as bases"});
  EXPECT_EQ(in_body("", "ranges \"r\" [1] [65]\n"), Problems{"module t: ranges `r` reads more than 64 bits"});
  EXPECT_EQ(in_body("", "code \"c\" 4 21 1 refuse\n"), Problems{"module t: code `c` has a bad longest length"});
  EXPECT_EQ(in_body("", "code \"c\" 0 3 1 refuse\n"), Problems{"module t: code `c` has too few or too many symbols"});
  EXPECT_EQ(in_body("  read _ fixed u16 !0\n", "", "bytes"), Problems{"rule main: read: reads bits, or bytes without an order, from bytes"});
  EXPECT_EQ(in_body("  new_window after_dictionary\n"), Problems{"rule main: new_window: there is no preset dictionary"});
}

const std::string kBuffers = "array u8 \"list\" 4\nbuffer \"b\" 8\nbuffer \"c\" 8\nsymbols \"words\" 4\nmark \"m\"\n";
Problems with_buffers(const std::string& body, const std::string& output = "u8", const std::string& declarations = kBuffers) {
  return problems(program("bits_lsb", declarations, body, output));
}

TEST(IrVerify, BufferDeclarations) {
  EXPECT_EQ(in_body("", "buffer \"b\" 0\n"), Problems{"module t: buffer `b` has a limit out of range"});
  EXPECT_EQ(in_body("", "buffer \"b\" 16777217\n"), Problems{"module t: buffer `b` has a limit out of range"});
  EXPECT_EQ(in_body("", "buffer \"b\" 16777216\nsymbols \"s\" 65536\n"), Problems{});
  EXPECT_EQ(in_body("", "symbols \"s\" 0\n"), Problems{"module t: symbols `s` has too few or too many entries"});
  EXPECT_EQ(with_buffers("", "u16", "symbols \"s\" 4\n"), Problems{"module t: symbols `s` needs byte outputs"});
}

TEST(IrVerify, BufferReferencesAndOperands) {
  EXPECT_EQ(with_buffers("  into 2\n    emit 1 !2\n"), Problems{"rule main: into: names a buffer that is not there"});
  EXPECT_EQ(with_buffers("  emit_buffer 2 !2\n"), Problems{"rule main: emit_buffer: names a buffer that is not there"});
  EXPECT_EQ(with_buffers("  stage add 2 1\n"), Problems{"rule main: stage: names a buffer that is not there"});
  EXPECT_EQ(with_buffers("  stage inverse_mtf 0 array 1 count 3 !6\n"), Problems{"rule main: stage: names an alphabet that is not there"});
  EXPECT_EQ(with_buffers("  stage inverse_mtf 0 array 0 !6\n"), Problems{"rule main: stage: lacks its count"});
  EXPECT_EQ(with_buffers("  stage inverse_bwt 0 !6\n"), Problems{"rule main: stage: lacks its origin"});
  EXPECT_EQ(with_buffers("  stage gather 0 from 2 !6\n"), Problems{"rule main: stage: names a buffer that is not there"});
  EXPECT_EQ(with_buffers("  stage gather 0 from 0 !6\n"), Problems{"rule main: stage: gathers a buffer from itself"});
  EXPECT_EQ(with_buffers("  read_symbol 1 index 0 bytes 1 !0\n"), Problems{"rule main: read_symbol: names symbols that are not there"});
  EXPECT_EQ(with_buffers("  read_symbol 0 index 0 !0\n"), Problems{"rule main: read_symbol: lacks its size"});
  EXPECT_EQ(with_buffers("  emit_symbol 1 index 0 !4,2\n"), Problems{"rule main: emit_symbol: names symbols that are not there"});
  EXPECT_EQ(with_buffers("  emit (buffer_count 2) !2\n"), Problems{"rule main: emit: buffer_count refers to nothing"});
  EXPECT_EQ(with_buffers("  emit (buffer_elem 0) !2\n"), Problems{"rule main: emit: buffer_elem has a wrong number of operands"});
  EXPECT_EQ(in_body("  within bits 3 !0,9\n", "", "bytes"), Problems{"rule main: within: counts the bits of a byte stream"});
}

TEST(IrVerify, BufferSites) {
  EXPECT_EQ(with_buffers("  stage inverse_mtf 0\n"), Problems{"rule main: stage: lacks its site for out_of_range"});
  EXPECT_EQ(with_buffers("  stage inverse_bwt 0 origin 1 !2\n"), Problems{"rule main: stage: has a site of reason output_full where out_of_range belongs"});
  EXPECT_EQ(with_buffers("  stage gather 0 from 1\n"), Problems{"rule main: stage: lacks its site for out_of_range"});
  EXPECT_EQ(with_buffers("  stage prefix_sum 0\n  stage add 0 1\n"), Problems{});
  EXPECT_EQ(with_buffers("  emit_buffer 0\n"), Problems{"rule main: emit_buffer: lacks its site for output_full"});
  EXPECT_EQ(with_buffers("  emit_buffer 0 runs !2\n"), Problems{"rule main: emit_buffer: lacks its site for output_short"});
  EXPECT_EQ(with_buffers("  read_symbol 0 index 0 bytes 1\n"), Problems{"rule main: read_symbol: lacks its site for end_of_input"});
  EXPECT_EQ(with_buffers("  emit_symbol 0 index 0 !4\n"), Problems{"rule main: emit_symbol: lacks its site for output_full"});
}

TEST(IrVerify, BytesOnlyStages) {
  const std::string buffers = "buffer \"b\" 8\n";
  EXPECT_EQ(with_buffers("  stage inverse_bwt 0 origin 0 !6\n", "u16", buffers), Problems{"rule main: stage: sorts something that is not a byte"});
  EXPECT_EQ(with_buffers("  emit_buffer 0 unshuffled size 2 !2\n", "u16", buffers),
            Problems{"rule main: emit_buffer: unshuffles something that is not a byte"});
  EXPECT_EQ(with_buffers("  emit_buffer 0 bit_unshuffled !2\n", "u8", buffers), Problems{"rule main: emit_buffer: lacks its size"});
  EXPECT_EQ(with_buffers("  emit_buffer 0 size 3 !2\n", "u8", buffers), Problems{"rule main: emit_buffer: has a size that nothing needs"});
  EXPECT_EQ(with_buffers("  emit_buffer 0 slice from 3 !2\n", "u16", buffers), Problems{"rule main: emit_buffer: lacks its count"});
  EXPECT_EQ(with_buffers("  emit_buffer 0 count 3 !2\n", "u8", buffers), Problems{"rule main: emit_buffer: has a count that nothing needs"});
  EXPECT_EQ(with_buffers("  within 1 at 2 since 7 !0,9\n", "u8", buffers), Problems{"rule main: within: names a mark that is not there"});
  EXPECT_EQ(with_buffers("  emit_buffer 0 runs !2,10\n", "u16", buffers), Problems{"rule main: emit_buffer: expands runs of something that is not a byte"});
  EXPECT_EQ(with_buffers("  stage inverse_mtf 0 !6\n", "u16", buffers), Problems{"rule main: stage: moves something that is not a byte to the front"});
  EXPECT_EQ(with_buffers("  stage inverse_bwt 0 origin 0 !6\n", "i8", buffers), Problems{});
}

TEST(IrVerify, NothingStrangeWhileABufferIsFilled) {
  const std::string into = "  into 0\n";
  EXPECT_EQ(with_buffers(into + "    into 1\n      emit 1 !2\n"), Problems{"rule main: into: fills a buffer while another is filled"});
  EXPECT_EQ(with_buffers(into + "    stage add 0 1\n"), Problems{"rule main: stage: uses `b` while it is filled"});
  EXPECT_EQ(with_buffers(into + "    stage gather 1 from 0 !6\n"), Problems{"rule main: stage: uses `b` while it is filled"});
  EXPECT_EQ(with_buffers(into + "    emit_buffer 0 !2\n"), Problems{"rule main: emit_buffer: uses `b` while it is filled"});
  EXPECT_EQ(with_buffers(into + "    emit_buffer 1 !2\n    stage gather 1 from 1 !6\n").size(), 1u);
  EXPECT_EQ(with_buffers(into + "    new_window\n"), Problems{});
  EXPECT_EQ(with_buffers(into + "    emit (checksum crc32 output 0) !2\n"),
            Problems{"rule main: emit: takes a checksum of the output while a buffer is filled"});
  EXPECT_EQ(with_buffers(into + "    emit (checksum crc32 input 0) !2\n"), Problems{});
  EXPECT_EQ(with_buffers(into + "    emit (buffer_count 0) !2\n"), Problems{"rule main: emit: uses `b` while it is filled"});
  EXPECT_EQ(with_buffers(into + "    emit (add 1 (buffer_elem 0 1)) !2\n"), Problems{"rule main: emit: uses `b` while it is filled"});
  EXPECT_EQ(with_buffers(into + "    emit (add (buffer_count 1) (buffer_elem 1 1)) !2\n"), Problems{});
  EXPECT_EQ(with_buffers(into + "    emit (produced_since 0) !2\n"), Problems{"rule main: emit: counts output since a mark while a buffer is filled"});
  const Problems marked{"rule main: emit: counts output since a mark that is set while a buffer is filled"};
  EXPECT_EQ(with_buffers(into + "    mark 0\n  emit (produced_since 0) !2\n"), marked);
  EXPECT_EQ(with_buffers("  emit (checksum crc32 output 0) !2\n" + into + "    mark 0\n"), marked);
  EXPECT_EQ(with_buffers(into + "    mark 0\n    emit (consumed_since 0) !2\n  emit (consumed_since 0) !2\n"), Problems{});
  EXPECT_EQ(with_buffers("  loop forever\n    into 0\n      stop\n"), Problems{"rule main: stop: stands in no loop, or would leave a region"});
  EXPECT_EQ(with_buffers(into + "    return\n"), Problems{"rule main: return: would leave a region"});
  EXPECT_EQ(with_buffers(into + "    accept \"done\"\n"), Problems{});
}

TEST(IrVerify, CallsAreFollowedWhileABufferIsFilled) {
  const auto called = [](const std::string& main, const std::string& rule) {
    std::string text = program("bytes", kBuffers, main);
    text.insert(text.find("site"), "rule \"r\" 0\n" + rule);
    return problems(text);
  };
  EXPECT_EQ(called("  into 0\n    call 1\n", "  into 1\n    emit 1 !2\n"), Problems{"rule r: into: fills a buffer while another is filled"});
  EXPECT_EQ(called("  into 1\n    emit 1 !2\n  into 0\n    emit 1 !2\n  call 1\n", "  into 1\n    emit 1 !2\n"), Problems{});
  EXPECT_EQ(called("  into 0\n    call 1\n  call 1\n", "  new_window\n"), Problems{});
}

TEST(IrVerify, IntoDefinesWhatItsBodyDefines) {
  EXPECT_EQ(with_buffers("  slot u8 \"v\"\n  into 0\n    read %0 fixed u8 !0\n  emit %0 !2\n"), Problems{});
}

}  // namespace
}  // namespace sluice::test
