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
  for (const u64 n : {508, 511, 512, 513, 516, 1020, 1023, 1024, 1025, 1028, 2047, 2048, 2049, 3071, 3072, 4096, 10007}) {
    for (u64 skew = 0; skew < 4; ++skew) {
      Bytes bytes = random_bytes(n, skew);
      compare_checksums(bytes);
    }
  }
}

// More than one run of Adler-32 without reduction.
TEST(PRIM_CHECKSUM_SUITE, LargestBytes) {
  Bytes bytes(600001, 3);
  std::memset(bytes.data(), 255, bytes.size());
  compare_checksums(bytes);
}

}  // namespace
}  // namespace sluice::simt::test
