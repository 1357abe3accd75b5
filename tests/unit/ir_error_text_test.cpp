#include "compiler/ir/error_text.h"

#include "tests/unit/ir_fixture.h"

namespace sluice::test {
namespace {

TEST(IrErrorText, PointsAtTheSpec) {
  ir::Module m = module_of(program("bytes", "", "  slot u8 \"tag\"\n  read %0 fixed u8 \"tag\" !0\n  check (eq %0 1) !5\n"));
  SourceSet sources;
  const std::uint32_t file = sources.add("tiny.sluice", "format tiny\n  tag: u8\n  require tag == 1 else reject bad_tag\n");
  m.sites[5].name = "bad_tag";
  m.sites[5].span = {file, 44, 14};
  m.sites[0].span = {file, 14, 7};
  EXPECT_EQ(ir::describe(m, sources, ir::error_word(m.sites[5], 8), 17), "tiny.sluice:3:23: reject bad_tag at bit 8 of chunk 17");
  EXPECT_EQ(ir::describe(m, sources, ir::error_word(m.sites[0], 0), 0), "tiny.sluice:2:3: the input ends inside `tag` at bit 0 of chunk 0");
}

TEST(IrErrorText, WithoutSourcesNamesTheRule) {
  const ir::Module m = module_of(program("bytes", "", "  emit 1 !2\n  copy distance 1 length 1 !3,2\n"));
  EXPECT_EQ(ir::describe(m, {}, ir::error_word(m.sites[2], 9), 1), "main, clause 3: `emit` makes more output than the region around it allows at bit 9 of chunk 1");
  EXPECT_EQ(ir::describe(m, {}, ir::error_word(m.sites[3], 9), 1),
            "main, clause 4: the copy reaches back before the start of its window at bit 9 of chunk 1");
}

// One rule may read both. Where nothing reads a dictionary the highest bit is one of the position in the input.
TEST(IrErrorText, PositionsInTheDictionary) {
  const std::uint64_t of_dictionary = ir::kInDictionary | 96;
  for (const bool reads : {false, true}) {
    const std::string region = "  within of_dictionary (dictionary_size{0..137438953472}) !_,9\n    align\n";
    const ir::Module m = module_of(program("bytes", "dictionary\n", "  emit 1 !2\n" + (reads ? region : "")));
    EXPECT_EQ(ir::reads_dictionary(m), reads);
    const std::string text = "main, clause 3: `emit` makes more output than the region around it allows at bit ";
    EXPECT_EQ(ir::describe(m, {}, ir::error_word(m.sites[2], 96), 1), text + "96 of chunk 1");
    EXPECT_EQ(ir::describe(m, {}, ir::error_word(m.sites[2], of_dictionary), 1), text + (reads ? "96 of the dictionary, chunk 1" : "549755813984 of chunk 1"));
    const ir::ErrorPosition at = ir::error_position(of_dictionary, reads);
    EXPECT_EQ(ir::error_bits(at, reads), of_dictionary);
  }
}

TEST(IrErrorText, WordsOfNoSite) {
  const ir::Module m = module_of(program("bytes", "", ""));
  EXPECT_EQ(ir::describe(m, {}, 0, 3), "ok");
  EXPECT_EQ(ir::find_site(m, 0), std::nullopt);
  EXPECT_EQ(ir::find_site(m, interp::kBrokenModule), std::nullopt);
  EXPECT_EQ(ir::describe(m, {}, (std::uint64_t{2} << 54) | (std::uint64_t{1} << 40) | 5, 3),
            "t: unknown error word 0x0080010000000005 (rule 2, clause 1) at bit 5 of chunk 3");
}

// What a kernel says of a call that broke its schedule's promise. No module has a rule of that number.
TEST(IrErrorText, WordsOfACall) {
  const ir::Module m = module_of(program("bytes", "", ""));
  EXPECT_EQ(ir::find_site(m, ir::kMisalignedOutput), std::nullopt);
  EXPECT_EQ(ir::describe(m, {}, ir::kMisalignedInput, 3),
            "t: misaligned_input: the input does not start at a multiple of what the schedule's `input_alignment` "
            "promises, chunk 3");
  EXPECT_EQ(ir::describe(m, {}, ir::kMisalignedOutput, 0),
            "t: misaligned_output: the output does not start at a multiple of what the schedule's `output_alignment` "
            "promises, chunk 0");
  EXPECT_EQ(ir::error_rule(ir::kMisalignedInput), ir::kMaxRules);
  for (const ir::CallError& error : ir::call_errors())
    EXPECT_EQ(ir::error_clause(ir::call_word(error.clause)), error.clause);
}

TEST(IrErrorText, EverySiteIsFoundByItsWord) {
  const ir::Module m = module_of(program("bytes", "", ""));
  for (ir::SiteId id = 0; id < m.sites.size(); ++id) {
    EXPECT_EQ(ir::find_site(m, ir::error_word(m.sites[id], 12345)), id);
  }
}

}  // namespace
}  // namespace sluice::test
