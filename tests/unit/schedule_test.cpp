// Schedules: every directive is applied or refused.
#include "compiler/driver/schedule.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <tuple>

#include "compiler/driver/compile.h"
#include "compiler/driver/library.h"
#include "compiler/emit/cuda.h"
#include "compiler/strategy/choose.h"
#include "compiler/schedule/directives.h"
#include "compiler/schedule/parse.h"
#include "compiler/strategy/model.h"
#include "compiler/strategy/strategies.h"
#include "temporary_directory.h"

namespace sluice::schedule {
namespace {

using strategy::row_of;
using strategy::strategies;

constexpr const char* kMine =
    "format mine\n  input bytes\n  output bytes\n  repeat until end of input\n    literals u8[1]\n";

std::string_view name_of(const Schedule& schedule) { return name(schedule.strategy); }

driver::Compiled compiled_codec(const std::string& name) {
  driver::Request request;
  request.name = name;
  return driver::compile_spec(request);
}

// The schedule that a list of directives makes of the default; nothing when it is refused.
std::optional<Schedule> chosen(const std::string& codec, const std::string& text) {
  driver::Compiled compiled = compiled_codec(codec);
  EXPECT_TRUE(compiled.ok());
  driver::Request request;
  request.name = codec;
  return driver::schedule_for(compiled, request, analysis::analyse(*compiled.module), "cuda:sm_90", text).schedule;
}

TEST(Schedules, DirectivesMayBeWrittenInManyWays) {
  for (const char* text :
       {"strategy block, block_threads 256, prefetch on", "strategy=block block_threads=256 prefetch=on",
        "  prefetch on,strategy=block,block_threads 256,",
        "strategy block\nprefetch on # why not\n block_threads 256"}) {
    const auto s = chosen("deflate", text);
    ASSERT_TRUE(s) << text;
    EXPECT_EQ(s->strategy, Strategy::Block);
    EXPECT_EQ(s->block_threads, 256u);
    EXPECT_TRUE(s->prefetch);
  }
}

TEST(Schedules, TheirTextMakesThemAgain) {
  for (const char* text : {"strategy warp", "strategy leader, input registers, warps_per_block 4",
                           "strategy block, block_threads 992, prefetch on", "warps_per_block 3", "resolve rounds",
                           "resolve independent, input registers"}) {
    const auto s = chosen("deflate", text);
    ASSERT_TRUE(s) << text;
    const auto again = chosen("deflate", to_text(*s));
    ASSERT_TRUE(again) << to_text(*s);
    EXPECT_EQ(to_text(*again), to_text(*s));
    EXPECT_EQ(again->strategy, s->strategy);
    EXPECT_EQ(again->input, s->input);
    EXPECT_EQ(again->warps_per_block, s->warps_per_block);
    EXPECT_EQ(again->resolve, s->resolve);
  }
}

TEST(Schedules, ValuesOutOfRangeAreRefused) {
  for (const char* text : {"warps_per_block 0", "warps_per_block 33", "warps_per_block -1", "warps_per_block 4x",
                           "strategy block, block_threads 31", "strategy block, block_threads 1024",
                           "strategy block, block_threads 4294967328", "strategy block, prefetch yes", "input memory",
                           "input", "warp", "strategy block, input shared", "strategy warp, prefetch on"})
    EXPECT_FALSE(chosen("deflate", text)) << text;
}

// Where a chunk lies can be promised for every format and strategy.
TEST(Schedules, AlignmentIsAPowerOfTwo) {
  for (const strategy::StrategyRow* row : strategy::strategies()) {
    const std::string_view strategy = name(row->strategy);
    // Some format that the strategy is legal for.
    const std::string codec = chosen("gsst_splits", fmt::format("strategy {}", strategy)) ? "gsst_splits" : "lz4_block";
    const auto s = chosen(codec, fmt::format("strategy {}, input_alignment 128, output_alignment 16", strategy));
    ASSERT_TRUE(s) << strategy;
    EXPECT_EQ(s->input_alignment, 128u);
    EXPECT_EQ(s->output_alignment, 16u);
    const auto again = chosen(codec, to_text(*s));
    ASSERT_TRUE(again) << to_text(*s);
    EXPECT_EQ(to_text(*again), to_text(*s));
  }
  for (const char* text : {"input_alignment 0", "input_alignment 3", "input_alignment 256", "input_alignment any",
                           "output_alignment 0", "output_alignment 12", "output_alignment 32", "output_alignment -1"})
    EXPECT_FALSE(chosen("deflate", text)) << text;
  const auto plain = chosen("deflate", "strategy warp");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->input_alignment, 1u);
  EXPECT_EQ(plain->output_alignment, 1u);
}

// A promise is a constant of the kernel's text, and a test at each chunk's start; without one there is neither.
TEST(Schedules, AlignmentReachesTheKernel) {
  const driver::Compiled compiled = compiled_codec("orc_rle_v2");
  ASSERT_TRUE(compiled.ok());
  const auto emitted = [&](const char* text) {
    const auto s = chosen("orc_rle_v2", text);
    EXPECT_TRUE(s) << text;
    return emit::emit_cuda(*compiled.module, {.schedule = s.value_or(Schedule{})});
  };
  const auto has = [](const emit::CudaUnit& unit, std::string_view part) {
    return unit.text.find(part) != std::string::npos;
  };
  const emit::CudaUnit both = emitted("input_alignment 128, output_alignment 16");
  EXPECT_EQ(both.plan.input_alignment, 128u);
  EXPECT_EQ(both.plan.output_alignment, 16u);
  EXPECT_TRUE(has(both, "#define SLUICE_INPUT_ALIGNMENT 128\n"));
  EXPECT_TRUE(has(both, "#define SLUICE_OUTPUT_ALIGNMENT 16\n"));
  EXPECT_TRUE(has(both, "// misaligned_input"));
  EXPECT_TRUE(has(both, "// misaligned_output"));
  const emit::CudaUnit output = emitted("output_alignment 8");
  EXPECT_EQ(output.plan.input_alignment, 1u);
  EXPECT_FALSE(has(output, "// misaligned_input"));
  EXPECT_TRUE(has(output, "// misaligned_output"));
  const emit::CudaUnit none = emitted("strategy warp");
  EXPECT_EQ(none.plan.output_alignment, 1u);
  EXPECT_FALSE(has(none, "// misaligned"));
}

TEST(Schedules, CopiesAreCollectedWhereThereAreSome) {
  for (const char* way : {"sequential", "rounds", "independent"}) {
    const std::string text = std::string("resolve ") + way;
    for (const char* codec : {"deflate", "lz4_block", "snappy_raw", "gompresso_byte", "gompresso_bit", "gzip"}) {
      const auto s = chosen(codec, text);
      ASSERT_TRUE(s) << codec << " " << text;
      EXPECT_EQ(name(s->resolve), way);
    }
    for (const char* codec : {"orc_rle_v1", "fsst", "bzip2"}) EXPECT_FALSE(chosen(codec, text)) << codec << " " << text;
    EXPECT_FALSE(chosen("deflate", text + ", strategy block"));
  }
  EXPECT_TRUE(chosen("orc_rle_v1", "resolve together"));
}

TEST(Schedules, PartsThatMayBeDecodedAnywhereMayBeWrittenInSteps) {
  const auto of = [](const char* directives) { return chosen("gompresso_bit", directives); };
  EXPECT_EQ(of("strategy split, resolve steps")->resolve, Resolve::Steps);
  EXPECT_EQ(of("strategy split")->resolve, Resolve::Together);
  EXPECT_EQ(of("strategy split, resolve steps, part_entries 64, part_bytes 256")->part_entries, 64u);
  EXPECT_FALSE(of("strategy split, part_entries 64"));
  EXPECT_EQ(of("strategy split, resolve together")->resolve, Resolve::Together);
  EXPECT_EQ(of("strategy split, part_copies 8")->resolve, Resolve::Together);
  EXPECT_EQ(of("strategy warp")->resolve, Resolve::Together);
  EXPECT_FALSE(of("strategy warp, resolve steps"));
  EXPECT_FALSE(of("strategy split, resolve steps, part_copies 8"));
  EXPECT_FALSE(of("strategy split, resolve rounds, part_entries 64"));
  EXPECT_FALSE(of("strategy split, part_entries 33"));
  EXPECT_FALSE(chosen("gsst_blocks", "strategy split, resolve steps"));
  EXPECT_FALSE(chosen("deflate", "resolve steps"));
}

TEST(Schedules, TablesAreAsLargeAsAsked) {
  for (const auto& [directives, large, small] : {std::tuple("table_bits auto", "[512];", "[128];"), std::tuple("table_bits 10", "[1024];", "[256];"),
                                                 std::tuple("writer_warps 1", "[1024];", "[256];"),
                                                 std::tuple("table_bits 8", "[256];", "[64];"), std::tuple("strategy block, table_bits 11", "[2048];", "[512];")}) {
    const auto s = chosen("deflate", directives);
    ASSERT_TRUE(s) << directives;
    emit::CudaOptions options;
    options.schedule = *s;
    const driver::Compiled compiled = compiled_codec("deflate");
    const std::string text = emit::emit_cuda(*compiled.module, options).text;
    EXPECT_NE(text.find(std::string("lookup0_litlen[1]") + large), std::string::npos) << directives;
    EXPECT_NE(text.find(std::string("lookup1_dist[1]") + small), std::string::npos) << directives;
  }
  for (const char* codec : {"lz4_block", "orc_rle_v1", "fsst"}) {
    EXPECT_TRUE(chosen(codec, "table_bits auto"));
    EXPECT_FALSE(chosen(codec, "table_bits 9")) << codec;
  }
  for (const char* wrong : {"table_bits 7", "table_bits 12", "table_bits 0"}) EXPECT_FALSE(chosen("deflate", wrong)) << wrong;
}

// What the emitter would make smaller is refused: a directive is applied as it stands, or not at all.
TEST(Schedules, AsManyWarpsAsThereIsRoomFor) {
  EXPECT_TRUE(chosen("deflate", "warps_per_block 2"));
  EXPECT_FALSE(chosen("deflate", "warps_per_block 32"));
  EXPECT_TRUE(chosen("orc_byte_rle", "strategy warp, warps_per_block 32"));
}

TEST(Schedules, EveryDirectiveSaysWhatItHolds) {
  for (const Directive& directive : directives()) {
    Schedule schedule;
    EXPECT_EQ(find_directive(directive.name), &directive);
    const std::string value = directive.get(schedule);
    EXPECT_TRUE(directive.set(schedule, value)) << directive.name << " " << value;
    EXPECT_EQ(directive.get(schedule), value);
    EXPECT_FALSE(directive.set(schedule, "nothing it takes")) << directive.name;
    EXPECT_EQ(directive.get(schedule), value) << directive.name;
    EXPECT_NE(directive.strategies, 0) << directive.name;
  }
}

TEST(Schedules, StrategiesStandInTheirOrder) {
  for (std::size_t i = 0; i < strategies().size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(strategies()[i]->strategy), i);
    EXPECT_EQ(&row_of(strategies()[i]->strategy), strategies()[i]);
  }
}

// What everybody gets must be legal, for every codec there is.
TEST(Schedules, TheDefaultIsLegal) {
  std::size_t tried = 0;
  for (const std::string& codec : driver::builtin_codecs()) {
    const driver::Compiled compiled = compiled_codec(codec);
    if (!compiled.ok()) continue;  // it has parameters without a default
    ++tried;
    const auto facts = analysis::analyse(*compiled.module);
    const plan::TokenPlans tokens = plan::token_plans(*compiled.module, facts.splits.loops);
    const Schedule schedule = strategy::default_schedule({*compiled.module, facts, tokens}, schedule::device_for("sm_90"), {}).schedule;
    EXPECT_TRUE(row_of(schedule.strategy).legal({*compiled.module, facts, tokens}).legal) << codec;
    EXPECT_FALSE(row_of(schedule.strategy).explain(schedule, {*compiled.module, facts, tokens}).empty());
  }
  EXPECT_GE(tried, 20u);
}

// Where tokens are records lanes look for them, unless somebody asks for what only another strategy knows.
TEST(Schedules, TokensThatAreRecordsAreSpeculatedOn) {
  for (const char* codec : {"lz4_block", "lz4_frame", "snappy_raw", "gompresso_byte", "deflate", "gzip"}) {
    EXPECT_EQ(chosen(codec, "")->strategy, Strategy::Speculate) << codec;
    EXPECT_EQ(chosen(codec, "input registers, warps_per_block 2")->strategy, Strategy::Speculate) << codec;
    EXPECT_EQ(chosen(codec, "resolve rounds")->strategy, Strategy::Warp) << codec;
    EXPECT_EQ(chosen(codec, "strategy warp")->strategy, Strategy::Warp) << codec;
  }
  for (const char* codec : {"orc_rle_v1", "orc_rle_v2", "orc_byte_rle", "orc_decimal"})
    EXPECT_EQ(chosen(codec, "")->strategy, Strategy::Speculate) << codec;
  for (const char* how : {"strategy warp, input shared", "block_threads 64, strategy block", "strategy leader"})
    EXPECT_NE(chosen("orc_rle_v1", how)->strategy, Strategy::Speculate) << how;
  EXPECT_EQ(chosen("bzip2", "")->strategy, Strategy::Warp);
}

// Where they are codes of strings lanes take them side by side.
TEST(Schedules, CodesOfStringsAreLanes) {
  for (const char* codec : {"fsst", "fsst12", "fsst_strings", "gsst_blocks", "gsst12_blocks"})
    EXPECT_EQ(chosen(codec, "")->strategy, Strategy::Lanes) << codec;
  // Few chunks with 36 KiB of symbols each share a multiprocessor, so warps share a chunk: unless somebody says anything else.
  EXPECT_EQ(chosen("fsst12", "")->chunk_warps, 8u);
  EXPECT_EQ(chosen("fsst12", "")->shared_memory, 56u);
  EXPECT_EQ(chosen("fsst12", "input registers")->chunk_warps, 1u);
  EXPECT_EQ(chosen("fsst12", "strategy lanes, chunk_warps 4")->chunk_warps, 4u);
  EXPECT_EQ(chosen("fsst", "")->chunk_warps, 1u);
  EXPECT_FALSE(chosen("fsst", "strategy lanes, chunk_warps 2"));
  EXPECT_EQ(chosen("fsst", "strategy warp")->strategy, Strategy::Warp);
  EXPECT_EQ(chosen("gsst_interleaved", "")->strategy, Strategy::Split);
  EXPECT_EQ(chosen("gsst_splits", "")->strategy, Strategy::Lanes);
}

TEST(Schedules, TheNearestSectionCounts) {
  SourceSet sources;
  DiagSink sink;
  const auto file = sources.add("x.schedule", "cuda:\n  strategy leader\ncuda:sm_90:\n  strategy block\n");
  const auto sections = parse_file(sources, file, sink);
  ASSERT_TRUE(sink.ok());
  ASSERT_EQ(sections.size(), 2u);
  EXPECT_EQ(section_for(sections, "cuda:sm_90")->settings[0].value, "block");
  EXPECT_EQ(section_for(sections, "cuda:sm_80")->settings[0].value, "leader");
  EXPECT_EQ(section_for(sections, "cuda")->settings[0].value, "leader");
  EXPECT_EQ(section_for(sections, "cpu"), nullptr);
  for (const char* name : {"sm_90", "sm_90a", "sm_100f"}) EXPECT_TRUE(is_architecture(name)) << name;
  for (const char* name : {"sm_", "sm_9", "sm_9000", "sm_90b", "90", "compute_90", ""})
    EXPECT_FALSE(is_architecture(name)) << name;
}

// A file beside the spec counts for the spec, wherever it was found; a text out of nowhere has none.
TEST(Schedules, StandBesideTheirSpec) {
  namespace fs = std::filesystem;
  const test::TemporaryDirectory own;
  const fs::path& root = own.path();
  const auto put = [&](const fs::path& path, const std::string& content) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << content;
  };
  put(root / "mine.sluice", kMine);
  put(root / "mine.schedule", "cuda:\n  strategy leader\n");
  put(root / "deep" / "mine" / "mine.sluice", kMine);
  put(root / "deep" / "mine" / "mine.schedule", "cuda:\n  strategy block\n");

  const auto strategy = [](driver::Request request) {
    driver::Compiled compiled = driver::compile_spec(request);
    EXPECT_TRUE(compiled.ok()) << driver::failure_message(compiled, false);
    const auto s = driver::schedule_for(compiled, request, analysis::analyse(*compiled.module), "cuda", "");
    EXPECT_TRUE(s.schedule);
    return fmt::format("{} from {}", name_of(*s.schedule), s.origin.substr(s.origin.find_last_of('/') + 1));
  };
  driver::Request path, searched, given;
  path.name = (root / "mine.sluice").string();
  EXPECT_EQ(strategy(path), "leader from mine.schedule, `cuda:`");
  searched.name = "mine";
  searched.search = {(root / "deep").string()};
  EXPECT_EQ(strategy(searched), "block from mine.schedule, `cuda:`");
  given.name = path.name;
  given.text = kMine;
  EXPECT_EQ(strategy(given), fmt::format("lanes from the default ({})", strategy::explain_level(Strategy::Lanes, {strategy::Work::FixedValues})));
  given.directory = root.string();
  EXPECT_EQ(strategy(given), "leader from mine.schedule, `cuda:`");
}

}  // namespace
}  // namespace sluice::schedule
