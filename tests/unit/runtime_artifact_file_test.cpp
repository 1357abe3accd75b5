// Artifacts that can't be read: the same words from decoders of both kinds, and no exception.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "compiler/artifact/write.h"
#include "runtime/api/artifact_file.h"
#include "runtime/api/sluice.hpp"
#include "runtime/api/sluice_cuda.hpp"
#include "temporary_directory.h"

namespace sluice {
namespace {
namespace fs = std::filesystem;

class ArtifactFile : public testing::Test {
 protected:
  std::string put(const char* name, std::span<const std::uint8_t> bytes) {
    const std::string path = (root_ / name).string();
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return path;
  }
  // What all three say, without the file's name and the end of the line.
  static std::string said(const std::string& path) {
    std::string sentence;
    EXPECT_FALSE(read_artifact_file(path, sentence)) << path;
    const auto cpu = Decoder::from_artifact_file(path);
    const auto gpu = cuda::Decoder::from_artifact_file(path);
    EXPECT_FALSE(cpu);
    EXPECT_FALSE(gpu);
    if (cpu || gpu) return {};
    EXPECT_EQ(cpu.error().kind, Error::Kind::Environment);
    EXPECT_EQ(gpu.error().kind, Error::Kind::Environment);
    EXPECT_EQ(cpu.error().text, path + ": " + sentence + "\n");
    EXPECT_EQ(gpu.error().text, path + ": " + sentence);
    return sentence;
  }

  const test::TemporaryDirectory own_;
  const fs::path& root_ = own_.path();
};

TEST_F(ArtifactFile, ReadsWhatWasWritten) {
  artifact::Artifact made;
  made.producer = "the test";
  made.format.name = "nothing";
  // Longer than the pieces in which files are read.
  artifact::CpuImage image;
  image.isa = "x86-64";
  image.abi = 1;
  image.image.assign(200000, 0x5a);
  made.cpu.push_back(image);
  const std::string path = put("good.sluicea", artifact::write(made));
  std::string error;
  const auto read = read_artifact_file(path, error);
  ASSERT_TRUE(read) << error;
  EXPECT_EQ(read->format.name, "nothing");
  ASSERT_EQ(read->cpu.size(), 1u);
  EXPECT_EQ(read->cpu[0].image, image.image);
}

TEST_F(ArtifactFile, RefusesTheRestInTheSameWords) {
  EXPECT_EQ(said((root_ / "absent.sluicea").string()), "no such file, or it can't be read");
  fs::create_directory(root_ / "directory.sluicea");
  EXPECT_EQ(said((root_ / "directory.sluicea").string()), "no such file, or it can't be read");
  EXPECT_NE(said(put("empty.sluicea", {})), "no such file, or it can't be read");
  const std::uint8_t text[]{'f', 'o', 'r', 'm', 'a', 't'};
  EXPECT_NE(said(put("text.sluicea", text)).find("not a Sluice artifact"), std::string::npos);
}

}  // namespace
}  // namespace sluice
