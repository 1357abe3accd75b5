// Where NVRTC is looked for; and the real one, where there is one: it compiles what the compiler writes.
#include "runtime/jit/nvrtc.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "compiler/driver/compile.h"
#include "compiler/emit/cuda.h"
#include "runtime/jit/nvrtc_search.h"
#include "tests/fake_cuda/environment.h"

namespace sluice::test {
namespace {

namespace fs = std::filesystem;

class NvrtcSearchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("sluice_nvrtc_" + std::to_string(getpid()));
    environment_.set("SLUICE_NVRTC", "");
  }
  void TearDown() override { fs::remove_all(root_); }
  fs::path file(const fs::path& name) {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << "x";
    return root_ / name;
  }
  fs::path root_;
  Environment environment_;
};

TEST_F(NvrtcSearchTest, TheVariableDecidesAlone) {
  const fs::path library = file("own/libnvrtc.so.12");
  environment_.set("SLUICE_NVRTC", library);
  EXPECT_EQ(runtime::search_nvrtc().file, library);
  environment_.set("SLUICE_NVRTC", library.parent_path());
  EXPECT_EQ(runtime::search_nvrtc().file, library);
  environment_.set("SLUICE_NVRTC", "none");
  environment_.set("LD_LIBRARY_PATH", library.parent_path());
  const auto search = runtime::search_nvrtc();
  EXPECT_FALSE(search.file);
  EXPECT_FALSE(search.ask_loader);
  const auto none = runtime::Nvrtc::find();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, Error::Kind::Environment);
  EXPECT_NE(none.error().text.find("$SLUICE_NVRTC=none"), std::string::npos);
}

TEST_F(NvrtcSearchTest, LibraryPathFirstNewestFirst) {
  const fs::path older = file("a/libnvrtc.so.12"), newer = file("a/libnvrtc.so.13"), other = file("b/libnvrtc.so.13");
  environment_.set("LD_LIBRARY_PATH",
                   root_.string() + "/none::" + older.parent_path().string() + ":" + other.parent_path().string());
  EXPECT_EQ(runtime::search_nvrtc().file, newer);
}

TEST_F(NvrtcSearchTest, LooksIntoPythonPackages) {
  file("venv/lib/python3.11/site-packages/nvidia/cu13/lib/readme");
  file("venv/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/readme");
  environment_.set("VIRTUAL_ENV", (root_ / "venv").string());
  const auto search = runtime::search_nvrtc();
  if (search.file && search.file->string().find("python3") == std::string::npos)
    GTEST_SKIP() << "this machine has an NVRTC that comes before: " << *search.file;
  for (const char* package : {"cu13", "cuda_nvrtc"})
    EXPECT_TRUE(std::ranges::any_of(search.looked_in, [&](const std::string& directory) {
      return directory == (root_ / "venv/lib/python3.11/site-packages/nvidia" / package / "lib").string();
    })) << package;
}

TEST_F(NvrtcSearchTest, AFileThatIsNoLibraryIsSaidToBe) {
  environment_.set("SLUICE_NVRTC", file("own/libnvrtc.so.13"));
  const auto nvrtc = runtime::Nvrtc::find();
  ASSERT_TRUE(nvrtc);
  const auto code = nvrtc->compile("", "sm_90");
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().kind, Error::Kind::Environment);
  EXPECT_NE(code.error().text.find("NVRTC can't be loaded"), std::string::npos);
}

class RealNvrtc : public ::testing::Test {
 protected:
  void SetUp() override {
    auto found = runtime::Nvrtc::find();
    if (!found) GTEST_SKIP() << found.error().text;
    nvrtc_ = std::move(*found);
  }
  std::optional<runtime::Nvrtc> nvrtc_;
};

TEST_F(RealNvrtc, CompilesAKernel) {
  driver::Request request;
  request.name = std::string(SOURCE_DIR) + "/examples/tinyrle/tinyrle.sluice";
  const driver::Compiled compiled = driver::compile_spec(request);
  ASSERT_TRUE(compiled.ok());
  const emit::CudaUnit unit = emit::emit_cuda(*compiled.module);
  const auto code = nvrtc_->compile(unit.text, "sm_80");
  ASSERT_TRUE(code) << code.error().text;
  EXPECT_EQ(code->image[0], 0x7f) << "a CUBIN is an ELF file";
  for (const std::string& name : {unit.plan.decode, unit.plan.count}) {
    const auto* kernel = runtime::find_kernel(code->kernels, name);
    ASSERT_NE(kernel, nullptr) << code->log;
    EXPECT_GT(kernel->registers, 0u);
  }
  const auto ptx = nvrtc_->compile(unit.text, "compute_80");
  ASSERT_TRUE(ptx) << ptx.error().text;
  EXPECT_EQ(ptx->image.back(), 0);
  EXPECT_TRUE(ptx->kernels.empty());
}

TEST_F(RealNvrtc, SaysWhatIsWrong) {
  auto code = nvrtc_->compile("this is no CUDA", "sm_80");
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().kind, Error::Kind::Spec);
  EXPECT_NE(code.error().text.find("kernel.cu(1)"), std::string::npos);
  code = nvrtc_->compile("", "sm_20");
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().kind, Error::Kind::Environment);
  EXPECT_NE(code.error().text.find("sm_80"), std::string::npos) << code.error().text;
}

}  // namespace
}  // namespace sluice::test
