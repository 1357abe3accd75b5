// Kernels that can be compiled as several objects (compiler/plan/objects.h): which, and that their texts have every function once.
// That NVRTC compiles them and that they link, conform.cuda.nvrtc sees; that they decode alike, tests/gpu/run.sh does.
#include "compiler/plan/objects.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "compiler/analysis/facts.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/library.h"
#include "compiler/driver/schedule.h"
#include "compiler/emit/cuda.h"

namespace sluice {
namespace {

emit::CudaUnit unit_of(const std::string& codec, const std::string& directives = "", bool count = false) {
  driver::Request request;
  request.name = codec;
  driver::Compiled compiled = driver::compile_spec(request);
  EXPECT_TRUE(compiled.ok()) << codec;
  const auto scheduled = driver::schedule_for(compiled, request, analysis::analyse(*compiled.module), "cuda:sm_90", directives);
  EXPECT_TRUE(scheduled.schedule) << codec << " " << directives;
  return emit::emit_cuda(*compiled.module, {.schedule = *scheduled.schedule, .count = count, .device = schedule::device_for("sm_90")});
}

// The names that a pattern's first group finds in a text.
std::multiset<std::string> names(const std::string& text, const std::string& pattern) {
  const std::regex of(pattern);
  std::multiset<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), of), end; it != end; ++it) found.insert((*it)[1]);
  return found;
}

// As ptxas says them: "entry function with max regcount of 80" for launch bounds of 64 threads and 11 blocks, and so on.
TEST(Objects, HaveTheRegistersThatLaunchBoundsLeave) {
  EXPECT_EQ(plan::registers_of(64, 11), 80u);
  EXPECT_EQ(plan::registers_of(128, 10), 48u);
  EXPECT_EQ(plan::registers_of(128, 7), 72u);
  EXPECT_EQ(plan::registers_of(128, 4), 128u);
  EXPECT_EQ(plan::registers_of(64, 0), 255u);
}

TEST(Objects, AreAnEngineEachAndRules) {
  const plan::Objects deflate = unit_of("deflate").objects;
  EXPECT_EQ(deflate.count, 4u);
  EXPECT_EQ(deflate.engines, (std::vector<plan::Objects::Engine>{{deflate.engines[0].loop, 2, 0}}));
  EXPECT_EQ(deflate.rules, (std::vector<std::uint32_t>{1, 1, 3, 4})) << "main, stored, body, code_lengths";
  EXPECT_EQ(deflate.registers, 80u);
  EXPECT_EQ(unit_of("lz4_block").objects.count, 2u);
  const plan::Objects runs = unit_of("orc_rle_v2").objects;
  EXPECT_EQ(runs.count, 4u);
  EXPECT_EQ(runs.engines, (std::vector<plan::Objects::Engine>{{runs.engines[0].loop, 2, 3}})) << "values: walks apart";
}

TEST(Objects, AreOneWhereNothingIsGuessedOrWarpsWorkTogether) {
  EXPECT_EQ(unit_of("deflate", "strategy warp").objects.count, 1u);
  EXPECT_EQ(unit_of("lz4_block", "chunk_warps 4").objects.count, 1u);
  EXPECT_EQ(unit_of("lz4_block", "walker_warps 1, writer_warps 1").objects.count, 1u);
  EXPECT_EQ(unit_of("parquet_plain").objects.count, 1u);
}

TEST(Objects, HaveEveryLinkedFunctionOnce) {
  unsigned several = 0;
  for (const std::string& codec : driver::builtin_codecs())
    for (const bool count : {false, true}) {
      const emit::CudaUnit unit = unit_of(codec, "", count);
      const auto declared = names(unit.text, R"(SLUICE_LINKED \w+ (\w+)\([^)]*\);)");
      const auto defined = names(unit.text, R"(SLUICE_LINKED \w+ (\w+)\([^)]*\) \{)");
      EXPECT_EQ(declared, defined) << codec;
      EXPECT_EQ(std::set<std::string>(defined.begin(), defined.end()).size(), defined.size()) << codec;
      for (std::uint32_t object = 2; object <= unit.objects.count; ++object) {
        EXPECT_NE(unit.text.find(fmt::format("#if SLUICE_ELSEWHERE({})\n", object)), std::string::npos) << codec << " " << object;
        EXPECT_NE(unit.text.find(fmt::format("#if SLUICE_OBJECT == {}\n", object)), std::string::npos) << codec << " " << object;
      }
      EXPECT_EQ(unit.text.find("SLUICE_LINKED") != std::string::npos, unit.objects.count > 1) << codec;
      several += unit.objects.count > 1;
    }
  EXPECT_GT(several, 20u);
}

}  // namespace
}  // namespace sluice
