// Checksums of a warp against those of one thread: all short sizes at all alignments, sizes around a batch of lines, and
// sums that come close to their limits.
#include "tests/simt/prim_texts.h"

#if !defined(PRIM_CHECKSUM_SUITE)
#define PRIM_CHECKSUM_SUITE PrimChecksum
#endif

namespace sluice::simt::test {
namespace {

void compare_checksums(Bytes& bytes) {
  const u8* const p = bytes.data();
  const u64 n = bytes.size();
  SCOPED_TRACE(testing::Message() << n << " bytes at " << (reinterpret_cast<std::uintptr_t>(p) & 15));
  EXPECT_EQ(result_of_all([&] { return gpu::prim::adler32(p, n); }), cpu::prim::adler32(p, n));
  EXPECT_EQ(result_of_all([&] { return gpu::prim::crc32(p, n); }), cpu::prim::crc32(p, n));
  EXPECT_EQ(result_of_all([&] { return gpu::prim::crc32c(p, n); }), cpu::prim::crc32c(p, n));
  EXPECT_EQ(result_of_all([&] { return gpu::prim::crc32_bzip2(p, n); }), cpu::prim::crc32_bzip2(p, n));
  EXPECT_EQ(result_of_all([&] { return gpu::prim::xxh32(p, n); }), cpu::prim::xxh32(p, n));
  EXPECT_EQ(result_of_all([&] { return gpu::prim::xxh64(p, n); }), cpu::prim::xxh64(p, n));
}

Bytes random_bytes(u64 n, u64 skew) {
  Bytes bytes(n, skew);
  for (u64 i = 0; i < n; ++i) bytes.data()[i] = static_cast<u8>(random_source()());
  return bytes;
}

TEST(PRIM_CHECKSUM_SUITE, ShortSizesAtAllAlignments) {
  for (u64 n = 0; n <= 300; ++n) {
    Bytes bytes = random_bytes(n, n % 8);
    compare_checksums(bytes);
  }
  for (u64 skew = 0; skew < 8; ++skew) {
    for (u64 n = 0; n <= 20; ++n) {
      Bytes bytes = random_bytes(n, skew);
      compare_checksums(bytes);
    }
  }
}

TEST(PRIM_CHECKSUM_SUITE, AroundBatchesOfLines) {
  for (const u64 n : {508, 511, 512, 513, 516, 1020, 1023, 1024, 1025, 1028, 2047, 2048, 2049, 2303, 2304, 2305, 2308, 3072, 4607, 4608, 4612, 4616, 6912, 7040, 10007, 50001}) {
    for (u64 skew = 0; skew < 4; ++skew) {
      Bytes bytes = random_bytes(n, skew);
      compare_checksums(bytes);
    }
  }
}

// More than one run of Adler-32 without reduction.
// The distances over which CRCs are folded: y^-d, y = x^32, summed up over them, is 1.
template <u32 Polynomial> void expect_distances() {
  typedef gpu::prim::CrcFold<Polynomial> Fold;
  const auto over = [](u32 words) {  // y^(farthest - words)
    u32 power = 1u << 31;
    for (u32 i = 0; i < 32 * (gpu::prim::kLanes * gpu::prim::kBatchLines - words); ++i) power = gpu::prim::crc_times_x(power, Polynomial);
    return power;
  };
  u32 sum = over(0) ^ over(Fold::kFirst) ^ over(Fold::kSecond);
  for (u32 d = 1; d <= gpu::prim::kBatchLines; ++d)
    if ((Fold::kLines >> d & 1) != 0) sum ^= over(gpu::prim::kLanes * d);
  EXPECT_EQ(sum, 0u);
}
TEST(PRIM_CHECKSUM_SUITE, DistancesOfFoldedWords) {
  expect_distances<gpu::prim::kCrc32Polynomial>();
  expect_distances<gpu::prim::kCrc32cPolynomial>();
}

// What others have just written, without a barrier between.
TEST(PRIM_CHECKSUM_SUITE, BytesThatOthersWroteLast) {
  for (const u64 n : {3, 40, 700}) {
    Bytes right = random_bytes(n, 1);
    const auto compare = [&](auto&& gpu_sum, auto&& cpu_sum) {
      Bytes bytes(n, 1);
      const auto sum = result_of_all([&] {
        for (u64 i = gpu::prim::worker(); i < n; i += kThreads) bytes.data()[i] = right.data()[i];
        return gpu_sum(bytes.data(), n);
      });
      EXPECT_EQ(sum, cpu_sum(right.data(), n)) << n;
    };
    compare([](const u8* p, u64 m) { return gpu::prim::adler32(p, m); }, cpu::prim::adler32);
    compare([](const u8* p, u64 m) { return gpu::prim::crc32(p, m); }, cpu::prim::crc32);
    compare([](const u8* p, u64 m) { return gpu::prim::crc32c(p, m); }, cpu::prim::crc32c);
    compare([](const u8* p, u64 m) { return gpu::prim::crc32_bzip2(p, m); }, cpu::prim::crc32_bzip2);
    compare([](const u8* p, u64 m) { return gpu::prim::xxh32(p, m); }, cpu::prim::xxh32);
    compare([](const u8* p, u64 m) { return gpu::prim::xxh64(p, m); }, cpu::prim::xxh64);
  }
}

TEST(PRIM_CHECKSUM_SUITE, LargestBytes) {
  Bytes bytes(600001, 3);
  std::memset(bytes.data(), 255, bytes.size());
  compare_checksums(bytes);
}

}  // namespace
}  // namespace sluice::simt::test
