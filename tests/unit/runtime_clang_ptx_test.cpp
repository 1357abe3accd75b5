// Kernels by Clang: PTX that stands for itself. That ptxas takes it and GPUs run it right is for tests/gpu.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdlib>
#include <string>

#include "compiler/analysis/facts.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/schedule.h"
#include "compiler/emit/cuda.h"
#include "runtime/jit/clang_ptx.h"
#include "runtime/jit/cuda_code.h"

namespace sluice::runtime {
namespace {

// With the codec's own schedule: those of GSST and Gompresso/Bit have primitives that others have not.
std::string kernel_text(const char* codec) {
  driver::Request request;
  request.name = codec;
  driver::Compiled compiled = driver::compile_spec(request);
  EXPECT_TRUE(compiled.ok()) << codec;
  emit::CudaOptions options;
  const auto scheduled = driver::schedule_for(compiled, request, analysis::analyse(*compiled.module), "cuda", "");
  EXPECT_TRUE(scheduled.schedule.has_value()) << codec;
  if (scheduled.schedule) options.schedule = *scheduled.schedule;
  options.count = false;
  return emit::emit_cuda(*compiled.module, options).text;
}

class ClangPtx : public testing::Test {
 protected:
  void SetUp() override {
    std::string why_not;
    if (clang_ptx_identity(why_not).empty()) GTEST_SKIP() << why_not;
    const auto tiny = clang_ptx("extern \"C\" __global__ void k(int* p) { *p = 1; }", "sm_80");
    if (!tiny && tiny.error().text.find("no code generator") != std::string::npos) GTEST_SKIP() << tiny.error().text;
  }
  void TearDown() override { unsetenv("SLUICE_CUDA_JIT"); }
};

TEST_F(ClangPtx, StandsForItself) {
  for (const char* codec : {"orc_byte_rle", "lz4_block", "gsst_splits", "gsst_interleaved", "gompresso_bit", "patel"}) {
    const auto ptx = clang_ptx(kernel_text(codec), "sm_80");
    ASSERT_TRUE(ptx) << codec << ": " << ptx.error().text;
    ASSERT_EQ(ptx->back(), 0);
    const std::string text(ptx->begin(), ptx->end() - 1);
    EXPECT_EQ(text.find('\0'), std::string::npos);
    EXPECT_NE(text.find(".target sm_80"), std::string::npos) << codec;
    EXPECT_NE(text.find(".entry sluice_decode_kernel("), std::string::npos) << codec;
    EXPECT_EQ(text.find(".extern"), std::string::npos) << codec << " needs what is not there";
  }
}

TEST_F(ClangPtx, ErrorsAreTheCompilers) {
  const auto wrong = clang_ptx("__global__ void k() { nothing(); }", "sm_80");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().kind, Error::Kind::Spec);
  EXPECT_NE(wrong.error().text.find("undeclared identifier 'nothing'"), std::string::npos) << wrong.error().text;
}

TEST_F(ClangPtx, StandsInForNvrtc) {
  const ObjectCache none({});
  const std::string text = kernel_text("orc_byte_rle");
  setenv("SLUICE_CUDA_JIT", "clang", 1);
  const auto ptx = compile_cuda(text, "compute_80", none);
  ASSERT_TRUE(ptx) << ptx.error().text;
  EXPECT_TRUE(ptx->code.is_ptx());
  EXPECT_EQ(ptx->why, "Clang: compiled for compute_80");
  EXPECT_FALSE(compile_cuda(text, "sm_90", none));  // machine code takes NVRTC
  EXPECT_EQ(compilable_arch("sm_86"), "compute_86");
  EXPECT_EQ(compilable_arch("sm_100"), "compute_90");
  setenv("SLUICE_CUDA_JIT", "nvrtc", 1);
  EXPECT_EQ(compilable_arch("sm_100"), "sm_100");
  setenv("SLUICE_NVRTC", "none", 1);
  EXPECT_FALSE(compile_cuda(text, "compute_80", none));
  unsetenv("SLUICE_CUDA_JIT");
  const auto fallen_back = compile_cuda(text, "compute_80", none);
  ASSERT_TRUE(fallen_back) << fallen_back.error().text;
  EXPECT_EQ(fallen_back->why.substr(0, 5), "Clang");
  EXPECT_EQ(compilable_arch("sm_90"), "compute_90");
  unsetenv("SLUICE_NVRTC");
}

}  // namespace
}  // namespace sluice::runtime
