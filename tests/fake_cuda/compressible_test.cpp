// The choice at launch: batches of much output for their input have a kernel of their own, where they are none of few chunks. The
// stand-in has 4 multiprocessors, so LZ4's batches are few below 60 chunks.
#include "runtime/api/sluice_cuda.h"
#include "tests/fake_cuda/device_batch.h"
#include "tests/fake_cuda/watched.h"

namespace sluice::test {
namespace {

constexpr std::size_t kFew = 59, kMany = 72;
constexpr const char* kWide = "SLUICE_WIDE_PARTS 24";  // in the text of that kernel alone

class FakeCompressible : public FakeWatched {
 protected:
  FakeCompressible() : FakeWatched(kWide) {}

  // Blocks that say "some literals" in rooms of `room` bytes: the rooms are what is known of the output.
  static void decode_into(const cuda::Decoder& decoder, std::size_t chunks, std::size_t room) {
    const auto block = lz4_block("some literals");
    std::vector<std::uint8_t> out(room);
    const std::vector<Chunk> batch(chunks, Chunk{block, out});
    std::vector<Status> statuses(chunks);
    EXPECT_EQ(decoder.decode_batch(batch, statuses), "");
    for (const Status& status : statuses) EXPECT_EQ(status.produced, 13u);
  }
};

TEST_F(FakeCompressible, HaveAKernelOfTheirOwn) {
  const std::size_t bytes = lz4_block("some literals").size();
  const cuda::Decoder decoder = lz4();
  EXPECT_EQ(decoder.text().find(kWide), std::string::npos);
  decode_into(decoder, kMany, 12 * bytes - 1);
  EXPECT_EQ(watched().compiled, 0u);
  decode_into(decoder, kFew, 12 * bytes);
  EXPECT_EQ(watched().compiled, 0u) << "few chunks come first";
  EXPECT_EQ(watched().threads, 96u);
  decode_into(decoder, kMany, 12 * bytes);
  EXPECT_EQ(watched().compiled, 1u);
  EXPECT_EQ(watched().launched, 1u);
  EXPECT_EQ(watched().threads, 128u) << "else the usual one's plan";
  decode_into(decoder, kMany, 100 * bytes);
  EXPECT_EQ(watched().compiled, 1u) << "once";
  EXPECT_EQ(watched().launched, 2u);
  decode_into(decoder, kMany, 20);
  EXPECT_EQ(watched().launched, 2u);
}

TEST_F(FakeCompressible, AsTheCallerTells) {
  const cuda::Decoder decoder = lz4();
  cuda::DeviceBatch batch;
  const auto wide = [&](std::size_t chunks, std::uint64_t total, std::uint64_t input) {
    batch.chunks = chunks;
    batch.total_output = total;
    batch.total_input = input;
    return decoder.schedule(batch).find("wide_parts 24") != std::string::npos;
  };
  EXPECT_TRUE(wide(kMany, 12000, 1000));
  EXPECT_FALSE(wide(kMany, 11999, 1000));
  EXPECT_FALSE(wide(kMany, 12000, 0)) << "half of what it takes";
  EXPECT_FALSE(wide(kMany, 0, 1000));
  EXPECT_FALSE(wide(kFew, 12000, 1000)) << "few chunks come first";
  EXPECT_FALSE(wide(0, 12000, 1000));
  EXPECT_EQ(decoder.kernel(batch).threads_per_block, 128u) << "no chunks: the usual one";
  EXPECT_TRUE(wide(kMany, 12000, 1000));
  EXPECT_EQ(decoder.kernel(batch).threads_per_block, 0u) << "it is not compiled yet";
  decode_into(decoder, kMany, 1000);
  EXPECT_EQ(decoder.kernel(batch).threads_per_block, 128u);
  batch.largest_output = 12000 / kFew;
  EXPECT_EQ(decoder.schedule(batch), decoder.schedule(kFew)) << "as many as 59 of the largest";
  EXPECT_EQ(decoder.schedule(kMany), decoder.schedule());
}

TEST_F(FakeCompressible, MayBeTurnedOff) {
  cuda::Options how = options();
  how.compressible = false;
  const cuda::Decoder off = lz4(how);
  decode_into(off, kMany, 1000);
  EXPECT_EQ(watched().compiled, 0u);
  EXPECT_NE(off.schedule(kFew), off.schedule()) << "the other alternative is still there";
  how = options();
  how.few_chunks = false;
  const cuda::Decoder without = lz4(how);
  decode_into(without, kFew, 1000);
  EXPECT_EQ(watched().launched, 1u) << "nothing comes before it";
  EXPECT_EQ(without.schedule(kFew), without.schedule());
  for (const char* pinned : {"wide_parts 0", "warps_per_block auto", "strategy speculate"}) {
    decode_into(lz4(pinned), kMany, 1000);
    EXPECT_EQ(watched().compiled, 1u) << pinned;
  }
}

// It is an error of the call that needed it; other batches go on, and the next such one tries again.
TEST_F(FakeCompressible, WhereItDoesNotCompile) {
  refuse(kWide);
  const cuda::Decoder decoder = lz4();
  const auto block = lz4_block("some literals");
  std::vector<std::uint8_t> out(1000);
  const std::vector<Chunk> batch(kMany, Chunk{block, out});
  std::vector<Status> statuses(kMany);
  const CallError refused = decoder.decode_batch(batch, statuses);
  EXPECT_EQ(refused.kind, CallError::Kind::Driver);
  EXPECT_NE(refused.text.find("does not compile"), std::string::npos) << refused.text;
  decode_into(decoder, kMany, 20);
  decode_into(decoder, kFew, 1000);
  EXPECT_EQ(watched().compiled, 0u);
  refuse("no such words");
  EXPECT_EQ(decoder.decode_batch(batch, statuses), "");
  EXPECT_EQ(watched().launched, 1u);
}

// Through the C interface: by a function of its own, for structures are what they were.
TEST_F(FakeCompressible, CSaysWhatItKnows) {
  sluice_cuda_options how{};
  how.no_cache = 1;
  sluice_cuda_decoder* decoder = nullptr;
  ASSERT_EQ(sluice_cuda_decoder_create("lz4_block", &how, &decoder, nullptr), SLUICE_OK);
  DeviceSide side;
  DeviceBlocks blocks(side, std::vector<std::string>(kMany, "hello"));
  const auto decode = [&](const sluice_cuda_known* known) {
    const cuda::DeviceBatch& b = blocks.batch;
    EXPECT_EQ(sluice_cuda_decode_known_async(decoder, b.in, b.in_bytes, b.out, b.out_capacity, b.produced, b.errors, b.chunks, nullptr,
                                             0, side.stream.get(), nullptr, known, nullptr),
              SLUICE_OK);
    EXPECT_EQ(side.synchronize(), 0);
    for (std::size_t i = 0; i < kMany; i += kMany - 1) EXPECT_EQ(blocks.output(i), "hello");
    return watched().launched;
  };
  sluice_cuda_known known{};
  known.total_output = 12000;
  known.total_input = 1000;
  EXPECT_EQ(decode(nullptr), 0u);
  EXPECT_EQ(decode(&known), 0u) << "a structure of no size has nothing in it";
  known.struct_size = offsetof(sluice_cuda_known, total_input);
  EXPECT_EQ(decode(&known), 0u) << "of a header that ended there";
  known.struct_size = sizeof known;
  EXPECT_EQ(decode(&known), 1u);
  known.struct_size = 1000;
  EXPECT_EQ(decode(&known), 2u) << "of a header that knows more";
  known.largest_output = 12000;
  EXPECT_EQ(decode(&known), 2u) << "one chunk's worth: few";
  EXPECT_EQ(watched().threads, 96u);
  sluice_cuda_decoder_destroy(decoder);
}

}  // namespace
}  // namespace sluice::test
