#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <limits>
#include <vector>

#include "runtime/launch/batch.h"

#if defined(__SANITIZE_ADDRESS__)
// Too large a request fails, as it does without the sanitizer, instead of ending the program.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
#endif

namespace sluice::runtime {
namespace {

TEST(Batch, RunsEachChunkOnceWhateverTheThreads) {
  for (const unsigned threads : {0u, 1u, 2u, 7u}) {
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{500}}) {
      std::vector<std::atomic<int>> runs(count);
      ASSERT_TRUE(run_batch(count, threads, 16, [&](std::size_t i, void*) { ++runs[i]; }));
      for (const auto& n : runs) ASSERT_EQ(n, 1);
    }
  }
}

TEST(Batch, ScratchIsAlignedAndNotShared) {
  constexpr std::size_t kBytes = 4096;
  std::atomic<int> wrong = 0;
  ASSERT_TRUE(run_batch(300, 4, kBytes, [&](std::size_t i, void* scratch) {
    if (reinterpret_cast<std::uintptr_t>(scratch) % 64 != 0) ++wrong;
    // Whoever shared it would overwrite this before it is read back.
    auto* bytes = static_cast<volatile unsigned char*>(scratch);
    const auto mark = static_cast<unsigned char>(i);
    for (int round = 0; round < 20; ++round) {
      for (std::size_t k = 0; k < kBytes; ++k) bytes[k] = mark;
      for (std::size_t k = 0; k < kBytes; ++k)
        if (bytes[k] != mark) ++wrong;
    }
  }));
  EXPECT_EQ(wrong, 0);
}

TEST(Batch, LackOfMemoryIsReported) {
  int runs = 0;
  const std::uint64_t too_much = std::numeric_limits<std::uint64_t>::max() / 4;
  EXPECT_FALSE(run_batch(2, 1, too_much, [&](std::size_t, void*) { ++runs; }));
  EXPECT_FALSE(run_batch(2, 2, too_much, [&](std::size_t, void*) { ++runs; }));
  EXPECT_EQ(runs, 0);
}

}  // namespace
}  // namespace sluice::runtime
