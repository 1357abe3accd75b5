// What a generated text carries of the primitives: what it names, what that needs, and nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "compiler/driver/compile.h"
#include "compiler/embed/primitive_sets.h"
#include "compiler/embed/primitives.h"
#include "compiler/emit/cuda.h"
#include "compiler/emit/form.h"

namespace sluice::embed {
namespace {

std::string warp(PrimitiveNames names) { return primitives(kWarpPrimitives, {}, names).prim; }

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Primitives, WhatANameNeedsComesInTheHeadersOrder) {
  const std::string text = warp({{"copy_bytes"}, {}});
  std::size_t at = 0;
  for (const char* part : {"kLanes = 32", "u32 worker() {", "u32 edge_word(", "void copy_words(", "void copy_bytes("}) {
    const std::size_t next = text.find(part, at);
    ASSERT_NE(next, std::string::npos) << part;
    at = next;
  }
  for (const char* part : {"copy_match", "copy_periodic", "struct Lines", "Huffman", "#pragma", "#include"})
    EXPECT_FALSE(has(text, part)) << part;
  EXPECT_TRUE(has(text, "// n bytes, no overlap. The target is aligned first"));  // its comment
  EXPECT_TRUE(has(text, "// Moving bytes with all workers of a chunk."));         // its header's
  EXPECT_FALSE(has(text, "// The input a warp looks at"));                        // another's
}

TEST(Primitives, NothingNamedLeavesTheWordsOfEveryText) {
  const std::string text = warp({});
  for (const char* part : {"typedef unsigned long long u64;", "#define SLUICE_COLD", "#define SLUICE_ROLLED"})
    EXPECT_TRUE(has(text, part)) << part;
  EXPECT_FALSE(has(text, "SLUICE_INLINE u"));
}

TEST(Primitives, OfFunctionsOfOneNameThoseComeThatHaveAnArgument) {
  const std::string alone = warp({{"flush"}, {}});
  EXPECT_FALSE(has(alone, "void flush("));
  const std::string pending = warp({{"flush", "PendingCopy"}, {}});
  EXPECT_TRUE(has(pending, "void flush(const PendingCopy& pending)"));
  EXPECT_FALSE(has(pending, "Batch"));
  const std::string both = warp({{"flush", "PendingCopy", "Batch"}, {}});
  EXPECT_TRUE(has(both, "void flush(const PendingCopy& pending)"));
  EXPECT_TRUE(has(both, "flush(Batch<R>& "));
}

TEST(Primitives, ConditionsStandAroundWhatStandsUnderThem) {
  const PrimitiveTexts staged = primitives(kWarpPrimitives, kStagedPrimitives, {{}, {"source"}});
  EXPECT_TRUE(has(staged.thread, "#if SLUICE_SPLIT_BUFFER == 16\n"));
  EXPECT_TRUE(has(staged.thread, "struct Staged : UnitMemory {"));
  EXPECT_FALSE(has(staged.thread, "struct StagedBurst"));
  const auto count = [&](std::string_view word) {
    std::size_t n = 0;
    for (std::size_t at = 0; (at = staged.thread.find(word, at)) != std::string::npos; ++at) ++n;
    return n;
  };
  EXPECT_EQ(count("#if"), count("#endif"));
  EXPECT_TRUE(has(staged.prim, "SLUICE_INLINE T* global("));  // which a lane's primitives need of the warp's
  const PrimitiveTexts none = primitives(kWarpPrimitives, kStagedPrimitives, {{}, {"sync"}});
  EXPECT_FALSE(has(none.thread, "#if"));
  EXPECT_TRUE(has(none.thread, "using namespace warp_prim;"));
}

TEST(Primitives, ALanesNameIsItsOwnBeforeTheWarps) {
  const PrimitiveTexts texts = primitives(kWarpPrimitives, kCountedPrimitives, {{}, {"take", "Code"}});
  EXPECT_TRUE(has(texts.thread, "u64 take(Stream<K>& s, u64 n)"));
  EXPECT_FALSE(has(texts.prim, "u64 take("));
  EXPECT_TRUE(has(texts.prim, "struct Code {"));
  EXPECT_FALSE(has(texts.thread, "struct Code"));
}

TEST(Primitives, KernelsCarryNoBuilderOfCodesThatTheyHaveNot) {
  driver::Request request;
  request.name = "lz4_block";
  const driver::Compiled lz4 = driver::compile_spec(request);
  ASSERT_TRUE(lz4.ok());
  const std::string text = emit::emit_cuda(*lz4.module, {}).text;
  for (const char* part : {"build_code", "build_table", "struct BitBuffer", "crc32", "inverse_bwt", "take_symbol"})
    EXPECT_FALSE(has(text, part)) << part;
  EXPECT_LT(std::ranges::count(text, '\n'), 1031);  // 10 of them say in the ABI what a further output is, 20 ask for a chunk's first lines at once
}

// ---- Forms say what they use ------------------------------------------------------------------------------------------

constexpr emit::FormNames kForm("if (thread::prim::kMost < prim::sum<{}>(s)) prim::Order::{}; warp_prim::x", true);
static_assert(kForm.count == 3);
static_assert(kForm.names[0].name == "kMost" && kForm.names[0].of_thread);
static_assert(kForm.names[1].name == "sum" && !kForm.names[1].of_thread);
static_assert(kForm.names[2].name == "Order" && !kForm.names[2].of_thread);
static_assert(emit::FormNames("prim::PendingCopy {{ }}", true).names[0].name == "PendingCopy");

TEST(Forms, ALanesTextNotesALanesNames) {
  PrimitiveNames names;
  emit::Notes{&names, false}.add(kForm);
  EXPECT_EQ(names.prim, (std::set<std::string_view>{"sum", "Order"}));
  EXPECT_EQ(names.thread, (std::set<std::string_view>{"kMost"}));
  PrimitiveNames lane;
  emit::Notes{&lane, true}.add(kForm);
  EXPECT_EQ(lane.thread, (std::set<std::string_view>{"kMost", "Order", "sum"}));
  EXPECT_TRUE(lane.prim.empty());
}

}  // namespace
}  // namespace sluice::embed
