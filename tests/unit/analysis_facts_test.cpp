// Position-only, boundaries, copies, sub-streams, checks, memory, assertions.
#include "compiler/analysis/assertions.h"
#include "compiler/analysis/eval.h"
#include "compiler/analysis/explain.h"
#include "compiler/analysis/facts.h"
#include "compiler/analysis/eligibility.h"
#include "tests/unit/ir_fixture.h"

namespace sluice::test {
namespace {

using analysis::Boundaries;
using analysis::Facts;

// Facts of a module that lives as long as they do.
struct Analysed {
  ir::Module module;
  Facts facts;
  explicit Analysed(const std::string& text) : module(module_of(text)), facts(analysis::analyse(module)) {}
  const analysis::LoopFacts& loop(std::size_t i = 0) const { return facts.loops.at(i); }
};

std::string texts(const analysis::ReasonChain& chain) {
  std::string all;
  for (const auto& step : chain) all += step.text + "; ";
  return all;
}

TEST(Dependence, LengthsReadInTheStepArePositionOnly) {
  const Analysed a(program("bytes", "",
                           "  slot u8 \"n\"\n  loop until_end\n    read %0 fixed u8 \"n\" !0\n    if (lt %0 128)\n     "
                           " literals fixed u8 count (add{1..128} %0 1) !0,_,2\n    else\n      run 0 count %0 !2\n"));
  EXPECT_TRUE(a.loop().dependence.position_only) << texts(a.loop().dependence.position_only_why);
  EXPECT_TRUE(a.loop().dependence.outputs_position_only);
}

TEST(Dependence, ACarriedLocalBreaksIt) {
  const Analysed a(program(
      "bytes", "",
      "  slot u8 \"n\"\n  slot u8 \"last\" mutable\n  set %1 0 \"last\"\n  loop until_end\n    read %0 fixed u8 \"n\" "
      "!0\n    if (eq %1 3)\n      read _ fixed u8 \"more\" !0\n    emit %0 !2\n    set %1 %0 \"last\"\n"));
  const auto& d = a.loop().dependence;
  EXPECT_FALSE(d.position_only);
  EXPECT_EQ(
      texts(d.position_only_why),
      "the condition decides what is read next, or whether anything is; `last` carries a value from step to step; ");
}

TEST(Dependence, ACarriedValueThatOnlyReachesTheOutputIsFine) {
  const Analysed a(program("bytes", "",
                           "  slot u8 \"n\"\n  slot u8 \"sum\" mutable\n  set %1 0\n  loop until_end\n    read %0 "
                           "fixed u8 !0\n    set %1 (bit_and{0..255} (add %0 %1) 255)\n    emit %1 !2\n"));
  EXPECT_TRUE(a.loop().dependence.position_only);
  EXPECT_TRUE(a.loop().dependence.outputs_position_only);
}

TEST(Dependence, ARunOfCarriedLengthBreaksOnlyTheOutputs) {
  const Analysed a(program("bytes", "",
                           "  slot u8 \"n\"\n  slot u8 \"last\" mutable\n  set %1 0\n  loop until_end\n    read %0 "
                           "fixed u8 !0\n    run 5 count %1 !2\n    set %1 %0\n"));
  EXPECT_TRUE(a.loop().dependence.position_only);
  EXPECT_FALSE(a.loop().dependence.outputs_position_only);
}

TEST(Dependence, ProducedInAConditionBreaksItInACheckDefersIt) {
  const Analysed control(program("bytes", "",
                                 "  slot u8 \"n\"\n  loop until_end\n    read %0 fixed u8 !0\n    if (gt (produced) "
                                 "100)\n      stop\n    emit %0 !2\n"));
  EXPECT_FALSE(control.loop().dependence.position_only);
  const Analysed check(program("bytes", "",
                               "  slot u8 \"n\"\n  loop until_end\n    read %0 fixed u8 !0\n    check (lt (produced) "
                               "100) !5\n    emit %0 !2\n"));
  EXPECT_TRUE(check.loop().dependence.position_only);
  EXPECT_FALSE(check.loop().dependence.deferred_checks.empty());
}

TEST(Dependence, AMarkOfTheStepIsRelativeUnlessCountsAreCarried) {
  const std::string since = "    if (gt (produced_since 0) 3)\n      read _ fixed u8 !0\n";
  const Analysed own(program(
      "bytes", "mark \"m\"\n",
      "  slot u8 \"n\"\n  loop until_end\n    mark 0\n    read %0 fixed u8 !0\n    run 0 count %0 !2\n" + since));
  EXPECT_TRUE(own.loop().dependence.position_only) << texts(own.loop().dependence.position_only_why);
  const Analysed before(
      program("bytes", "mark \"m\"\n",
              "  slot u8 \"n\"\n  mark 0\n  loop until_end\n    read %0 fixed u8 !0\n    run 0 count %0 !2\n" + since));
  EXPECT_FALSE(before.loop().dependence.position_only);
  const Analysed carried(program("bytes", "mark \"m\"\n",
                                 "  slot u8 \"n\"\n  slot u8 \"k\" mutable\n  set %1 0\n  loop until_end\n    mark 0\n "
                                 "   read %0 fixed u8 !0\n    run 0 count %1 !2\n    set %1 %0\n" +
                                     since));
  EXPECT_FALSE(carried.loop().dependence.position_only);
}

TEST(Dependence, CalleesAndTheirGlobalsAreFollowed) {
  std::string text =
      program("bytes", "global u8 \"g\"\n",
              "  slot u8 \"v\"\n  loop until_end\n    call 1 3 -> %0\n    literals fixed u8 count %0 !0,_,2\n");
  text.insert(text.find("site"),
              "rule \"r\" 1 -> u8\n  slot u8 \"p\"\n  slot u8 \"x\"\n  read %1 fixed u8 !0\n  if (eq $0 0)\n    "
              "set_global $0 %1\n  return (select{0..255} (eq $0 0) %0 %1)\n");
  const Analysed a(text);
  EXPECT_FALSE(a.loop().dependence.position_only);
  EXPECT_NE(texts(a.loop().dependence.position_only_why).find("`g` carries a value"), std::string::npos);
}

TEST(Dependence, ACodeBuiltBeforeTheLoopIsConstantInsideIsNot) {
  const std::string decls = "array u4 \"lengths\" 4\ncode \"c\" 4 3 1 accept\n";
  const std::string use = "    read %0 code u2 of 0 !0,4\n    emit %0 !2\n";
  const Analysed constant(
      program("bits_lsb", decls, "  slot u2 \"s\"\n  build 0 array 0 start 0 count 4 !7,8\n  loop forever\n" + use));
  EXPECT_TRUE(constant.loop().dependence.position_only);
  const Analysed adaptive(program(
      "bits_lsb", decls,
      "  slot u2 \"s\"\n  loop forever\n    build 0 array 0 start 0 count 4 !7,8\n" + use + "    set_elem 0 %0 1\n"));
  EXPECT_FALSE(adaptive.loop().dependence.position_only);
}

TEST(Dependence, AChecksumThatSteersIsNotSizeKnown) {
  const Analysed checked(program(
      "bytes", "mark \"m\"\n",
      "  slot u32 \"c\"\n  emit 1 !2\n  read %0 fixed u32 le !0\n  check (eq %0 (checksum crc32 output 0)) !5\n"));
  EXPECT_TRUE(checked.facts.output_size_known);
  const Analysed steered(program("bytes", "mark \"m\"\n",
                                 "  slot u32 \"c\"\n  emit 1 !2\n  read %0 fixed u32 le !0\n  if (eq %0 (checksum "
                                 "crc32 output 0))\n    emit 2 !2\n"));
  EXPECT_FALSE(steered.facts.output_size_known);
}

TEST(Boundaries, EscapeByteIsATwoStateAutomaton) {
  const Analysed a(program("bytes", "",
                           "  slot u8 \"c\"\n  slot u8 \"v\"\n  loop until_end\n    read %0 fixed u8 !0\n    if (eq %0 "
                           "255)\n      read %1 fixed u8 !0\n      emit %1 !2\n    else\n      emit %0 !2\n"));
  EXPECT_EQ(a.loop().boundaries.kind, Boundaries::Kind::FirstByte);
  EXPECT_EQ(a.loop().boundaries.states, 2u);
  EXPECT_EQ(a.loop().boundaries.max_bits, 16u);
}

TEST(Boundaries, FixedVarintAndScan) {
  const Analysed fixed(
      program("bits_lsb", "", "  slot u5 \"c\"\n  loop until_end\n    read %0 fixed u5 !0\n    emit %0 !2\n"));
  EXPECT_EQ(fixed.loop().boundaries.kind, Boundaries::Kind::Fixed);
  EXPECT_EQ(fixed.loop().boundaries.max_bits, 5u);
  const Analysed varint(program("bytes", "",
                                "  slot i8 \"c\"\n  slot i64 \"v\"\n  loop until_end\n    read %0 fixed i8 !0\n    if "
                                "(ge %0 0:i64)\n      read %1 varint i64 !0,1\n      run %1 count (add{3..130} %0 "
                                "3:i64) !2\n    else\n      literals varint i64 count (neg{1..128} %0) !0,1,2\n",
                                "i64"));
  EXPECT_EQ(varint.loop().boundaries.kind, Boundaries::Kind::FirstByteVarint);
  EXPECT_EQ(varint.loop().boundaries.varints, 128u);
  const Analysed scan(program("bytes", "",
                              "  slot u8 \"c\"\n  slot u8 \"n\"\n  loop until_end\n    read %0 fixed u8 \"c\" !0\n    "
                              "read %1 fixed u8 \"n\" !0\n    literals fixed u8 count %1 !0,_,2\n"));
  EXPECT_EQ(scan.loop().boundaries.kind, Boundaries::Kind::Scan);
  EXPECT_EQ(texts(scan.loop().boundaries.why), "`literals`: its length is not told by the token's first byte; ");
}

TEST(Boundaries, ACallOfARuleThatTakesNothingHasNoLength) {
  const auto kind = [](const std::string& callee) {
    std::string text =
        program("bytes", "", "  slot u8 \"c\"\n  loop until_end\n    read %0 fixed u8 !0\n    call 1 %0\n");
    text.insert(text.find("site"), "rule \"r\" 1\n  slot u8 \"n\"\n  slot u8 \"x\"\n" + callee);
    return Analysed(text).loop().boundaries.kind;
  };
  EXPECT_EQ(kind("  run 1 count %0 !2\n"), Boundaries::Kind::Fixed);
  EXPECT_EQ(kind("  read %1 fixed u8 !0\n  emit %1 !2\n"), Boundaries::Kind::Scan);
}

TEST(Boundaries, ALoopThatTakesNothingHasNoLength) {
  const auto kind = [](const std::string& inner) {
    return Analysed(program("bytes", "", "  slot u8 \"c\"\n  loop until_end\n    read %0 fixed u8 !0\n    loop times %0\n" + inner))
        .loop()
        .boundaries.kind;
  };
  EXPECT_EQ(kind("      emit 1 !2\n"), Boundaries::Kind::Fixed);
  EXPECT_EQ(kind("      skip 1 !0\n      emit 1 !2\n"), Boundaries::Kind::Scan);
  EXPECT_EQ(kind("      emit 1 !2\n      accept \"early\"\n"), Boundaries::Kind::Scan);
  // What it sets is not known behind it.
  EXPECT_EQ(kind("      set %0 (sub{0..255} %0 1)\n    if (eq %0 3)\n      skip 1 !0\n"), Boundaries::Kind::Scan);
}

TEST(CopyFacts, ReachLengthAndOverlap) {
  const std::string slots =
      "  slot u16 \"d\"\n  slot u4 \"n\"\n  read %0 fixed u16 le !0\n  read %1 fixed u4 !0\n  emit 0 !2\n";
  const Analysed a(program("bits_lsb", "", slots + "  copy distance %0 length (add{4..19} %1 4) !3,2\n"));
  EXPECT_EQ(a.facts.copies.reach, 65535u);
  EXPECT_EQ(a.facts.copies.longest, 19u);
  EXPECT_TRUE(a.facts.copies.may_overlap);
  const Analysed far(program("bits_lsb", "window 100\n",
                             slots + "  copy distance (add{19..65554} %0 19) length (add{4..19} %1 4) !3,2\n"));
  EXPECT_EQ(far.facts.copies.reach, 100u);
  EXPECT_FALSE(far.facts.copies.may_overlap);
  const Analysed none(program("bytes", "", "  emit 1 !2\n"));
  EXPECT_FALSE(none.facts.copies.any);
}

TEST(SubStreams, IndependentWithANewWindow) {
  const auto stream = [](const std::string& first) {
    return program("bytes", "",
                   "  slot u8 \"n\"\n  slot u8 \"v\"\n  loop until_end\n    read %0 fixed u8 !0\n    within %0 !0,9\n" +
                       first +
                       "      loop until_end\n        read %1 fixed u8 !0\n        copy distance 1 length %1 !3,2\n");
  };
  const Analysed dependent(stream(""));
  ASSERT_EQ(dependent.facts.sub_streams.size(), 1u);
  EXPECT_FALSE(dependent.facts.sub_streams[0].independent);
  EXPECT_EQ(dependent.facts.sub_streams[0].max_bytes, 255u);
  EXPECT_TRUE(dependent.facts.sub_streams[0].repeated);
  const Analysed independent(stream("      new_window\n"));
  EXPECT_TRUE(independent.facts.sub_streams[0].independent) << texts(independent.facts.sub_streams[0].why);
}

TEST(MemoryFacts, ArraysAndTables) {
  const std::string codes = "array u9 \"lengths\" 320\ncode \"c\" 4 10 2 accept\ncode \"wide\" 300 15 1 accept\n";
  const std::uint64_t plain = 320 * 2 + 2 * (4 * 11 + 2 * 4) + (4 * 16 + 2 * 300);
  EXPECT_EQ(Analysed(program("bits_lsb", codes, "  read _ code u2 of 0 index 1 !0,4\n")).facts.memory.bytes, plain);
  // Codes that tokens read have tables: 8 bits first for few symbols, 10 for many.
  const std::string token = "  slot u9 \"s\"\n  loop until_end\n    read %0 code u9 of ";
  EXPECT_EQ(Analysed(program("bits_lsb", codes, token + "0 index 1 !0,4\n    emit %0 !2\n")).facts.memory.bytes,
            plain + 2 * 4 * (256 + 4 * 4));
  EXPECT_EQ(Analysed(program("bits_lsb", codes, token + "1 !0,4\n    emit %0 !2\n")).facts.memory.bytes,
            plain + 4 * (1024 + 300 * 32));
  const std::string huge = "code \"huge\" 60000 20 1 accept\n";  // a table that serves codes of 13 bits
  EXPECT_EQ(Analysed(program("bits_lsb", huge, token + "0 !0,4\n    emit %0 !2\n")).facts.memory.bytes,
            4u * 21 + 120000 + 4u * (1024 + (1024u << 3)));
}

TEST(MemoryFacts, BuffersSymbolsAndTemporaries) {
  const std::string decls = "buffer \"b\" 100\nbuffer \"c\" 1000\nsymbols \"w\" 10\n";
  EXPECT_EQ(Analysed(program("bytes", decls, "  stage inverse_mtf 0 !6\n")).facts.memory.bytes, 1100u + 90);
  const Analysed sorted(program("bytes", decls, "  stage inverse_bwt 0 origin 1 !6\n"));
  EXPECT_EQ(sorted.facts.memory.bytes, 1100u + 90 + 100 * (4 + 1));
  EXPECT_EQ(sorted.facts.memory.parts.back().formula, "100 links of 4 bytes and a second buffer");
  EXPECT_EQ(Analysed(program("bytes", "buffer \"b\" 100\n", "  stage add 0 1\n", "u32")).facts.memory.bytes, 400u);
}

// What a block-sorting format does: a block of codes into a buffer, then stages, then runs.
const char* const kBlocks =
    "  slot u8 \"v\"\n  loop until_end\n    read %0 fixed u8 \"origin\" !0\n    into 0\n      loop times 5\n        read %0 "
    "fixed u8 \"v\" !0\n        emit %0 !2\n    stage inverse_mtf 0 !6\n    stage inverse_bwt 0 origin %0 !6\n    stage "
    "add 0 1\n    emit_buffer 0 runs !2,10\n";

TEST(StageFacts, FormsAndStrategies) {
  const Analysed a(program("bytes", "buffer \"b\" 100\n", kBlocks));
  std::string forms;
  for (const analysis::StageFact& stage : a.facts.stages) forms += std::string(analysis::form_text(stage)) + "; ";
  EXPECT_EQ(forms,
            "associative composition of partial lists (scan); permutation walk (list ranking); elementwise; run boundaries "
            "from an automaton of few states (scan); ");
  std::string legal;
  for (const analysis::StrategyEligibility& one : analysis::eligibility_of(a.facts))
    if (one.strategy == "scan" || one.strategy == "permute")
      legal += one.strategy + (one.legal ? " legal: " : " not legal: ") + texts(one.why);
  EXPECT_EQ(legal,
            "scan legal: `stage inverse_mtf`: associative composition of partial lists (scan); `emit runs`: run boundaries "
            "from an automaton of few states (scan); permute legal: `stage inverse_bwt`: permutation walk (list ranking); ");
  const std::string page = analysis::explain_text(a.module, a.facts, SourceSet{}, false);
  EXPECT_NE(page.find("\nStages\n  `stage inverse_mtf` of b: associative"), std::string::npos) << page;
  const std::string json = analysis::explain_json(a.module, a.facts, SourceSet{});
  EXPECT_NE(json.find("\"form\": \"permutation_walk\""), std::string::npos);
}

TEST(StageFacts, AFormatWithoutStagesHasNone) {
  const Analysed a(program("bytes", "", "  emit 1 !2\n"));
  EXPECT_TRUE(a.facts.stages.empty());
  for (const analysis::StrategyEligibility& one : analysis::eligibility_of(a.facts)) EXPECT_NE(one.strategy, "scan");
}

TEST(Dependence, WhatStaysInABufferIsNoOutputOfTheStep) {
  // How much goes to the buffer is carried; what the step outputs is one element.
  const Analysed a(program("bytes", "buffer \"b\" 100\n",
                           "  slot u8 \"n\"\n  slot u8 \"last\" mutable\n  set %1 0\n  loop until_end\n    read %0 fixed u8 "
                           "!0\n    into 0\n      run 5 count %1 !2\n    emit %0 !2\n    set %1 %0\n"));
  EXPECT_TRUE(a.loop().dependence.outputs_position_only) << texts(a.loop().dependence.outputs_why);
  const Analysed all(program("bytes", "buffer \"b\" 100\n",
                             "  slot u8 \"n\"\n  slot u8 \"last\" mutable\n  set %1 0\n  loop until_end\n    read %0 fixed u8 "
                             "!0\n    into 0\n      run 5 count %1 !2\n    emit_buffer 0 !2\n    set %1 %0\n"));
  EXPECT_TRUE(all.loop().dependence.position_only);
  EXPECT_FALSE(all.loop().dependence.outputs_position_only);
}

TEST(Dependence, BuffersFilledBeforeTheLoopAreConstantInsideAreCarried) {
  const std::string steer = "    read %0 fixed u8 !0\n    if (eq (buffer_elem 0 %0) 3)\n      read _ fixed u8 !0\n    emit %0 !2\n";
  const Analysed constant(program("bytes", "buffer \"b\" 100\n",
                                  "  slot u8 \"n\"\n  into 0\n    emit 3 !2\n  loop until_end\n" + steer));
  EXPECT_TRUE(constant.loop().dependence.position_only) << texts(constant.loop().dependence.position_only_why);
  const Analysed carried(program("bytes", "buffer \"b\" 100\n",
                                 "  slot u8 \"n\"\n  loop until_end\n" + steer + "    into 0\n      emit %0 !2\n"));
  EXPECT_FALSE(carried.loop().dependence.position_only);
  EXPECT_NE(texts(carried.loop().dependence.position_only_why).find("`b` is a buffer that steps fill"), std::string::npos);
}

TEST(Dependence, ElementsOfABufferAreValues) {
  const auto known = [](const std::string& body) {
    return Analysed(program("bytes", "buffer \"b\" 100\n", "  slot u8 \"n\"\n  into 0\n    read %0 fixed u8 !0\n    emit %0 !2\n" + body))
        .facts.output_size_known;
  };
  EXPECT_TRUE(known("  emit_buffer 0 !2\n"));
  EXPECT_TRUE(known("  run 1 count (buffer_count 0) !2\n"));
  EXPECT_FALSE(known("  emit_buffer 0 runs !2,10\n"));
  EXPECT_FALSE(known("  run 1 count (buffer_elem 0 0) !2\n"));
}

TEST(Dependence, SymbolsReadBeforeTheLoopAreConstant) {
  const std::string decls = "symbols \"w\" 256\n", code = "    read %0 fixed u8 !0\n    emit_symbol 0 index %0 !4,2\n";
  const Analysed a(program("bytes", decls, "  slot u8 \"c\"\n  read_symbol 0 index 0 bytes 2 !0\n  loop until_end\n" + code));
  EXPECT_TRUE(a.loop().dependence.outputs_position_only);
  EXPECT_EQ(a.loop().boundaries.kind, Boundaries::Kind::Fixed);
  const Analysed b(program("bytes", decls, "  slot u8 \"c\"\n  loop until_end\n" + code + "    read_symbol 0 index 0 bytes 2 !0\n"));
  EXPECT_TRUE(b.loop().dependence.position_only);
  EXPECT_FALSE(b.loop().dependence.outputs_position_only);
  EXPECT_EQ(b.loop().boundaries.max_bits, 8u + 16);
}

TEST(SubStreams, ABufferFilledInsideIsItsOwn) {
  const auto independent = [](const std::string& body) {
    const Analysed a(program("bytes", "buffer \"b\" 8\nsymbols \"w\" 4\n",
                             "  slot u8 \"n\"\n  loop until_end\n    read %0 fixed u8 !0\n    within %0 !0,9\n" + body));
    return a.facts.sub_streams.at(0).independent;
  };
  const std::string fill = "      into 0\n        emit 1 !2\n        copy distance 1 length 1 !3,2\n        emit (produced) !2\n";
  EXPECT_TRUE(independent(fill + "      stage add 0 1\n      emit_buffer 0 !2\n"));
  EXPECT_FALSE(independent("      emit_buffer 0 !2\n" + fill));
  EXPECT_FALSE(independent("      if (at_end)\n        into 0\n          emit 1 !2\n      emit (buffer_count 0) !2\n"));
  EXPECT_TRUE(independent("      emit_buffer 0 !2\n"));
  EXPECT_FALSE(independent("      emit_symbol 0 index 0 !4,2\n      read_symbol 0 index 0 bytes 1 !0\n"));
}
TEST(SubStreams, SizesInBitsAreRoundedUp) {
  const Analysed a(program("bits_lsb", "", "  slot u4 \"n\"\n  loop until_end\n    read %0 fixed u4 !0\n    within bits %0 !0,9\n      emit 1 !2\n"));
  EXPECT_EQ(a.facts.sub_streams.at(0).max_bytes, 2u);
}

TEST(CheckFacts, PoliciesAndChecksAreTold) {
  const Analysed a(program(
      "bytes", "",
      "  slot u8 \"n\"\n  loop until_end\n    read %0 fixed u8 \"n\" !0\n    check (lt %0 9) !5\n    emit %0 !2\n"));
  ASSERT_EQ(a.facts.checks.run_time.size(), 2u);
  EXPECT_EQ(a.facts.checks.run_time[0].text, "the input ends inside `n`");
  EXPECT_EQ(a.facts.checks.run_time[1].text, "the output is full at `emit`");
  ASSERT_EQ(a.facts.checks.policies.size(), 1u);
  EXPECT_EQ(a.facts.checks.policies[0].name, "reject");
}

TEST(Assertions, HoldFailAndUnknown) {
  Analysed a(program("bytes", "",
                     "  slot u8 \"n\"\n  slot u8 \"last\" mutable\n  set %1 0\n  loop until_end\n    read %0 fixed u8 "
                     "\"n\" !0\n    literals fixed u8 count %1 !0,_,2\n    set %1 %0\n"));
  const auto report = [&](ir::Assertion assertion) {
    a.module.assertions = {std::move(assertion)};
    DiagSink sink;
    const bool held = analysis::check_assertions(a.module, a.facts, sink);
    EXPECT_EQ(held, sink.ok());
    return sink.ok() ? std::string("ok")
                     : std::string(code_info(sink.diagnostics()[0].code).id) + " " + sink.diagnostics()[0].message;
  };
  EXPECT_EQ(report({"output_size_known", "", {}, {}}), "ok");
  EXPECT_EQ(report({"position_only", "", {}, {}}), "SL0592 `position_only` does not hold");
  EXPECT_EQ(report({"max_token_bits", "<=", 2048, {}}), "ok");
  EXPECT_EQ(report({"max_token_bits", "<", 2048, {}}), "SL0592 `max_token_bits` is 2048");
  EXPECT_EQ(report({"copies", "==", 0, {}}), "ok");
  EXPECT_EQ(report({"position_onyl", "", {}, {}}), "SL0590 no fact is called `position_onyl`");
  EXPECT_EQ(report({"max_token_bits", "", {}, {}}), "SL0591 `max_token_bits` is a number: compare it");
  EXPECT_EQ(report({"position_only", "==", 1, {}}), "SL0591 `position_only` holds or does not: nothing to compare");
}

TEST(Assertions, EveryFactCanBeAsked) {
  const Analysed a(program("bytes", "", "  emit 1 !2\n"));
  for (const analysis::FactName& fact : analysis::all_facts())
    EXPECT_TRUE(analysis::ask(a.facts, fact.name)) << fact.name;
  EXPECT_FALSE(analysis::ask(a.facts, "nothing"));
}

TEST(Unlocks, EscapedBytesAllowLanesAndSpeculation) {
  const Analysed a(program("bytes", "",
                           "  slot u8 \"c\"\n  loop until_end\n    read %0 fixed u8 !0\n    if (eq %0 255)\n      read "
                           "%0 fixed u8 !0\n    emit %0 !2\n"));
  for (const analysis::StrategyEligibility& one : analysis::eligibility_of(a.facts)) {
    EXPECT_EQ(one.legal, one.strategy != "split") << one.strategy;
    EXPECT_TRUE(one.legal || !one.why.empty()) << one.strategy;
  }
  EXPECT_EQ(analysis::facts_line(a.facts), "8..16 bits a token, position-only, no copies");
}

}  // namespace
}  // namespace sluice::test
