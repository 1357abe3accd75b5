// Schedules for some batches: which formats have them, for which batches they are, and who has pinned theirs.
#include "compiler/strategy/alternatives.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "compiler/driver/compile.h"
#include "compiler/driver/library.h"
#include "compiler/driver/schedule.h"
#include "compiler/schedule/directives.h"
#include "temporary_directory.h"

namespace sluice::test {
namespace {

driver::Scheduled scheduled(const driver::Request& request, const std::string& directives,
                            const std::string& arch = "sm_90") {
  driver::Compiled compiled = driver::compile_spec(request);
  EXPECT_TRUE(compiled.ok()) << driver::failure_message(compiled, false);
  return driver::schedule_for(compiled, request, analysis::analyse(*compiled.module), "cuda:" + arch, directives);
}

driver::Scheduled scheduled(const std::string& codec, const std::string& directives = "",
                            const std::string& arch = "sm_90") {
  driver::Request request;
  request.name = codec;
  return scheduled(request, directives, arch);
}

// The one of that name, if there is one.
std::optional<strategy::Alternative> named(const driver::Scheduled& chosen, std::string_view name) {
  const auto it = std::ranges::find(chosen.alternatives, name, &strategy::Alternative::name);
  return it == chosen.alternatives.end() ? std::nullopt : std::optional(*it);
}
std::optional<strategy::Alternative> few(const driver::Scheduled& chosen) { return named(chosen, "few chunks"); }
std::optional<strategy::Alternative> compressible(const driver::Scheduled& chosen) { return named(chosen, "compressible"); }

constexpr std::uint32_t kH200 = 132;  // multiprocessors

TEST(Alternatives, FewChunksOfBytesAndOfBits) {
  for (const char* codec : {"lz4_block", "lz4_frame", "snappy_raw"}) {
    const auto one = few(scheduled(codec));
    ASSERT_TRUE(one) << codec;
    EXPECT_EQ(one->when.chunks_below, 15u) << codec;
    EXPECT_EQ(one->schedule.walker_warps, 1u) << codec;
  }
  for (const char* codec : {"deflate", "gzip", "zlib"}) {
    const auto one = few(scheduled(codec));
    ASSERT_TRUE(one) << codec;
    EXPECT_EQ(one->when.chunks_below, 12u) << codec;
    EXPECT_EQ(one->schedule.walker_warps, 0u) << codec;
    EXPECT_TRUE(one->when.holds({1583}, kH200));
    EXPECT_FALSE(one->when.holds({1584}, kH200));
  }
  for (const char* codec : {"orc_rle_v1", "fsst", "bzip2", "gsst_splits"}) EXPECT_TRUE(scheduled(codec).alternatives.empty()) << codec;
}

// The walker's is preferred, though both conditions hold.
TEST(Alternatives, CompressibleBatchesComeSecond) {
  for (const char* codec : {"lz4_block", "lz4_frame", "snappy_raw", "deflate", "gzip", "zlib"}) {
    const auto chosen = scheduled(codec);
    ASSERT_EQ(chosen.alternatives.size(), 2u) << codec;
    EXPECT_EQ(chosen.alternatives[0].kind, strategy::Alternative::Kind::FewChunks);
    EXPECT_EQ(chosen.alternatives[1].kind, strategy::Alternative::Kind::Compressible);
    EXPECT_EQ(chosen.alternatives[1].name, "compressible");
    EXPECT_EQ(chosen.alternatives[1].when.output_from, strategy::kCompressibleRatio);
    EXPECT_EQ(chosen.alternatives[1].schedule.wide_parts, 24u) << codec;
    EXPECT_EQ(chosen.alternatives[1].schedule.writer_warps, 0u) << codec;
  }
}

TEST(Alternatives, ConditionsLookAtWhatIsKnown) {
  constexpr strategy::Condition fifteen{.chunks_below = 15}, twelve{.output_from = 12}, both{.chunks_below = 15, .output_from = 12};
  EXPECT_TRUE(fifteen.holds({1979}, kH200));
  EXPECT_FALSE(fifteen.holds({1980}, kH200));
  EXPECT_FALSE(fifteen.holds({0}, kH200)) << "no chunks need no kernel";
  EXPECT_TRUE(fifteen.holds({11440, 4 << 20, 3'000'000'000}, kH200)) << "as many as 715";
  const auto ratio = [](std::uint64_t chunks, std::uint64_t out, std::uint64_t in) { return strategy::BatchSizes{chunks, 0, out, in}; };
  EXPECT_TRUE(twelve.holds(ratio(1, 1200, 100), kH200));
  EXPECT_FALSE(twelve.holds(ratio(1, 1199, 100), kH200));
  EXPECT_FALSE(twelve.holds(ratio(0, 1200, 100), kH200));
  EXPECT_FALSE(twelve.holds(ratio(1, 1200, 0), kH200)) << "half of what it takes";
  EXPECT_FALSE(twelve.holds(ratio(1, 0, 100), kH200));
  EXPECT_TRUE(twelve.holds(ratio(1, ~std::uint64_t{0}, 1), kH200)) << "whatever the caller says";
  EXPECT_FALSE(twelve.holds(ratio(1, ~std::uint64_t{0}, ~std::uint64_t{0} / 4), kH200));
  EXPECT_TRUE(both.holds(ratio(1979, 1200, 100), kH200));
  EXPECT_FALSE(both.holds(ratio(1980, 1200, 100), kH200));
  EXPECT_FALSE(both.holds(ratio(1979, 1100, 100), kH200));
  constexpr strategy::Condition thirteen{.bits_from = 13, .element_bytes = 8};
  EXPECT_TRUE(thirteen.holds(ratio(1, 64000, 13000), kH200)) << "8000 elements";
  EXPECT_FALSE(thirteen.holds(ratio(1, 64000, 12999), kH200));
  EXPECT_FALSE(thirteen.holds(ratio(1, 0, 13000), kH200));
  EXPECT_FALSE(thirteen.holds(ratio(1, 7, 13000), kH200)) << "no element";
  EXPECT_FALSE(thirteen.holds(ratio(1, 64000, 0), kH200));
  EXPECT_FALSE(thirteen.holds(ratio(0, 64000, 13000), kH200));
  EXPECT_TRUE(thirteen.holds(ratio(1, 8, ~std::uint64_t{0}), kH200)) << "whatever the caller says";
}

// Lists that may be patched, of whatever format's; of others lanes make as much of long ones as a warp by itself.
TEST(Alternatives, WideValuesAreOneWarpsByItself) {
  for (const auto& [set, bytes] : {std::pair("i64", 8u), std::pair("u32", 4u), std::pair("i8", 1u)}) {
    driver::Request request;
    request.name = "orc_rle_v2";
    request.params.push_back({"T", set});
    const auto chosen = scheduled(request, "");
    ASSERT_EQ(chosen.alternatives.size(), 1u) << set;
    EXPECT_EQ(chosen.alternatives[0].kind, strategy::Alternative::Kind::WideValues);
    EXPECT_EQ(chosen.alternatives[0].name, "wide values");
    EXPECT_EQ(chosen.alternatives[0].directives, "strategy warp, input registers");
    EXPECT_EQ(chosen.alternatives[0].when.bits_from, strategy::kWideValueBits);
    EXPECT_EQ(chosen.alternatives[0].when.element_bytes, bytes);
    EXPECT_EQ(chosen.alternatives[0].schedule.strategy, schedule::Strategy::Warp);
  }
  for (const char* codec : {"orc_rle_v1", "parquet_rle", "parquet_delta", "orc_byte_rle", "orc_decimal"}) EXPECT_TRUE(scheduled(codec).alternatives.empty()) << codec;
  for (const char* pinned : {"input shared", "strategy speculate", "warps_per_block 2"}) EXPECT_TRUE(scheduled("orc_rle_v2", pinned).alternatives.empty()) << pinned;
}

// Each alternative's own directives, and else what the schedule in force says.
TEST(Alternatives, OnlyTheirDirectivesAreAdded) {
  const auto chosen = scheduled("lz4_frame", "input registers, checksum off, output_alignment 8, carve_out 50");
  const auto more = few(chosen), wide = compressible(chosen);
  ASSERT_TRUE(chosen.schedule && more && wide);
  EXPECT_EQ(chosen.schedule->writer_warps, 0u);
  EXPECT_EQ(more->schedule.writer_warps, 1u);
  schedule::Schedule without = more->schedule;
  EXPECT_EQ(without.walker_warps, 1u);
  without.writer_warps = without.walker_warps = 0;
  EXPECT_EQ(schedule::to_text(without), schedule::to_text(*chosen.schedule));
  EXPECT_FALSE(without.checksum);
  EXPECT_EQ(without.carve_out, 50);
  without = wide->schedule;
  without.wide_parts = 0;
  EXPECT_EQ(schedule::to_text(without), schedule::to_text(*chosen.schedule));
}

TEST(Alternatives, AreNoneWhereSomebodyChose) {
  EXPECT_EQ(scheduled("lz4_block", "input shared").alternatives.size(), 2u);
  for (const char* pinned :
       {"strategy speculate", "strategy warp", "writer_warps 0", "writer_warps 1", "walker_warps 0", "chunk_warps 1", "chunk_warps 2",
        "warps_per_block auto", "warps_per_block 1", "warps_per_block 4", "input registers, writer_warps 0"}) {
    const auto chosen = scheduled("lz4_block", pinned);
    EXPECT_TRUE(chosen.schedule) << pinned;
    EXPECT_TRUE(chosen.alternatives.empty()) << pinned;
  }
  // How wide steps are is one alternative's matter alone; few chunks have them as they were asked for.
  for (const auto& [directives, parts] : {std::pair("wide_parts 0", 0u), std::pair("wide_parts 64", 64u)}) {
    const auto chosen = scheduled("lz4_block", directives);
    EXPECT_FALSE(compressible(chosen)) << directives;
    ASSERT_TRUE(few(chosen)) << directives;
    EXPECT_EQ(few(chosen)->schedule.wide_parts, parts);
  }
  // Directives that `speculate` does not have make another strategy the default.
  EXPECT_TRUE(scheduled("lz4_block", "resolve rounds").alternatives.empty());
  // A refused schedule has none.
  EXPECT_TRUE(scheduled("lz4_block", "strategy split").alternatives.empty());
  EXPECT_TRUE(scheduled("lz4_block", "input nowhere").alternatives.empty());
}

// A schedule file beside the spec counts like directives.
TEST(Alternatives, FollowTheScheduleFile) {
  const TemporaryDirectory own;
  const auto with_file = [&](const std::string& text) {
    driver::Request copy;
    copy.name = (own.path() / "mine.sluice").string();
    std::ofstream(copy.name) << driver::find_spec("lz4_block", "", {})->text;
    std::ofstream(own.path() / "mine.schedule") << text;
    return scheduled(copy, "").alternatives.size();
  };
  EXPECT_EQ(with_file("cuda:\n  input registers\n"), 2u);
  EXPECT_EQ(with_file("cuda:\n  wide_parts 0\n"), 1u);
  EXPECT_EQ(with_file("cuda:\n  warps_per_block auto\n"), 0u);
  EXPECT_EQ(with_file("cuda:\n  strategy speculate\n"), 0u);
  EXPECT_EQ(with_file("cuda:sm_80:\n  strategy speculate\n"), 2u) << "another target's";
}

// What is chosen for people must be what they could have asked for.
TEST(Alternatives, TheirSchedulesAreLegal) {
  std::size_t some = 0;
  for (const std::string& codec : driver::builtin_codecs()) {
    driver::Request request;
    request.name = codec;
    if (!driver::compile_spec(request).ok()) continue;  // it has parameters without a default
    for (const char* arch : {"sm_80", "sm_90"}) {
      const auto chosen = scheduled(codec, "", arch);
      // With what the codec's own schedule file asks for.
      const std::uint32_t kilobytes = chosen.schedule->shared_memory;
      const std::string own = kilobytes != 0 ? "shared_memory " + std::to_string(kilobytes) + ", " : "";
      auto writer = scheduled(codec, own + "writer_warps 1, walker_warps 1", arch);
      if (!writer.schedule) writer = scheduled(codec, own + "writer_warps 1", arch);
      auto wide = scheduled(codec, own + "wide_parts 24, table_bits 8", arch);
      if (!wide.schedule) wide = scheduled(codec, own + "wide_parts 24", arch);
      const bool lanes = chosen.schedule->strategy == schedule::Strategy::Speculate;
      EXPECT_EQ(few(chosen).has_value(), lanes && writer.schedule.has_value()) << codec << " " << arch;
      EXPECT_EQ(compressible(chosen).has_value(), lanes && wide.schedule.has_value()) << codec << " " << arch;
      if (few(chosen)) {
        EXPECT_EQ(schedule::to_text(few(chosen)->schedule), schedule::to_text(*writer.schedule)) << codec << " " << arch;
      }
      if (compressible(chosen)) {
        EXPECT_EQ(schedule::to_text(compressible(chosen)->schedule), schedule::to_text(*wide.schedule)) << codec << " " << arch;
      }
      for (const strategy::Alternative& one : chosen.alternatives) {
        ++some;
        EXPECT_TRUE(scheduled(codec, schedule::to_text(one.schedule), arch).schedule) << codec << " " << arch << " " << one.name;
      }
    }
  }
  EXPECT_GE(some, 24u);
}

TEST(Alternatives, AreExplained) {
  const auto chosen = scheduled("lz4_block");
  ASSERT_EQ(chosen.alternatives.size(), 2u);
  EXPECT_EQ(strategy::explain_alternative(chosen.alternatives[0]),
            "writer_warps 1, walker_warps 1, below 15 chunks a multiprocessor (compiled at the first such batch)");
  EXPECT_EQ(strategy::explain_alternative(chosen.alternatives[1]),
            "wide_parts 24, from 12 bytes of output a byte of input on (compiled at the first such batch)");
  EXPECT_EQ(strategy::explain_alternative(*few(scheduled("deflate"))),
            "writer_warps 1, below 12 chunks a multiprocessor (compiled at the first such batch)");
}

}  // namespace
}  // namespace sluice::test
