// Batches in host memory, and what a decoder says of itself.
#include <thread>

#include "tests/fake_cuda/host_batch.h"

namespace sluice::test {
namespace {

using FakeDecoder = FakeCuda;

TEST_F(FakeDecoder, DecodesABatchOfHostMemory) {
  const auto decoder = cuda::Decoder::from_name("lz4_block", options());
  ASSERT_TRUE(decoder) << decoder.error().text;
  Chunks batch(300, [](std::size_t i) { return i * 13 % 401; });
  EXPECT_EQ(decoder->decode_batch(batch.chunks, batch.statuses), "");
  batch.check();
  EXPECT_EQ(decoder->decode_batch({}, {}), "");
  EXPECT_EQ(decoder->decode_batch(batch.chunks, {batch.statuses.data(), 1}), "fewer statuses than chunks");
}

// In and out 12 MiB a chunk: a slice holds two, and one chunk is more than a slice. Four slices go through the two
// lanes.
TEST_F(FakeDecoder, CutsABatchIntoSlices) {
  const auto decoder = cuda::Decoder::from_name("lz4_block", options());
  ASSERT_TRUE(decoder) << decoder.error().text;
  Chunks batch(7, [](std::size_t i) { return i == 3 ? std::size_t{17} << 20 : (std::size_t{6} << 20) + i; });
  EXPECT_EQ(decoder->decode_batch(batch.chunks, batch.statuses), "");
  batch.check();
}

TEST_F(FakeDecoder, AFailedChunkLeavesTheOthersIntact) {
  const auto decoder = cuda::Decoder::from_name("lz4_block", options());
  ASSERT_TRUE(decoder) << decoder.error().text;
  Chunks batch(3, [](std::size_t) { return std::size_t{50}; });
  batch.in[1].resize(20);  // cut short
  batch.chunks[1].in = batch.in[1];
  EXPECT_EQ(decoder->decode_batch(batch.chunks, batch.statuses), "");
  EXPECT_NE(batch.statuses[1].error, 0u);
  EXPECT_NE(decoder->describe(batch.statuses[1].error, 1).find("lz4_block.sluice:"), std::string::npos);
  EXPECT_EQ(decoder->describe(0, 1), "");
  batch.chunks.erase(batch.chunks.begin() + 1);
  for (const std::size_t i : {0, 2}) {
    EXPECT_EQ(batch.statuses[i].error, 0u);
    EXPECT_TRUE(std::equal(batch.expected[i].begin(), batch.expected[i].end(), batch.out[i].begin()));
  }
}

TEST_F(FakeDecoder, FindsDecodedSizes) {
  const auto decoder = cuda::Decoder::from_name("lz4_block", options());
  ASSERT_TRUE(decoder) << decoder.error().text;
  Chunks batch(9, [](std::size_t i) { return i * 100; });
  const std::vector<std::span<const std::uint8_t>> inputs(batch.in.begin(), batch.in.end());
  EXPECT_EQ(decoder->decoded_sizes(inputs, batch.statuses), "");
  for (std::size_t i = 0; i < inputs.size(); ++i) EXPECT_EQ(batch.statuses[i].produced, i * 100);

  cuda::Options how = options();
  how.sizes = false;
  const auto without = cuda::Decoder::from_name("lz4_block", how);
  ASSERT_TRUE(without) << without.error().text;
  EXPECT_NE(without->decoded_sizes(inputs, batch.statuses), "");
}

// The kernel for decoded sizes is compiled when they are first asked for, by whichever thread asks first.
TEST_F(FakeDecoder, CompilesTheKernelForSizesWhenAsked) {
  setenv("SLUICE_FAKE_REFUSES", "sluice_count_kernel(", 1);
  const auto decoder = cuda::Decoder::from_name("lz4_block", options());
  ASSERT_TRUE(decoder) << decoder.error().text;
  EXPECT_EQ(decoder->text().find("sluice_count_kernel("), std::string::npos);
  const CallError refused = decoder->decoded_sizes_async({}, nullptr);
  unsetenv("SLUICE_FAKE_REFUSES");
  EXPECT_EQ(refused.kind, CallError::Kind::Driver);
  EXPECT_NE(refused.text.find("sluice_count_kernel"), std::string::npos) << refused.text;

  Chunks batch(9, [](std::size_t i) { return i * 100; });
  const std::vector<std::span<const std::uint8_t>> inputs(batch.in.begin(), batch.in.end());
  std::vector<std::vector<Status>> statuses(4, std::vector<Status>(inputs.size()));
  std::vector<std::thread> threads;
  for (auto& mine : statuses)
    threads.emplace_back([&, to = std::span<Status>(mine)] { EXPECT_EQ(decoder->decoded_sizes(inputs, to), ""); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& mine : statuses)
    for (std::size_t i = 0; i < inputs.size(); ++i) EXPECT_EQ(mine[i].produced, i * 100);
  EXPECT_EQ(decoder->decoded_sizes_async({}, nullptr), "");
}

// ORC's run lengths decode to 64-bit elements: capacities and produced sizes are elements, copies are bytes.
TEST_F(FakeDecoder, CountsInElements) {
  use("orc_rle_v1");
  const auto decoder = cuda::Decoder::from_name("orc_rle_v1", options());
  ASSERT_TRUE(decoder) << decoder.error().text;
  const std::size_t element = decoder->output_element_bytes();
  const std::vector<std::uint8_t> run{0x02, 0x01, 0x0e};  // five values
  std::vector<std::uint8_t> out(6 * element, 0xcc);
  const Chunk chunk{run, out};
  Status status;
  EXPECT_EQ(decoder->decode_batch({&chunk, 1}, {&status, 1}), "");
  EXPECT_EQ(status.error, 0u);
  EXPECT_EQ(status.produced, 5u);
  const auto cpu = Decoder::from_name("orc_rle_v1", {.target = Target::Interp, .set = {}, .search = {}});
  std::vector<std::uint8_t> expected(6 * element, 0xcc);
  EXPECT_EQ(cpu->decode({run, expected}).error, 0u);
  EXPECT_EQ(out, expected);
}

TEST_F(FakeDecoder, SaysWhatItIs) {
  const auto decoder = cuda::Decoder::from_name("lz4_block", options());
  ASSERT_TRUE(decoder) << decoder.error().text;
  EXPECT_EQ(decoder->name(), "lz4_block");
  EXPECT_EQ(decoder->device(), "Stand-in");
  EXPECT_EQ(decoder->arch(), "sm_90");
  EXPECT_EQ(decoder->kernel().registers, 40u);
  EXPECT_GT(decoder->kernel().blocks_per_sm, 0u);
  EXPECT_NE(decoder->text().find("sluice_decode_kernel"), std::string::npos);
  EXPECT_NE(decoder->log().find("Used 40 registers"), std::string::npos);
  EXPECT_NE(decoder->schedule().find("warp"), std::string::npos);
  EXPECT_FALSE(decoder->timings().cached);
}

// Chunks in host memory lie anywhere; on the device they lie where the schedule promises.
TEST_F(FakeDecoder, HostBatchesKeepPromises) {
  cuda::Options how = options();
  how.schedule = "input_alignment 128, output_alignment 16";
  const auto decoder = cuda::Decoder::from_name("lz4_block", how);
  ASSERT_TRUE(decoder) << decoder.error().text;
  EXPECT_EQ(decoder->input_alignment(), 128u);
  EXPECT_EQ(decoder->output_alignment(), 16u);
  promise("128:16");
  Chunks batch(300, [](std::size_t i) { return i * 13 % 401; });
  EXPECT_EQ(decoder->decode_batch(batch.chunks, batch.statuses), "");
  batch.check();
  const std::vector<std::span<const std::uint8_t>> inputs(batch.in.begin(), batch.in.end());
  EXPECT_EQ(decoder->decoded_sizes(inputs, batch.statuses), "");
  for (std::size_t i = 0; i < inputs.size(); ++i) EXPECT_EQ(batch.statuses[i].produced, batch.expected[i].size());

  const auto plain = cuda::Decoder::from_name("lz4_block", options());
  ASSERT_TRUE(plain) << plain.error().text;
  EXPECT_EQ(plain->input_alignment(), 1u);
  EXPECT_EQ(plain->output_alignment(), 1u);
}

TEST_F(FakeDecoder, KeepsCodeInTheCache) {
  const auto directory = std::filesystem::temp_directory_path() / ("sluice_fake_cuda_" + std::to_string(getpid()));
  setenv("SLUICE_CACHE_DIR", directory.c_str(), 1);
  const auto first = cuda::Decoder::from_name("lz4_block");
  const auto second = cuda::Decoder::from_name("lz4_block");
  cuda::Options other;
  other.arch = "sm_80";
  const auto third = cuda::Decoder::from_name("lz4_block", other);
  unsetenv("SLUICE_CACHE_DIR");
  std::filesystem::remove_all(directory);
  ASSERT_TRUE(first) << first.error().text;
  ASSERT_TRUE(second) << second.error().text;
  ASSERT_TRUE(third) << third.error().text;
  EXPECT_FALSE(first->timings().cached);
  EXPECT_TRUE(second->timings().cached);
  EXPECT_FALSE(third->timings().cached);
  EXPECT_EQ(first->log(), second->log());
}

// Flags of the environment reach the compiler, and what was compiled with others is not taken for it.
TEST_F(FakeDecoder, CompilesWithFlagsOfTheEnvironment) {
  Environment environment;
  const auto directory = std::filesystem::temp_directory_path() / ("sluice_fake_flags_" + std::to_string(getpid()));
  environment.set("SLUICE_CACHE_DIR", directory);
  const auto plain = cuda::Decoder::from_name("lz4_block");
  environment.set("SLUICE_NVRTC_FLAGS", " -lineinfo  -DX=1");
  const auto flagged = cuda::Decoder::from_name("lz4_block"), again = cuda::Decoder::from_name("lz4_block");
  std::filesystem::remove_all(directory);
  ASSERT_TRUE(plain) << plain.error().text;
  ASSERT_TRUE(flagged) << flagged.error().text;
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(plain->log().find("option -lineinfo"), std::string::npos);
  EXPECT_NE(flagged->log().find("option -lineinfo\noption -DX=1\n"), std::string::npos) << flagged->log();
  EXPECT_FALSE(flagged->timings().cached);
  EXPECT_TRUE(again->timings().cached);
}

TEST_F(FakeDecoder, RefusesWhatItCannotDo) {
  cuda::Options how = options();
  how.schedule = "strategy sideways";
  auto decoder = cuda::Decoder::from_name("lz4_block", how);
  ASSERT_FALSE(decoder);
  EXPECT_EQ(decoder.error().kind, Error::Kind::Spec);
  EXPECT_NE(decoder.error().text.find("sideways"), std::string::npos);
  how = options();
  how.arch = "sm_30";
  decoder = cuda::Decoder::from_name("lz4_block", how);
  ASSERT_FALSE(decoder);
  EXPECT_NE(decoder.error().text.find("sm_80, sm_90"), std::string::npos) << decoder.error().text;
  how.arch = "ampere";
  decoder = cuda::Decoder::from_name("lz4_block", how);
  ASSERT_FALSE(decoder);
  EXPECT_EQ(decoder.error().kind, Error::Kind::Usage);
  how = options();
  how.device = 3;
  decoder = cuda::Decoder::from_name("lz4_block", how);
  ASSERT_FALSE(decoder);
  EXPECT_EQ(decoder.error().text, "there is no CUDA device 3: the driver knows 1");
  decoder = cuda::Decoder::from_name("no_such_codec", options());
  ASSERT_FALSE(decoder);
  EXPECT_EQ(decoder.error().kind, Error::Kind::Usage);
}

}  // namespace
}  // namespace sluice::test
