// The C interface: the same work through it, and its statuses.
#include "runtime/api/sluice_cuda.h"
#include "tests/fake_cuda/device_batch.h"

namespace sluice::test {
namespace {

class FakeC : public FakeCuda {
 protected:
  void SetUp() override {
    FakeCuda::SetUp();
    how_.no_cache = 1;
    ASSERT_EQ(sluice_cuda_decoder_create("lz4_block", &how_, &decoder_, nullptr), SLUICE_OK);
  }
  void TearDown() override {
    sluice_cuda_decoder_destroy(decoder_);
    FakeCuda::TearDown();
  }
  sluice_cuda_options how_{};
  sluice_cuda_decoder* decoder_ = nullptr;
};

TEST_F(FakeC, Describes) {
  EXPECT_STREQ(sluice_cuda_decoder_name(decoder_), "lz4_block");
  EXPECT_STREQ(sluice_cuda_decoder_arch(decoder_), "sm_90");
  EXPECT_STREQ(sluice_cuda_decoder_device(decoder_), "Stand-in");
  EXPECT_EQ(sluice_cuda_output_element_bytes(decoder_), 1u);
  EXPECT_NE(sluice_cuda_countable(decoder_), 0);
  sluice_cuda_finish_compiling(decoder_);
  EXPECT_EQ(sluice_cuda_argument_name(decoder_, sluice_cuda_argument_count(decoder_)), nullptr);
}

TEST_F(FakeC, DecodesOnTheDevice) {
  DeviceSide side;
  DeviceBlocks blocks(side, {"hello", "world!"});
  const cuda::DeviceBatch& b = blocks.batch;
  std::size_t temp = 1;
  EXPECT_EQ(sluice_cuda_decode_temp_size(decoder_, 2, &temp), SLUICE_OK);
  EXPECT_EQ(temp, 0u);
  sluice_error* error = nullptr;
  EXPECT_EQ(sluice_cuda_decode_async(decoder_, b.in, b.in_bytes, b.out, b.out_capacity, b.produced, b.errors, 2,
                                     nullptr, 0, side.stream.get(), nullptr, &error),
            SLUICE_OK);
  EXPECT_EQ(side.synchronize(), 0);
  EXPECT_EQ(blocks.output(0), "hello");
  EXPECT_EQ(blocks.output(1), "world!");
  // Pointers are offsets from address 0.
  EXPECT_EQ(sluice_cuda_decode_offsets_async(decoder_, nullptr, reinterpret_cast<const std::uint64_t*>(b.in), b.in_bytes, nullptr,
                                             reinterpret_cast<const std::uint64_t*>(b.out), b.out_capacity, b.produced, b.errors, 2,
                                             nullptr, 0, side.stream.get(), nullptr, nullptr, &error),
            SLUICE_OK);
  EXPECT_EQ(side.synchronize(), 0);
  EXPECT_EQ(sluice_cuda_decoded_sizes_async(decoder_, b.in, b.in_bytes, b.produced, b.errors, 2, nullptr, 0,
                                            side.stream.get(), nullptr, &error),
            SLUICE_OK);
  EXPECT_EQ(side.synchronize(), 0);
  EXPECT_EQ(side.get<std::uint64_t>(b.produced, 2), (std::vector<std::uint64_t>{5, 6}));

  EXPECT_EQ(sluice_cuda_decode_async(decoder_, b.in, b.in_bytes, nullptr, nullptr, b.produced, b.errors, 2, nullptr, 0,
                                     side.stream.get(), nullptr, &error),
            SLUICE_BAD_ARGUMENT);
  ASSERT_NE(error, nullptr);
  EXPECT_STREQ(sluice_error_text(error), "a batch needs arrays of outputs and capacities");
  sluice_error_destroy(error);
  setenv("SLUICE_FAKE_FAIL", "cuLaunchKernel:1", 1);
  EXPECT_EQ(sluice_cuda_decode_async(decoder_, b.in, b.in_bytes, b.out, b.out_capacity, b.produced, b.errors, 2,
                                     nullptr, 0, side.stream.get(), nullptr, &error),
            SLUICE_NO_MEMORY)
      << "what the stand-in fails with is CUDA_ERROR_OUT_OF_MEMORY";
  ASSERT_NE(error, nullptr);
  EXPECT_NE(std::string(sluice_error_text(error)).find("CUDA_ERROR_OUT_OF_MEMORY"), std::string::npos);
  sluice_error_destroy(error);
}

// A chunk that lies elsewhere than the schedule promises has a word of its own; the one beside it is decoded.
TEST_F(FakeC, SaysWhoBrokeThePromise) {
  how_.schedule = "output_alignment 2";
  sluice_cuda_decoder* decoder = nullptr;
  ASSERT_EQ(sluice_cuda_decoder_create("lz4_block", &how_, &decoder, nullptr), SLUICE_OK);
  EXPECT_EQ(sluice_cuda_input_alignment(decoder), 1u);
  EXPECT_EQ(sluice_cuda_output_alignment(decoder), 2u);
  EXPECT_EQ(sluice_cuda_output_alignment(decoder_), 1u);
  promise("1:2");
  DeviceSide side;
  DeviceBlocks blocks(side, {"hello", "world!"});
  const std::string room(6, '?');
  blocks.out_at[1] = side.put(room.data(), room.size(), 2);
  const cuda::DeviceBatch& b = blocks.batch;
  void* const* out = side.put<void* const>(blocks.out_at);
  EXPECT_EQ(sluice_cuda_decode_async(decoder, b.in, b.in_bytes, out, b.out_capacity, b.produced, b.errors, 2, nullptr,
                                     0, side.stream.get(), nullptr, nullptr),
            SLUICE_OK);
  EXPECT_EQ(side.synchronize(), 0);
  EXPECT_EQ(blocks.output(0), "?????");
  EXPECT_EQ(blocks.output(1), "world!");
  const auto errors = side.get<std::uint64_t>(b.errors, 2);
  EXPECT_EQ(errors[1], 0u);
  char text[200];
  sluice_cuda_describe(decoder, errors[0], 0, text, sizeof text);
  EXPECT_EQ(std::string(text).find("lz4_block: misaligned_output: "), 0u) << text;
  sluice_cuda_decoder_destroy(decoder);
}

TEST_F(FakeC, DecodesHostMemory) {
  const auto good = lz4_block("some literals"), bad = std::vector<std::uint8_t>{0x70, 'x'};
  const void* in[] = {good.data(), bad.data()};
  const std::size_t sizes[] = {good.size(), bad.size()};
  char first[32] = {}, second[32] = {};
  void* out[] = {first, second};
  const std::size_t capacities[] = {sizeof first, sizeof second};
  std::size_t produced[2] = {};
  std::uint64_t errors[2] = {};
  EXPECT_EQ(sluice_cuda_decode_host(decoder_, in, sizes, out, capacities, produced, errors, 1, nullptr, nullptr),
            SLUICE_OK);
  EXPECT_EQ(produced[0], 13u);
  EXPECT_STREQ(first, "some literals");
  EXPECT_EQ(sluice_cuda_decode_host(decoder_, in, sizes, out, capacities, produced, errors, 2, nullptr, nullptr),
            SLUICE_DATA_REJECTED);
  EXPECT_EQ(errors[0], 0u);
  ASSERT_NE(errors[1], 0u);
  char text[200];
  EXPECT_GT(sluice_cuda_describe(decoder_, errors[1], 1, text, sizeof text), 0u);
  EXPECT_NE(std::string(text).find("of chunk 1"), std::string::npos) << text;
  EXPECT_EQ(sluice_cuda_decoded_sizes_host(decoder_, in, sizes, produced, errors, 1, nullptr, nullptr), SLUICE_OK);
  EXPECT_EQ(produced[0], 13u);
}

TEST_F(FakeC, SaysWhyThereIsNoDecoder) {
  sluice_cuda_decoder* none = decoder_;
  sluice_error* error = nullptr;
  const std::string text = "format broken\n";
  EXPECT_EQ(sluice_cuda_decoder_create_from_text(text.data(), text.size(), "broken", &how_, &none, &error),
            SLUICE_BAD_SPEC);
  EXPECT_EQ(none, nullptr);
  ASSERT_NE(error, nullptr);
  sluice_error_destroy(error);
  setenv("SLUICE_CUDA_DRIVER", "/nowhere/libcuda.so.1", 1);
  EXPECT_EQ(sluice_cuda_decoder_create("lz4_block", &how_, &none, &error), SLUICE_ENVIRONMENT);
  ASSERT_NE(error, nullptr);
  EXPECT_NE(std::string(sluice_error_text(error)).find("/nowhere/libcuda.so.1"), std::string::npos);
  sluice_error_destroy(error);
  EXPECT_EQ(sluice_cuda_decoder_create_from_artifact("junk", 4, &how_, &none, nullptr), SLUICE_ENVIRONMENT);
  sluice_cuda_decoder_destroy(nullptr);
}

}  // namespace
}  // namespace sluice::test
