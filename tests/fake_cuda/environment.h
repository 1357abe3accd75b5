#pragma once
// Sets the stand-in up for a test, and counts what is left over at its end.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/api/sluice_cuda.hpp"

namespace sluice::test {

inline const std::string& tiny_spec() {
  static const std::string path = std::string(SOURCE_DIR) + "/examples/tinyrle/tinyrle.sluice";
  return path;
}

// Sets variables for a test and puts them back.
class Environment {
 public:
  void set(const char* name, const std::string& value) {
    const char* before = std::getenv(name);
    saved_.emplace_back(name, before ? std::optional<std::string>(before) : std::nullopt);
    setenv(name, value.c_str(), 1);
  }
  ~Environment() {
    for (auto it = saved_.rbegin(); it != saved_.rend(); ++it) {
      if (it->second)
        setenv(it->first, it->second->c_str(), 1);
      else
        unsetenv(it->first);
    }
  }

 private:
  std::vector<std::pair<const char*, std::optional<std::string>>> saved_;
};

class FakeCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    environment_.set("SLUICE_CUDA_DRIVER", FAKE_CUDA);
    environment_.set("SLUICE_NVRTC", FAKE_CUDA);
    environment_.set("SLUICE_CUDA_JIT", "nvrtc");
    environment_.set("SLUICE_CUDA_QUICK_START", "never");
    environment_.set("SLUICE_FAKE_CAPTURING", "");
    environment_.set("SLUICE_FAKE_FAIL", "");
    environment_.set("SLUICE_FAKE_ALIGNED", "");
    use("lz4_block");
    before_ = live_pieces();
  }
  void TearDown() override {
    setenv("SLUICE_FAKE_FAIL", "", 1);
    EXPECT_EQ(live_pieces(), before_) << "device or pinned memory was not given back";
  }

  // The format that kernels are run with; the same as the decoder under test.
  void use(const std::string& spec) { environment_.set("SLUICE_FAKE_SPEC", spec); }

  // What kernels may rely on: "128:16" bytes. The same as the decoder's schedule promises.
  void promise(const std::string& alignments) { environment_.set("SLUICE_FAKE_ALIGNED", alignments); }

  static std::size_t live_pieces() {
    void* library = dlopen(FAKE_CUDA, RTLD_LAZY | RTLD_LOCAL);
    const auto count = reinterpret_cast<std::size_t (*)()>(dlsym(library, "fake_cuda_live_pieces"));
    return count ? count() : ~std::size_t{0};
  }

  static cuda::Options options() {
    cuda::Options how;
    how.cache = false;
    return how;
  }

 private:
  Environment environment_;
  std::size_t before_ = 0;
};

// An LZ4 block of literals alone.
inline std::vector<std::uint8_t> lz4_block(const std::string& text) {
  std::vector<std::uint8_t> block;
  const std::size_t n = text.size();
  block.push_back(static_cast<std::uint8_t>(n < 15 ? n << 4 : 0xf0));
  if (n >= 15) {
    std::size_t rest = n - 15;
    for (; rest >= 255; rest -= 255) block.push_back(255);
    block.push_back(static_cast<std::uint8_t>(rest));
  }
  block.insert(block.end(), text.begin(), text.end());
  return block;
}

}  // namespace sluice::test
