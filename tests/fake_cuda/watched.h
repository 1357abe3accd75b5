#pragma once
// Tests that ask which kernels are compiled and launched: those whose text has some words in it are watched.
#include <dlfcn.h>

#include <string>
#include <utility>

#include "tests/fake_cuda/environment.h"
#include "tests/fake_cuda/fake.h"
#include "tests/fake_cuda/host_batch.h"

namespace sluice::test {

class FakeWatched : public FakeCuda {
 protected:
  explicit FakeWatched(const char* words) : words_(words) {}

  void SetUp() override {
    FakeCuda::SetUp();
    environment_.set("SLUICE_FAKE_WATCH", words_);
    environment_.set("SLUICE_FAKE_REFUSES", "no such words");
    start_ = since_load();
  }

  // Of the watched kernels since the test began, and the last launch.
  fake::Watched watched() const {
    fake::Watched now = since_load();
    now.compiled -= start_.compiled;
    now.launched -= start_.launched;
    return now;
  }

  static cuda::Decoder lz4(const cuda::Options& how) {
    auto made = cuda::Decoder::from_name("lz4_block", how);
    EXPECT_TRUE(made) << made.error().text;
    return *made;
  }
  static cuda::Decoder lz4(const std::string& schedule = "") {
    cuda::Options how = options();
    how.schedule = schedule;
    return lz4(how);
  }

  static void decode(const cuda::Decoder& decoder, std::size_t chunks) {
    Chunks batch(chunks, [](std::size_t) -> std::size_t { return 13; });
    EXPECT_EQ(decoder.decode_batch(batch.chunks, batch.statuses), "") << chunks;
    batch.check();
  }

  void refuse(const char* words) { environment_.set("SLUICE_FAKE_REFUSES", words); }

 private:
  static fake::Watched since_load() {
    fake::Watched now;
    void* library = dlopen(FAKE_CUDA, RTLD_LAZY | RTLD_LOCAL);
    const auto get = reinterpret_cast<void (*)(fake::Watched*)>(dlsym(library, "fake_cuda_watched"));
    EXPECT_NE(get, nullptr);
    if (get) get(&now);
    return now;
  }

  const char* words_;
  Environment environment_;
  fake::Watched start_;
};

}  // namespace sluice::test
