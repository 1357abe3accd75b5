// Code that decodes until the kernel itself is compiled (cuda::Options::quick_start): which of them is launched when, and what
// becomes of a text whose objects can't be had.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "runtime/api/replacement.h"
#include "tests/fake_cuda/device_batch.h"
#include "tests/fake_cuda/watched.h"

namespace sluice::test {
namespace {

class FakeQuickStart : public FakeWatched {
 protected:
  FakeQuickStart() : FakeWatched("linked by the fake") {}

  cuda::Decoder quick(const char* word, bool wanted = true) {
    quick_.set("SLUICE_CUDA_QUICK_START", word);
    cuda::Options how = options();
    how.few_chunks = false;
    how.quick_start = wanted;
    return lz4(how);
  }
  void set(const char* name, const std::string& value) { quick_.set(name, value); }

 private:
  Environment quick_;
};

TEST_F(FakeQuickStart, LinkedCodeDecodes) {
  const cuda::Decoder decoder = quick("stay");
  EXPECT_NE(decoder.why().find("compiled for sm_90 as 2 objects side by side"), std::string::npos) << decoder.why();
  EXPECT_NE(decoder.log().find("--define-macro=SLUICE_OBJECT=1\n"), std::string::npos) << decoder.log();
  EXPECT_NE(decoder.log().find("--define-macro=SLUICE_OBJECT=2\n"), std::string::npos);
  EXPECT_NE(decoder.log().find("--relocatable-device-code=true\n"), std::string::npos);
  EXPECT_NE(decoder.log().find("--maxrregcount=48\n"), std::string::npos) << "the launch bounds leave so many";
  decoder.finish_compiling();  // nothing is under way
  decode(decoder, 3);
  EXPECT_EQ(watched().launched, 1u);
}

TEST_F(FakeQuickStart, TheKernelItselfTakesItsPlace) {
  const cuda::Decoder decoder = quick("always");
  EXPECT_NE(decoder.why().find(" as 2 objects side by side"), std::string::npos) << decoder.why();
  decode(decoder, 3);  // by the one or the other
  decoder.finish_compiling();
  const unsigned before = watched().launched;
  decode(decoder, 3);
  EXPECT_EQ(watched().launched, before);
}

TEST_F(FakeQuickStart, AGraphCapturesTheKernelItself) {
  set("SLUICE_FAKE_CAPTURING", "1");
  const cuda::Decoder decoder = quick("always");
  DeviceSide side;
  DeviceBlocks blocks(side, {"hello"});
  EXPECT_EQ(decoder.decode_async(blocks.batch, side.stream.get()), "");
  EXPECT_EQ(watched().launched, 0u);
  EXPECT_EQ(side.synchronize(), 0);
}

TEST_F(FakeQuickStart, MayBeRefused) {
  for (const cuda::Decoder& decoder : {quick("never"), quick("free", false)}) {
    EXPECT_EQ(decoder.why().find("objects"), std::string::npos) << decoder.why();
    decode(decoder, 3);
  }
  EXPECT_EQ(watched().launched, 0u);
}

TEST_F(FakeQuickStart, AKernelOfOneObjectIsCompiledWhole) {
  set("SLUICE_CUDA_QUICK_START", "always");
  const cuda::Decoder decoder = lz4("strategy warp");
  EXPECT_EQ(decoder.why().find("objects"), std::string::npos) << decoder.why();
}

TEST_F(FakeQuickStart, WhatCantBeLinkedIsCompiledWhole) {
  for (const char* function : {"cuLinkCreate_v2", "cuLinkAddData_v2", "cuLinkComplete"}) {
    set("SLUICE_FAKE_FAIL", std::string(function) + ":1");
    const cuda::Decoder decoder = quick("always");
    set("SLUICE_FAKE_FAIL", "");
    const std::string plain = std::string(function).substr(0, std::string(function).find("_v2"));
    EXPECT_NE(decoder.why().find("; not as objects: " + plain + ": CUDA_ERROR_OUT_OF_MEMORY"), std::string::npos) << decoder.why();
    decode(decoder, 3);
  }
  EXPECT_EQ(watched().launched, 0u);
}

TEST_F(FakeQuickStart, ARefusedTextIsToldAsEver) {
  refuse("sluice_decode_kernel");
  set("SLUICE_CUDA_QUICK_START", "always");
  const auto decoder = cuda::Decoder::from_name("lz4_block", options());
  ASSERT_FALSE(decoder);
  EXPECT_NE(decoder.error().text.find("which is a fault of Sluice"), std::string::npos) << decoder.error().text;
}

// The kernel of few chunks: nobody waits for it, and no less is decoded.
class FakeQuickFewChunks : public FakeWatched {
 protected:
  FakeQuickFewChunks() : FakeWatched("#define SLUICE_WRITER 1\n") {}
  void SetUp() override {
    FakeWatched::SetUp();
    quick_.set("SLUICE_CUDA_QUICK_START", "always");
  }
  Environment quick_;
};

TEST_F(FakeQuickFewChunks, HaveTheUsualKernelUntilTheirsIsCompiled) {
  const cuda::Decoder decoder = lz4();
  decode(decoder, 3);  // by the one or the other
  decoder.finish_compiling();
  EXPECT_EQ(watched().compiled, 1u);
  const unsigned before = watched().launched;
  decode(decoder, 3);
  EXPECT_EQ(watched().launched, before + 1);
  EXPECT_EQ(decoder.kernel(3).chunks_per_block, 1u);
  EXPECT_EQ(watched().compiled, 1u) << "once";
}

TEST_F(FakeQuickFewChunks, HaveTheUsualKernelWhereTheirsIsRefused) {
  refuse("#define SLUICE_WRITER 1\n");
  const cuda::Decoder decoder = lz4();
  for (int i = 0; i < 2; ++i) {
    decode(decoder, 3);
    decoder.finish_compiling();
  }
  EXPECT_EQ(watched().launched, 0u);
  EXPECT_EQ(decoder.kernel(3).chunks_per_block, 0u) << "it is not there";
}

TEST_F(FakeQuickFewChunks, AGraphCapturesTheirs) {
  quick_.set("SLUICE_FAKE_CAPTURING", "1");
  const cuda::Decoder decoder = lz4();
  DeviceSide side;
  DeviceBlocks blocks(side, {"hello", std::string(1000, 'x'), ""});
  EXPECT_EQ(decoder.decode_async(blocks.batch, side.stream.get()), "");
  EXPECT_EQ(watched().launched, 1u);
  EXPECT_EQ(side.synchronize(), 0);
}

// A process that ends waits for what is under way, whose owner may be gone.
TEST(Replacement, IsFinishedBeforeTheProcessEnds) {
  const auto leave = [] {
    cuda::Replacement().start([]() -> Result<cuda::Replacement::Program> {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      std::fputs("finished", stderr);
      return Error{Error::Kind::Environment, "none", {}};
    });
    std::exit(0);
  };
  EXPECT_EXIT(leave(), ::testing::ExitedWithCode(0), "finished");
}

TEST(Replacement, ThatCantBeMadeTakesNoPlace) {
  cuda::Replacement one;
  EXPECT_FALSE(one.pending());
  EXPECT_EQ(one.made(), nullptr);
  ASSERT_TRUE(one.start([]() -> Result<cuda::Replacement::Program> { return Error{Error::Kind::Environment, "none", {}}; }));
  one.settle();
  EXPECT_FALSE(one.pending());
  EXPECT_EQ(one.made(), nullptr);
}

}  // namespace
}  // namespace sluice::test
