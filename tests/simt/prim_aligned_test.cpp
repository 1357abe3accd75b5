// Stores of elements, and runs of them, where the schedule promises how the output is aligned: the bytes that a plain
// loop writes, and no others. Other promises: prim_aligned_elements_test.cpp.
#if !defined(SLUICE_OUTPUT_ALIGNMENT)
#define SLUICE_OUTPUT_ALIGNMENT 16
#define PRIM_ALIGNED_SUITE PrimAligned
#endif
#include "tests/simt/prim_texts.h"

namespace sluice::simt::test {
namespace {

constexpr u64 kGuard = 48;  // more than any store on either side

// What lies in a stretch of output that begins at a multiple of 16, with bytes of others around it.
class Output {
 public:
  explicit Output(u64 size) : units_((2 * kGuard + size) / sizeof(Unit) + 1) {
    std::memset(units_.data(), 0xee, units_.size() * sizeof(Unit));
  }
  u8* at(u64 byte) { return reinterpret_cast<u8*>(units_.data()) + kGuard + byte; }
  bool operator==(const Output&) const = default;

 private:
  struct alignas(16) Unit {
    std::array<u8, 16> bytes;
    bool operator==(const Unit&) const = default;
  };
  std::vector<Unit> units_;
};

template <u32 Elem>
void put(u8* at, u64 value) {
  std::memcpy(at, &value, Elem);
}

// A run of n elements from element `start` of the output on.
template <u32 Elem>
void compare_fill(u64 start, u64 n, u64 first, u64 by) {
  SCOPED_TRACE(testing::Message() << n << " elements of " << Elem << " bytes from element " << start << " on, " << first
                                  << " by " << by);
  Output expected((start + n) * Elem), made((start + n) * Elem);
  for (u64 i = 0; i < n; ++i) put<Elem>(expected.at((start + i) * Elem), first + i * by);
  with_workers([&] { gpu::prim::fill<Elem>(made.at(start * Elem), first, by, n); });
  ASSERT_TRUE(made == expected);
}

template <u32 Elem>
void compare_fills() {
  for (const u64 start : {0, 1, 2, 3, 5, 7, 8, 15})
    for (const u64 n : {0, 1, 31, 32, 33, 34, 47, 48, 64, 65, 130, 512, 1021})
      for (const u64 by : {u64{0}, u64{1}, u64{0} - 3, u64{0x0102030405060708}})
        compare_fill<Elem>(start, n, 0xf1e2d3c4b5a69788, by);
}

template <u32 Elem>
void compare_stores() {
  for (u64 at = 0; at < 20; ++at) {
    Output expected(20 * Elem), made(20 * Elem), by_lane(20 * Elem);
    put<Elem>(expected.at(at * Elem), 0xf1e2d3c4b5a69788 + at);
    with_workers([&] { gpu::prim::store<Elem>(made.at(at * Elem), 0xf1e2d3c4b5a69788 + at); });
    with_workers([&] {
      if (gpu::prim::worker() == at) gpu::prim::store_lane<Elem>(by_lane.at(at * Elem), 0xf1e2d3c4b5a69788 + at);
    });
    ASSERT_TRUE(made == expected) << Elem << " bytes, element " << at;
    ASSERT_TRUE(by_lane == expected) << Elem << " bytes, element " << at;
  }
}

TEST(PRIM_ALIGNED_SUITE, RunsOfElements) {
  compare_fills<1>();
  compare_fills<2>();
  compare_fills<4>();
  compare_fills<8>();
}

TEST(PRIM_ALIGNED_SUITE, SingleElements) {
  compare_stores<1>();
  compare_stores<2>();
  compare_stores<4>();
  compare_stores<8>();
}

}  // namespace
}  // namespace sluice::simt::test
