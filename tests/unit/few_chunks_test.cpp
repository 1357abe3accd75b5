// The second schedule, for batches of few chunks: which formats have one, and who has pinned theirs.
#include "compiler/strategy/few_chunks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

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

TEST(FewChunks, BytesAndBitsHaveTheirBounds) {
  for (const char* codec : {"lz4_block", "lz4_frame", "snappy_raw"}) {
    const auto few = scheduled(codec).few;
    ASSERT_TRUE(few) << codec;
    EXPECT_EQ(few->per_multiprocessor, 15u) << codec;
    EXPECT_EQ(few->schedule.walker_warps, 1u) << codec;
  }
  for (const char* codec : {"deflate", "gzip", "zlib"}) {
    const auto few = scheduled(codec).few;
    ASSERT_TRUE(few) << codec;
    EXPECT_EQ(few->per_multiprocessor, 8u) << codec;
    EXPECT_EQ(few->schedule.walker_warps, 0u) << codec;
    EXPECT_EQ(few->below(132), 1056u);
  }
  for (const char* codec : {"orc_rle_v1", "fsst", "bzip2", "gsst_splits"}) EXPECT_FALSE(scheduled(codec).few) << codec;
}

// A writer and a walker, and else what the schedule in force says.
TEST(FewChunks, OnlyWarpsAreAdded) {
  const auto both = scheduled("lz4_frame", "input registers, checksum off, output_alignment 8, carve_out 50");
  ASSERT_TRUE(both.schedule && both.few);
  EXPECT_EQ(both.schedule->writer_warps, 0u);
  EXPECT_EQ(both.few->schedule.writer_warps, 1u);
  schedule::Schedule without = both.few->schedule;
  EXPECT_EQ(without.walker_warps, 1u);
  without.writer_warps = without.walker_warps = 0;
  EXPECT_EQ(schedule::to_text(without), schedule::to_text(*both.schedule));
  EXPECT_FALSE(without.checksum);
  EXPECT_EQ(without.carve_out, 50);
}

TEST(FewChunks, AreNoneWhereSomebodyChose) {
  ASSERT_TRUE(scheduled("lz4_block", "input shared").few);
  for (const char* pinned :
       {"strategy speculate", "strategy warp", "writer_warps 0", "writer_warps 1", "walker_warps 0", "chunk_warps 1", "chunk_warps 2",
        "warps_per_block auto", "warps_per_block 1", "warps_per_block 4", "input registers, writer_warps 0"}) {
    const auto chosen = scheduled("lz4_block", pinned);
    EXPECT_TRUE(chosen.schedule) << pinned;
    EXPECT_FALSE(chosen.few) << pinned;
  }
  // Directives that `speculate` does not have make another strategy the default.
  EXPECT_FALSE(scheduled("lz4_block", "resolve rounds").few);
  // A refused schedule has no second one.
  EXPECT_FALSE(scheduled("lz4_block", "strategy split").few);
  EXPECT_FALSE(scheduled("lz4_block", "input nowhere").few);
}

// A schedule file beside the spec counts like directives.
TEST(FewChunks, FollowTheScheduleFile) {
  const TemporaryDirectory own;
  const auto with_file = [&](const std::string& text) {
    driver::Request copy;
    copy.name = (own.path() / "mine.sluice").string();
    std::ofstream(copy.name) << driver::find_spec("lz4_block", "", {})->text;
    std::ofstream(own.path() / "mine.schedule") << text;
    return scheduled(copy, "");
  };
  EXPECT_TRUE(with_file("cuda:\n  input registers\n").few);
  EXPECT_FALSE(with_file("cuda:\n  warps_per_block auto\n").few);
  EXPECT_FALSE(with_file("cuda:\n  strategy speculate\n").few);
  EXPECT_TRUE(with_file("cuda:sm_80:\n  strategy speculate\n").few) << "another target's";
}

// What is chosen for people must be what they could have asked for.
TEST(FewChunks, TheirScheduleIsLegal) {
  std::size_t some = 0;
  for (const std::string& codec : driver::builtin_codecs()) {
    driver::Request request;
    request.name = codec;
    if (!driver::compile_spec(request).ok()) continue;  // it has parameters without a default
    for (const char* arch : {"sm_80", "sm_90"}) {
      const auto chosen = scheduled(codec, "", arch);
      auto asked = scheduled(codec, "writer_warps 1, walker_warps 1", arch);
      if (!asked.schedule) asked = scheduled(codec, "writer_warps 1", arch);
      const bool lanes = chosen.schedule->strategy == schedule::Strategy::Speculate;
      EXPECT_EQ(chosen.few.has_value(), lanes && asked.schedule.has_value()) << codec << " " << arch;
      if (!chosen.few) continue;
      ++some;
      EXPECT_EQ(schedule::to_text(chosen.few->schedule), schedule::to_text(*asked.schedule)) << codec << " " << arch;
      EXPECT_TRUE(scheduled(codec, schedule::to_text(chosen.few->schedule), arch).schedule) << codec << " " << arch;
    }
  }
  EXPECT_GE(some, 12u);
}

TEST(FewChunks, AreExplained) {
  const auto few = scheduled("lz4_block").few;
  ASSERT_TRUE(few);
  EXPECT_EQ(strategy::explain_few_chunks(*few),
            "writer_warps 1, walker_warps 1, below 15 chunks a multiprocessor (compiled at the first such batch)");
}

}  // namespace
}  // namespace sluice::test
