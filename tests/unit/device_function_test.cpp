// Device functions: the plan whose outputs go to a sink, which formats have one, by which strategy, and what their headers are
// called and leave behind.
#include "compiler/emit/device_function.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <regex>
#include <set>
#include <string>

#include "compiler/analysis/facts.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/schedule.h"
#include "compiler/emit/cuda.h"
#include "compiler/plan/lower.h"
#include "compiler/plan/redo.h"
#include "compiler/plan/text.h"
#include "compiler/plan/verify.h"

namespace sluice::test {
namespace {

driver::Compiled compiled(const std::string& name, std::vector<std::pair<std::string, std::string>> params = {}) {
  driver::Request request;
  request.name = name;
  for (const auto& [parameter, value] : params) request.params.push_back({parameter, value});
  driver::Compiled made = driver::compile_spec(request);
  EXPECT_TRUE(made.ok()) << name;
  return made;
}

driver::Scheduled scheduled(driver::Compiled& of, std::string_view directives = "") {
  return driver::device_function_schedule(of, analysis::analyse(*of.module), "cuda:sm_90", directives);
}

std::string header(const std::string& name) {
  driver::Compiled of = compiled(name);
  const driver::Scheduled chosen = scheduled(of);
  EXPECT_TRUE(chosen.schedule) << name;
  return emit::emit_cuda(*of.module, {.schedule = *chosen.schedule, .device_function = emit::device_namespace(*of.module, {})}).text;
}

// Steps that may be refused when other lanes have made outputs are side by side in memory alone.
TEST(DeviceFunction, NoLoopHandsOverEarly) {
  const driver::Compiled of = compiled(SLUICE_SPECS "/handed_once.sluice");
  const plan::Plan memory = plan::lower(*of.module, plan::Target::Warp);
  plan::Plan sink = plan::lower(*of.module, plan::Target::Warp, {.outputs = plan::Outputs::Sink});
  const auto early = [](const plan::Loop& loop) { return plan::hands_over_early(loop); };
  EXPECT_TRUE(std::ranges::any_of(memory.loops, early));
  EXPECT_TRUE(std::ranges::none_of(sink.loops, early));
  EXPECT_EQ(plan::verify(*of.module, sink), std::vector<std::string>());
  plan::Plan wrong = memory;
  wrong.outputs = plan::Outputs::Sink;
  EXPECT_FALSE(plan::verify(*of.module, wrong).empty());
}

// Units of 16 bytes are of memory.
TEST(DeviceFunction, PackedUnitsAreOfMemory) {
  const driver::Compiled of = compiled(SLUICE_SPECS "/packed_numbers.sluice");
  const auto packed = [](const plan::Loop& loop) { return loop.packed; };
  EXPECT_TRUE(std::ranges::any_of(plan::lower(*of.module, plan::Target::Warp).loops, packed));
  EXPECT_TRUE(std::ranges::none_of(plan::lower(*of.module, plan::Target::Warp, {.outputs = plan::Outputs::Sink}).loops, packed));
}

TEST(DeviceFunction, PlanSaysWhereOutputsGo) {
  const driver::Compiled of = compiled("orc_byte_rle");
  const plan::Plan sink = plan::lower(*of.module, plan::Target::Warp, {.outputs = plan::Outputs::Sink});
  const std::string text = plan::print(*of.module, sink);
  EXPECT_EQ(text.substr(0, text.find('\n')), "plan warp to_sink");
}

TEST(DeviceFunction, WhoHasOneAndByWhichStrategy) {
  for (const char* name : {"orc_rle_v1", "orc_rle_v2", "orc_byte_rle", "orc_decimal", "fsst", "fsst12", "orc_bool_rle", "gsst_splits"}) {
    driver::Compiled of = compiled(name);
    const driver::Scheduled chosen = scheduled(of);
    ASSERT_TRUE(chosen.schedule) << name;
    EXPECT_EQ(chosen.schedule->input, schedule::InputBuffer::Registers) << name;
    const bool values = std::string_view(name).starts_with("orc_rle") || std::string_view(name) == "orc_byte_rle" || std::string_view(name) == "orc_decimal";
    EXPECT_EQ(chosen.schedule->strategy, values ? schedule::Strategy::Speculate : schedule::Strategy::Warp) << name;
  }
  for (const char* name : {"lz4_block", "deflate", "gzip", "bzip2", "patel", "gsst_interleaved"}) {
    driver::Compiled of = compiled(name);
    const driver::Scheduled refused = scheduled(of);
    EXPECT_FALSE(refused.schedule) << name;
    ASSERT_FALSE(refused.diags.diagnostics().empty()) << name;
    EXPECT_EQ(refused.diags.diagnostics().front().code, Code::NoDeviceFunction) << name;
  }
}

TEST(DeviceFunction, DirectivesAreAppliedOrRefused) {
  driver::Compiled of = compiled("orc_rle_v2");
  EXPECT_EQ(scheduled(of, "strategy warp").schedule->strategy, schedule::Strategy::Warp);
  EXPECT_TRUE(scheduled(of, "input registers").schedule);
  for (const char* refused : {"strategy block", "strategy lanes", "input shared", "warps_per_block 2", "output_alignment 16", "table_bits 9", "strategy no_such"})
    EXPECT_FALSE(scheduled(of, refused).schedule) << refused;
}

TEST(DeviceFunction, NamesTellParameters) {
  const driver::Compiled of = compiled("orc_rle_v2", {{"T", "u16"}});
  const std::array<std::string, 1> set{"T=u16"};
  EXPECT_EQ(emit::device_namespace(*of.module, {}), "sluice_orc_rle_v2");
  EXPECT_EQ(emit::device_namespace(*of.module, set), "sluice_orc_rle_v2_T_u16");
}

// Beside what speculate stages there is no room for the longer array, and nobody would give it any: its address would be null.
TEST(DeviceFunction, StateIsInSharedMemoryAlone) {
  const auto spec = [](int elements) {
    return fmt::format("format numbers\n  input bytes\n  output i64[]\n  array seen: u64[{}]\n\n"
                       "  first: u8\n  seen[first] := 1\n  require seen[0] == 0 else reject bad\n"
                       "  repeat until end of input\n    n: u8\n    value: u64le\n    run value as i64, count n\n",
                       elements);
  };
  for (const auto& [elements, speculates] : {std::pair{500, true}, {5800, false}}) {
    driver::Request request;
    request.text = spec(elements);
    request.name = "numbers";
    driver::Compiled of = driver::compile_spec(request);
    ASSERT_TRUE(of.ok());
    const driver::Scheduled chosen = scheduled(of);
    ASSERT_TRUE(chosen.schedule) << elements;
    EXPECT_EQ(chosen.schedule->strategy == schedule::Strategy::Speculate, speculates) << elements;
    EXPECT_EQ(scheduled(of, "strategy speculate").schedule.has_value(), speculates);
    const std::string text = emit::emit_cuda(*of.module, {.schedule = *chosen.schedule, .device_function = "numbers"}).text;
    EXPECT_EQ(text.find("kTempBytes"), std::string::npos) << elements;
  }
}

// What the header defines for itself it takes back, so that the next one finds nothing of it; and it needs no other file.
TEST(DeviceFunction, HeadersLeaveNoMacros) {
  for (const char* name : {"orc_rle_v2", "fsst", "orc_decimal"}) {
    const std::string text = header(name);
    std::set<std::string> left;
    const std::regex directive("(?:^|\n) *#(define|undef|include)\\s+(\\w+)");
    for (auto at = std::sregex_iterator(text.begin(), text.end(), directive); at != std::sregex_iterator(); ++at) {
      EXPECT_NE((*at)[1], "include") << name;
      if ((*at)[1] == "define") left.insert((*at)[2]);
      else left.erase((*at)[2]);
    }
    ASSERT_EQ(left.size(), 1u) << name;
    EXPECT_TRUE(left.begin()->ends_with("_DEVICE")) << *left.begin();
  }
}

}  // namespace
}  // namespace sluice::test
