// The choice at launch: batches of few chunks have a kernel of their own, compiled at the first of them. The stand-in has
// 4 multiprocessors, so LZ4's batches are few below 60 chunks and Deflate's below 32.
#include <thread>

#include "tests/fake_cuda/device_batch.h"
#include "tests/fake_cuda/watched.h"

namespace sluice::test {
namespace {

constexpr std::size_t kBound = 60, kFew = kBound - 1;
constexpr std::size_t kMany = 72;  // whose rooms make as much as 67 of the largest
constexpr const char* kWriter = "#define SLUICE_WRITER 1\n";  // in the text of that kernel alone

class FakeFewChunks : public FakeWatched {
 protected:
  FakeFewChunks() : FakeWatched(kWriter) {}
};

TEST_F(FakeFewChunks, HaveAKernelOfTheirOwn) {
  const cuda::Decoder decoder = lz4();
  EXPECT_EQ(watched().compiled, 0u) << "before anybody needs it";
  EXPECT_EQ(decoder.text().find(kWriter), std::string::npos);
  decode(decoder, kFew);
  EXPECT_EQ(watched().compiled, 1u);
  EXPECT_EQ(watched().launched, 1u);
  EXPECT_EQ(watched().threads, 96u) << "its plan: three warps, one chunk";
  EXPECT_EQ(watched().blocks, kFew);
  decode(decoder, 1);
  EXPECT_EQ(watched().compiled, 1u) << "once";
  EXPECT_EQ(watched().launched, 2u);
  EXPECT_EQ(watched().blocks, 1u);
}

TEST_F(FakeFewChunks, ManyHaveTheUsualOne) {
  const cuda::Decoder decoder = lz4();
  decode(decoder, kMany);
  EXPECT_EQ(watched().compiled, 0u);
  EXPECT_EQ(watched().launched, 0u);
  EXPECT_EQ(watched().threads, 128u) << "its plan: four warps, a chunk each";
  EXPECT_EQ(watched().blocks, kMany / 4);
  decode(decoder, kFew);
  decode(decoder, kMany);
  EXPECT_EQ(watched().launched, 1u);
  EXPECT_EQ(watched().threads, 128u);
}

TEST_F(FakeFewChunks, OnAStreamToo) {
  const cuda::Decoder decoder = lz4();
  DeviceSide side;
  DeviceBlocks blocks(side, {"hello", std::string(1000, 'x'), ""});
  cuda::DeviceBatch none = blocks.batch;
  none.chunks = 0;
  EXPECT_EQ(decoder.decode_async(none, side.stream.get()), "");
  EXPECT_EQ(watched().compiled, 0u) << "no chunks need no kernel";
  cuda::DeviceBatch wrong = blocks.batch;
  wrong.out = nullptr;
  EXPECT_NE(decoder.decode_async(wrong, side.stream.get()), "");
  EXPECT_EQ(watched().compiled, 0u) << "a batch that can't be run needs none either";
  EXPECT_EQ(decoder.decode_async(blocks.batch, side.stream.get()), "");
  EXPECT_EQ(watched().compiled, 1u);
  EXPECT_EQ(watched().launched, 1u);
  EXPECT_EQ(watched().blocks, 3u);
  EXPECT_EQ(side.synchronize(), 0);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(blocks.output(i), blocks.texts[i]);
  EXPECT_EQ(decoder.decoded_sizes_async(blocks.batch, side.stream.get()), "");
  EXPECT_EQ(watched().launched, 1u) << "sizes have their own";
  EXPECT_EQ(side.synchronize(), 0);
}

// A batch of all sizes counts as so many of its largest chunk as make its output.
TEST_F(FakeFewChunks, ChunksLikeTheLargest) {
  const cuda::Decoder decoder = lz4();
  cuda::DeviceBatch batch;
  const auto few = [&](std::size_t chunks, std::uint64_t largest, std::uint64_t total) {
    batch.chunks = chunks;
    batch.largest_output = largest;
    batch.total_output = total;
    return decoder.schedule(batch) != decoder.schedule();
  };
  EXPECT_TRUE(few(kFew, 0, 0));
  EXPECT_FALSE(few(kBound, 0, 0));
  EXPECT_FALSE(few(kBound, 1000, 0)) << "half of what it takes";
  EXPECT_FALSE(few(kBound, 0, 1000));
  EXPECT_FALSE(few(10 * kBound, 1000, kBound * 1000));
  EXPECT_TRUE(few(10 * kBound, 1000, kBound * 1000 - 1));
  EXPECT_TRUE(few(10 * kBound, 1000, 1)) << "whatever the caller says";
  EXPECT_TRUE(few(kFew, 1, ~std::uint64_t{0})) << "never more than there are";
  EXPECT_FALSE(few(0, 1000, 1000)) << "no chunks need no kernel";

  // In host memory, by the rooms.
  const auto block = lz4_block("some literals");
  std::vector<std::uint8_t> small(20), large(100000);
  std::vector<Chunk> chunks(3 * kMany, Chunk{block, small});
  std::vector<Status> statuses(chunks.size());
  EXPECT_EQ(decoder.decode_batch(chunks, statuses), "");
  EXPECT_EQ(watched().launched, 0u);
  chunks[7].out = large;
  EXPECT_EQ(decoder.decode_batch(chunks, statuses), "");
  EXPECT_EQ(watched().launched, 1u);
}

// A batch in host memory is launched slice by slice, and slices of large chunks have few of them.
TEST_F(FakeFewChunks, ASliceOfABatchCounts) {
  const cuda::Decoder decoder = lz4();
  const auto block = lz4_block("some literals");
  std::vector<std::uint8_t> room(600 << 10);  // 54 of these are a slice
  const std::vector<Chunk> chunks(2 * kMany, Chunk{block, room});
  std::vector<Status> statuses(chunks.size());
  EXPECT_EQ(decoder.decode_batch(chunks, statuses), "");
  for (const Status& status : statuses) EXPECT_EQ(status.produced, 13u);
  EXPECT_EQ(watched().compiled, 1u);
  EXPECT_EQ(watched().launched, 3u);
}

TEST_F(FakeFewChunks, TheDecoderSaysWhatABatchRuns) {
  const cuda::Decoder decoder = lz4();
  EXPECT_NE(decoder.schedule(kFew).find("writer_warps 1"), std::string::npos) << decoder.schedule(kFew);
  EXPECT_NE(decoder.schedule(kMany).find("writer_warps 0"), std::string::npos) << decoder.schedule(kMany);
  EXPECT_EQ(decoder.schedule(), decoder.schedule(kMany));
  EXPECT_EQ(decoder.schedule(), decoder.schedule(0));
  EXPECT_EQ(decoder.kernel(kFew).threads_per_block, 0u) << "it is not compiled yet";
  decode(decoder, 1);
  EXPECT_EQ(decoder.kernel(kFew).threads_per_block, 96u);
  EXPECT_EQ(decoder.kernel(kFew).chunks_per_block, 1u);
  EXPECT_EQ(decoder.kernel(kMany).threads_per_block, 128u);
  EXPECT_EQ(decoder.kernel().threads_per_block, 128u);

  const auto bits = cuda::Decoder::from_name("deflate", options());
  ASSERT_TRUE(bits) << bits.error().text;
  EXPECT_NE(bits->schedule(47).find("writer_warps 1"), std::string::npos);
  EXPECT_EQ(bits->schedule(48), bits->schedule());
  const auto runs = cuda::Decoder::from_name("orc_rle_v1", options());
  ASSERT_TRUE(runs) << runs.error().text;
  EXPECT_EQ(runs->schedule(1), runs->schedule());
}

TEST_F(FakeFewChunks, MayBeTurnedOff) {
  cuda::Options how = options();
  how.few_chunks = false;
  const cuda::Decoder decoder = lz4(how);
  decode(decoder, 3);
  EXPECT_EQ(watched().compiled, 0u);
  EXPECT_EQ(watched().launched, 0u);
  EXPECT_EQ(decoder.schedule(3), decoder.schedule());
}

TEST_F(FakeFewChunks, PinnedSchedulesHaveNone) {
  for (const char* pinned : {"strategy speculate", "writer_warps 0", "chunk_warps 1", "warps_per_block auto",
                             "warps_per_block 2", "chunk_warps 4", "strategy warp"}) {
    const cuda::Decoder decoder = lz4(pinned);
    decode(decoder, 3);
    EXPECT_EQ(watched().compiled, 0u) << pinned;
    EXPECT_EQ(decoder.schedule(3), decoder.schedule()) << pinned;
  }
  // What says nothing about warps holds for both.
  const cuda::Decoder open = lz4("output_alignment 16");
  promise("1:16");
  decode(open, 3);
  EXPECT_EQ(watched().launched, 1u);
  EXPECT_NE(open.schedule(3).find("output_alignment 16"), std::string::npos) << open.schedule(3);
  promise("");
  // Who names the kernel with a writer has it for every batch.
  const cuda::Decoder writer = lz4("writer_warps 1");
  EXPECT_EQ(watched().compiled, 2u);
  decode(writer, kMany);
  decode(writer, 3);
  EXPECT_EQ(watched().compiled, 2u);
  EXPECT_EQ(watched().launched, 3u);
}

// It is an error of the call that needed it; other batches go on, and the next one of few chunks tries again.
TEST_F(FakeFewChunks, WhereItDoesNotCompile) {
  refuse(kWriter);
  const cuda::Decoder decoder = lz4();
  Chunks batch(3, [](std::size_t i) { return i * 100; });
  const CallError refused = decoder.decode_batch(batch.chunks, batch.statuses);
  EXPECT_EQ(refused.kind, CallError::Kind::Driver);
  EXPECT_NE(refused.text.find("does not compile"), std::string::npos) << refused.text;
  DeviceSide side;
  DeviceBlocks blocks(side, {"hello"});
  EXPECT_EQ(decoder.decode_async(blocks.batch, side.stream.get()).text, refused.text);
  decode(decoder, kMany);
  EXPECT_EQ(watched().compiled, 0u);
  EXPECT_EQ(watched().launched, 0u);
  refuse("no such words");
  EXPECT_EQ(decoder.decode_batch(batch.chunks, batch.statuses), "");
  batch.check();
  EXPECT_EQ(watched().compiled, 1u);
  EXPECT_EQ(watched().launched, 1u);
}

TEST_F(FakeFewChunks, ThreadsCompileItOnce) {
  const cuda::Decoder decoder = lz4();
  const cuda::Decoder copy = decoder;  // the same code
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&, i] { decode(i % 2 ? copy : decoder, 9); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(watched().compiled, 1u);
  EXPECT_EQ(watched().launched, 4u);
}

}  // namespace
}  // namespace sluice::test
