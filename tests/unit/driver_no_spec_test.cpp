// Words that name no spec: what is said leads on to what may have been meant.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "compiler/artifact/artifact.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/no_spec.h"
#include "compiler/driver/schedule.h"
#include "compiler/strategy/model.h"
#include "temporary_directory.h"

namespace sluice::driver {
namespace {
namespace fs = std::filesystem;

constexpr const char* kMine =
    "format mine\n  input bytes\n  output bytes\n\n  repeat until end of input\n    c: u8\n    emit c\n";

// A directory of its own, in which the test runs.
class NoSpec : public testing::Test {
 protected:
  void SetUp() override {
    before_ = fs::current_path();
    fs::current_path(own_.path());
  }
  void TearDown() override { fs::current_path(before_); }
  static void put(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }
  static std::string said(const std::string& name, Failure failure) {
    Request request;
    request.name = name;
    const Compiled compiled = compile_spec(request);
    EXPECT_EQ(compiled.failure, failure) << name;
    return failure_message(compiled, false);
  }

  const test::TemporaryDirectory own_;
  fs::path before_;
};

TEST_F(NoSpec, PartsOfNamesAreKnown) {
  EXPECT_EQ(no_codec_text("lz4"), "no codec `lz4`; did you mean `lz4_block`, `lz4_frame` or `orc_lz4`?");
  EXPECT_EQ(no_codec_text("orc_rle"), "no codec `orc_rle`; did you mean `orc_rle_v1` or `orc_rle_v2`?");
  EXPECT_EQ(no_codec_text("DEFLATE"), "no codec `DEFLATE`; did you mean `deflate`?");
  EXPECT_EQ(no_codec_text("inflate"), "no codec `inflate`; did you mean `deflate`?");
  for (const char* name : {"brotli", ""}) {
    const std::string text = no_codec_text(name);
    EXPECT_TRUE(text.starts_with("no codec `" + std::string(name) + "`; built in are blosc, blosclz, bzip2, deflate, ")) << text;
    EXPECT_TRUE(text.ends_with("zstd. A spec of your own is given by its path")) << text;
  }
}

TEST_F(NoSpec, FilesAreFound) {
  put("mine", kMine);
  EXPECT_EQ(said("mine", Failure::NoCodec), "no codec `mine`; the file of that name is given as `./mine`\n");
  EXPECT_EQ(said("./mine", Failure::None), "");
  EXPECT_EQ(said("gzip.sluice", Failure::NoFile),
            "gzip.sluice: no such file, or it can't be read; the codec that is built in is named without an ending: "
            "`gzip`\n");
  EXPECT_EQ(said("./absent.sluice", Failure::NoFile), "./absent.sluice: no such file, or it can't be read\n");
  fs::create_directory("own");
  EXPECT_EQ(said("own/", Failure::NoFile), "own/: a directory, not a spec\n");
  put("own/own.sluice", kMine);
  for (const char* path : {"own/", "./own", "./own/", "own/../own"})
    EXPECT_EQ(said(path, Failure::NoFile), path + std::string(": a directory; did you mean `own/own.sluice`?\n"));
}

TEST_F(NoSpec, WhatIsNoTextIsNotParsed) {
  const std::string magic(artifact::kMagic.begin(), artifact::kMagic.end());
  put("built", magic + "anything");
  put("data", std::string("PK\3\4\0", 5));
  for (const char* name : {"built", "./built"})
    EXPECT_TRUE(said(name, Failure::NoCodec).starts_with(std::string(name) + ": an artifact, not a spec")) << name;
  for (const char* name : {"data", "./data"})
    EXPECT_EQ(said(name, Failure::NoCodec), std::string(name) + ": not a text (byte 4 is 0), so no spec\n");
  EXPECT_FALSE(why_not_text("x", magic.substr(0, 7)));
  EXPECT_FALSE(why_not_text("x", ""));
  Request request;
  request.name = "mine.sluice";
  request.text = magic;
  EXPECT_EQ(compile_spec(request).failure, Failure::Diagnosed);  // from no file: it has its diagnostics
  request.directory = ".";
  EXPECT_EQ(compile_spec(request).failure, Failure::NoCodec);
}

TEST_F(NoSpec, AScheduleForAnotherTargetIsMentioned) {
  put("mine.sluice", kMine);
  put("mine.schedule", "cuda:sm_80:\n  strategy leader\n");
  Request request;
  request.name = "./mine.sluice";
  Compiled compiled = compile_spec(request);
  ASSERT_TRUE(compiled.ok());
  const analysis::Facts facts = analysis::analyse(*compiled.module);
  EXPECT_EQ(schedule_for(compiled, request, facts, "cuda:sm_90", "").origin,
            fmt::format("the default: ./mine.schedule has no section for cuda:sm_90 ({})", strategy::explain_level(schedule::Strategy::Lanes, {strategy::Work::ByteValues})));
  EXPECT_EQ(schedule_for(compiled, request, facts, "cuda:sm_80", "").origin, "./mine.schedule, `cuda:sm_80:`");
}

}  // namespace
}  // namespace sluice::driver
