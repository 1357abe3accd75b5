// Where a kernel keeps what a chunk needs: shared memory, or temporary memory of which formats without stages have none.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "compiler/analysis/facts.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/library.h"
#include "compiler/driver/schedule.h"
#include "compiler/emit/cpu.h"
#include "compiler/emit/cuda.h"
#include "compiler/plan/lower.h"
#include "compiler/plan/memory.h"

namespace sluice::test {
namespace {

emit::CudaUnit kernels_of(const std::string& codec) {
  driver::Request request;
  request.name = codec;
  driver::Compiled compiled = driver::compile_spec(request);
  EXPECT_TRUE(compiled.ok()) << codec;
  if (!compiled.ok()) return {};
  const auto scheduled = driver::schedule_for(compiled, request, analysis::analyse(*compiled.module), "cuda", "");
  emit::CudaOptions options;
  EXPECT_TRUE(scheduled.schedule.has_value()) << codec;
  if (scheduled.schedule) options.schedule = *scheduled.schedule;
  options.count = false;
  return emit::emit_cuda(*compiled.module, options);
}

// The lines between `head` and the closing brace.
std::string members(const std::string& text, const std::string& head) {
  const std::size_t start = text.find(head);
  return start == std::string::npos ? "" : text.substr(start, text.find("\n};", start) - start);
}

TEST(KernelMemory, OnlyFormatsWithStagesTakeTemporaryMemory) {
  std::string with;
  for (const std::string& codec : driver::builtin_codecs())
    if (kernels_of(codec).plan.temp_bytes_per_slot != 0) with += codec + " ";
  EXPECT_EQ(with, "blosc bzip2 huff0 orc_zstd parquet_delta_strings patel zstd ");
}

TEST(KernelMemory, WhatEveryTokenLooksAtIsShared) {
  const std::string text = kernels_of("bzip2").text;
  const std::string shared = members(text, "struct Scratch : Lent {"), temporary = members(text, "struct Temp {");
  const std::string lent = members(text, "struct Lent {");
  EXPECT_NE(lent.find(" lookup0_code[6][256];"), std::string::npos) << lent;
  EXPECT_NE(lent.find(" code0_code[6];"), std::string::npos) << lent;
  EXPECT_NE(shared.find(" array0_alphabet[256];"), std::string::npos) << shared;
  EXPECT_NE(temporary.find(" array2_selectors[18002];"), std::string::npos) << temporary;
  EXPECT_NE(temporary.find(" Lent waiting;"), std::string::npos) << temporary;
}

// note [lent room] of plan/memory.h: codes and their tables wait while a stage runs, and the stages have no room of their own.
TEST(KernelMemory, StagesOfLongBuffersHaveTheirRoomOverTheCodes) {
  const auto text_of = [](const std::string& limit) {
    driver::Request request;
    request.name = "stages.sluice";
    request.text = "format stages\n  input bits msb\n  output bytes\n  trailing reject trailing_bytes\n  array lengths: u4[256]\n  buffer text[" + limit +
                   "]\n  prefix_code code(256, 15), incomplete single\n  for i < 256\n    bits: u4\n    lengths[i] := bits\n"
                   "  build code from lengths[0, 256]\n  n: u20\n  into text\n    for i < n\n      s: code\n      emit s\n"
                   "  stage inverse_mtf text\n  emit all text\n  align\n";
    const driver::Compiled compiled = driver::compile_spec(request);
    EXPECT_TRUE(compiled.ok());
    return compiled.ok() ? emit::emit_cuda(*compiled.module, {}).text : "";
  };
  const std::string longer = text_of("200000"), shorter = text_of("20000");
  const auto holds = [](const std::string& text, const char* what) { return text.find(what) != std::string::npos; };
  EXPECT_TRUE(holds(longer, "prim::lend_room(s.m->waiting);") && holds(longer, "prim::take_room_back(s.m->waiting);"));
  EXPECT_TRUE(holds(longer, "u32* stage_room() { return (u32*)&scratch_of") && !holds(longer, " stage_rooms["));
  EXPECT_TRUE(holds(shorter, " stage_rooms[kChunksPerBlock][prim::kStageWords];") && !holds(shorter, "lend_room(s.m"));
}

// One member a line, and all that is zero at a chunk's start before all that is not.
TEST(CpuMemory, ScratchIsWhatThePlanLists) {
  for (const std::string& codec : driver::builtin_codecs()) {
    driver::Request request;
    request.name = codec;
    const driver::Compiled compiled = driver::compile_spec(request);
    ASSERT_TRUE(compiled.ok()) << codec;
    const ir::Module& module = *compiled.module;
    const auto kept = plan::members_of(module, plan::lower(module, plan::Target::Cpu).tables);
    EXPECT_TRUE(std::ranges::is_sorted(kept, std::greater(), &plan::Member::zeroed)) << codec;
    const std::string text = members(emit::emit_cpu(module), "struct Scratch {");
    const auto before = [&](std::size_t end) { return std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n'); };
    const std::ptrdiff_t behind = text.find("u8 behind_slices[32];") != std::string::npos ? 1 : 0;  // where a loop copies out of a buffer
    EXPECT_EQ(behind, codec == "zstd" || codec == "orc_zstd" ? 1 : 0) << codec << text;
    EXPECT_EQ(before(text.size()), std::ssize(kept) + 1 + behind) << codec << text;
    EXPECT_EQ(before(text.find("u8 zeroed_up_to_here;")), std::ranges::count(kept, true, &plan::Member::zeroed) + 1)
        << codec << text;
  }
}

}  // namespace
}  // namespace sluice::test
