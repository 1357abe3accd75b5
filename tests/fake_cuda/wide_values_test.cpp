// The choice at launch: batches of much input for each element have a kernel of their own, where a format's lists may be patched.
#include "runtime/api/sluice_cuda.h"
#include "tests/fake_cuda/watched.h"

namespace sluice::test {
namespace {

class FakeWideValues : public FakeWatched {
 protected:
  FakeWideValues() : FakeWatched("no such words") {}

  static cuda::Decoder rle(const cuda::Options& asked) {
    cuda::Options how = asked;
    how.set = {{"T", "i64"}};
    auto made = cuda::Decoder::from_name("orc_rle_v2", how);
    EXPECT_TRUE(made) << made.error().text;
    return *made;
  }
  // What a batch of 8,000 elements has.
  static bool by_itself(const cuda::Decoder& decoder, std::uint64_t input, std::uint64_t output = 64000) {
    cuda::DeviceBatch batch;
    batch.chunks = 72;
    batch.total_output = output;
    batch.total_input = input;
    return decoder.schedule(batch).starts_with("strategy warp, input registers");
  }
};

TEST_F(FakeWideValues, HaveAKernelOfTheirOwn) {
  const cuda::Decoder decoder = rle(options());
  EXPECT_TRUE(by_itself(decoder, 13000));
  EXPECT_FALSE(by_itself(decoder, 12999));
  EXPECT_FALSE(by_itself(decoder, 0)) << "half of what it takes";
  EXPECT_FALSE(by_itself(decoder, 13000, 0));
}

TEST_F(FakeWideValues, MayBeTurnedOff) {
  cuda::Options how = options();
  how.wide_values = false;
  EXPECT_FALSE(by_itself(rle(how), 13000));
  for (const char* pinned : {"input shared", "strategy speculate"}) {
    how = options();
    how.schedule = pinned;
    EXPECT_FALSE(by_itself(rle(how), 13000)) << pinned;
  }
}

}  // namespace
}  // namespace sluice::test
