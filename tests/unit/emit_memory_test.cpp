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
  EXPECT_EQ(with, "bzip2 patel ");
}

TEST(KernelMemory, WhatEveryTokenLooksAtIsShared) {
  const std::string text = kernels_of("bzip2").text;
  const std::string shared = members(text, "struct Scratch {"), temporary = members(text, "struct Temp {");
  EXPECT_NE(shared.find(" lookup0_code[6][256];"), std::string::npos) << shared;
  EXPECT_NE(temporary.find(" array2_selectors[18002];"), std::string::npos) << temporary;
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
    EXPECT_EQ(before(text.size()), std::ssize(kept) + 1) << codec << text;
    EXPECT_EQ(before(text.find("u8 zeroed_up_to_here;")), std::ranges::count(kept, true, &plan::Member::zeroed) + 1)
        << codec << text;
  }
}

}  // namespace
}  // namespace sluice::test
