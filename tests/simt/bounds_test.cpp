// Steps outside memory in a kernel end the program under AddressSanitizer and UBSan. This program is built with both.
#include <cstdint>
#include <cstdlib>

#include "tests/simt/kernel_fixture.h"

namespace sluice::simt::test {
namespace {

template <class Body>
void run(Body body) {
  const Report report = launch(grid(32), body);
  EXPECT_TRUE(report.ok()) << report.text;
}

// Outside of the death tests' statements, so that the compiler can't see how far the kernels go.
volatile unsigned steps = 32;

TEST(Bounds, OutputOverrun) {
  const auto kernel = [](unsigned n) {
    std::vector<unsigned char> out(32);
    run([&] {
      if (threadIdx.x < n) out.data()[threadIdx.x + n - 32] = 1;
    });
  };
  kernel(steps);
  EXPECT_DEATH(kernel(steps + 1), "heap-buffer-overflow");
}

TEST(Bounds, InputOverrun) {
  const auto kernel = [](unsigned n) {
    const std::vector<unsigned char> in(n);
    run([&] { __ballot_sync(0xffffffffu, in.data()[threadIdx.x]); });
  };
  kernel(steps);
  EXPECT_DEATH(kernel(steps - 1), "heap-buffer-overflow");
}

TEST(Bounds, SharedMemoryOverrun) {
  const auto kernel = [](unsigned n) {
    run([&] {
      __shared__ unsigned char cells[32];
      unsigned char* const place = cells;
      if (threadIdx.x == 0) place[n - 1] = 1;
    });
  };
  kernel(steps);
  EXPECT_DEATH(kernel(steps + 1), "global-buffer-overflow|insufficient space");
}

TEST(Bounds, LocalArrayOverrun) {
  const auto kernel = [](unsigned n) {
    run([&] {
      volatile unsigned char local[32] = {};
      volatile unsigned char* const place = local;
      __syncwarp();  // other lanes' frames come and go in between
      place[n - 1] = 1;
      __syncwarp();
    });
  };
  kernel(steps);
  EXPECT_DEATH(kernel(steps + 1), "stack-buffer-overflow|insufficient space");
}

TEST(Bounds, MisalignedAccess) {
  const auto kernel = [](unsigned skew) {
    alignas(8) unsigned char bytes[16] = {};
    run([&] {
      if (threadIdx.x == 0) *reinterpret_cast<volatile std::uint32_t*>(bytes + skew) = 1;
    });
  };
  kernel(steps - 28);
  EXPECT_DEATH(kernel(steps - 29), "misaligned address");
}

TEST(Bounds, ShiftByTooMuch) {
  const auto kernel = [](unsigned by) { run([&] { __shfl_sync(0xffffffffu, 1u << by, 0); }); };
  kernel(steps - 1);
  EXPECT_DEATH(kernel(steps), "shift exponent 32");
}

// Faults that leave lanes in the middle of instrumented frames don't spoil the stacks for what runs next.
TEST(Bounds, AbandonedLanesLeaveNoPoison) {
  for (unsigned i = 0; i < 50; ++i) {
    const Report bad = launch(grid(32), [] {
      volatile unsigned deep[200] = {};
      if (threadIdx.x + deep[7] == 9) return;
      __syncwarp();
    });
    EXPECT_EQ(bad.fault, Fault::ExitedLane);
    run([] {
      volatile unsigned char other[333] = {};
      for (unsigned k = 0; k < 333; ++k) other[k] = static_cast<unsigned char>(k);
      __ballot_sync(0xffffffffu, other[threadIdx.x]);
    });
  }
}

}  // namespace
}  // namespace sluice::simt::test
