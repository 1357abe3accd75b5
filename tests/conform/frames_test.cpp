// zstd: frames that libzstd writes at its levels, of several sizes and kinds of data, with and without checksum, size and long
// distances, several in a row with skippable ones between: all targets give back what went in.
#include <zstd.h>

#include <array>
#include <memory>
#include <random>

#include "tests/conform/subjects.h"

namespace sluice::test {
namespace {

constexpr std::array kLevels{-5, 1, 3, 9, 19, 22};
// Around what literals in one stream, a block and two blocks hold.
constexpr std::array<std::size_t, 10> kSizes{0, 1, 60, 255, 256, 1000, 20000, 131072, 131073, 300000};

class Frames : public testing::TestWithParam<int> {
 protected:
  // Noise, letters of a small alphabet, words that come again, and numbers that grow.
  Bytes data(unsigned kind, std::size_t size) {
    Bytes made;
    for (std::uint32_t i = 0; made.size() < size; ++i) {
      if (kind == 0) made.push_back(static_cast<std::uint8_t>(random_()));
      if (kind == 1) made.push_back(static_cast<std::uint8_t>('a' + random_() % 3 * (random_() % 3)));
      if (kind == 2 && made.size() > 40 && random_() % 3 == 0) {
        const std::size_t from = random_() % (made.size() - 8), n = random_() % 30 + 3;
        for (std::size_t k = 0; k < n; ++k) made.push_back(made[from + k]);
      } else if (kind == 2) {
        made.push_back(static_cast<std::uint8_t>('A' + random_() % 50));
      }
      if (kind == 3)
        for (unsigned b = 0; b < 4; ++b) made.push_back(static_cast<std::uint8_t>((i * 7 + random_() % 5) >> (8 * b)));
    }
    made.resize(size);
    return made;
  }

  // By whichever bits of `flags` are set: a checksum, no size, long distances.
  static Bytes frame(const Bytes& raw, int level, unsigned flags) {
    const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, static_cast<int>(flags & 1));
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_contentSizeFlag, (flags & 2) == 0 ? 1 : 0);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_enableLongDistanceMatching, static_cast<int>(flags >> 2 & 1));
    Bytes out(ZSTD_compressBound(raw.size()));
    const std::size_t size = ZSTD_compress2(context.get(), out.data(), out.size(), raw.data(), raw.size());
    EXPECT_EQ(ZSTD_isError(size), 0U);
    out.resize(size);
    return out;
  }

  void check(const Bytes& in, const Bytes& raw, const std::string& name) {
    const Subjects& on = subjects("zstd", "");
    ASSERT_EQ(on.codec->problem, "");
    for (const auto& subject : on.all) {
      const Decoded ours = decode(*subject, in, raw.size(), {}, 1);
      ASSERT_EQ(ours.outcome.error, 0u) << subject->target() << " " << name;
      ASSERT_TRUE(ours.bytes == raw) << subject->target() << " " << name;
    }
  }

  std::mt19937 random_{7};
};

TEST_P(Frames, GiveBackWhatWentIn) {
  Bytes all, all_raw;
  for (const std::size_t size : kSizes) {
    for (unsigned kind = 0; kind < 4; ++kind) {
      const Bytes raw = data(kind, size);
      const Bytes one = frame(raw, GetParam(), static_cast<unsigned>(random_() % 8));
      check(one, raw, std::to_string(size) + " bytes of kind " + std::to_string(kind));
      if (HasFatalFailure()) return;
      if (size > 20000) continue;
      const Bytes skippable{0x5a, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 'n', 'o'};
      all.insert(all.end(), one.begin(), one.end());
      all.insert(all.end(), skippable.begin(), skippable.end());
      all_raw.insert(all_raw.end(), raw.begin(), raw.end());
    }
  }
  check(all, all_raw, "frame after frame");
}

// A window of 144 MiB, the first above libzstd's limit.
TEST(FramesOf, LargerWindowsAreAllowedByAParameter) {
  const Bytes in{0x28, 0xb5, 0x2f, 0xfd, 0, 17 << 3 | 1, 3 << 3 | 1, 0, 0, 'a', 'b', 'c'};
  const auto usual = interpreter(load_codec("zstd", "")), larger = interpreter(load_codec("zstd", "window_limit=200000000"));
  EXPECT_NE(decode(*usual, in, 9, {}, 1).outcome.error, 0u);
  EXPECT_EQ(decode(*larger, in, 9, {}, 1).bytes, (Bytes{'a', 'b', 'c'}));
}

INSTANTIATE_TEST_SUITE_P(Levels, Frames, testing::ValuesIn(kLevels),
                         [](const auto& test) { return test.param < 0 ? "fast" + std::to_string(-test.param) : std::to_string(test.param); });

}  // namespace
}  // namespace sluice::test
