// The primitives of kernels, on the SIMT layer, and those of CPU decoders beside them: what the one computes with all
// workers together, the other does alone. Define SLUICE_WORKERS before to have more workers than a warp.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "tests/simt/kernel_fixture.h"

#pragma GCC diagnostic push
#include "tests/simt/prim_quiet.h"

namespace sluice::simt::test {
namespace {

namespace gpu {
#include "runtime/prim/cuda/base.h"
#include "runtime/prim/cuda/warp.h"
#include "runtime/prim/cuda/wide_copy.h"
#include "runtime/prim/cuda/copy.h"
#include "runtime/prim/cuda/codes.h"
#include "runtime/prim/cuda/states.h"
#include "runtime/prim/cuda/checksum.h"
#include "runtime/prim/cuda/stages.h"
#include "runtime/prim/cuda/permute.h"
namespace prim {
__shared__ u32 stage_words[kStageWords];
SLUICE_INLINE u32* stage_room() { return stage_words; }
}  // namespace prim
}  // namespace gpu

#include "tests/simt/prim_between.h"
namespace cpu {
#include "runtime/prim/base.h"
#include "runtime/prim/bits.h"
#include "runtime/prim/turned.h"
#include "runtime/prim/copy.h"
#include "runtime/prim/codes.h"
#include "runtime/prim/states.h"
#include "runtime/prim/varint.h"
#include "runtime/prim/checksum.h"
#include "runtime/prim/stream.h"
#include "runtime/prim/stages.h"
}  // namespace cpu

using gpu::u16;
using gpu::u32;
using gpu::u64;
using gpu::u8;

inline constexpr u32 kThreads = gpu::prim::kWorkers;

// Runs body() as every worker of one chunk, under a new order of lanes each time.
template <class Body>
void with_workers(Body body) {
  static std::uint64_t seed = 0;
  const Report report = launch(grid(kThreads, seed++), body);
  ASSERT_TRUE(report.ok()) << report.text;
}

// The one result that all workers have.
template <class Body>
u64 result_of_all(Body body) {
  std::vector<u64> results(kThreads);
  with_workers([&] { results[threadIdx.x] = static_cast<u64>(body()); });
  EXPECT_EQ(std::count(results.begin(), results.end(), results[0]), static_cast<long>(kThreads));
  return results[0];
}

// Bytes that start `skew` behind a multiple of 8 and end where the allocation ends.
class Bytes {
 public:
  explicit Bytes(u64 size, u64 skew = 0)
      : words_(new u64[(size + skew + 7) / 8 + 1]), end_(reinterpret_cast<u8*>(words_.get()) + skew + size), size_(size) {
    std::memset(words_.get(), 0xee, ((size + skew + 7) / 8 + 1) * 8);
  }
  u8* data() { return end_ - size_; }
  u64 size() const { return size_; }
  void fill_from(Bytes& other) { std::copy_n(other.data(), size_, data()); }
  bool operator==(Bytes& other) { return std::equal(data(), end_, other.data()); }

 private:
  std::unique_ptr<u64[]> words_;
  u8* end_;
  u64 size_;
};

inline std::mt19937& random_source() {
  static std::mt19937 source(0x51ce);
  return source;
}
inline u32 random_below(u64 n) { return static_cast<u32>(random_source()() % n); }

}  // namespace
}  // namespace sluice::simt::test

#pragma GCC diagnostic pop
