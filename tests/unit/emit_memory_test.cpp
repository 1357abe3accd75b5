// Where a kernel keeps what a chunk needs: shared memory, or temporary memory of which formats without stages have none.
#include <gtest/gtest.h>

#include <string>

#include "compiler/analysis/facts.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/library.h"
#include "compiler/driver/schedule.h"
#include "compiler/emit/cuda.h"

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

}  // namespace
}  // namespace sluice::test
