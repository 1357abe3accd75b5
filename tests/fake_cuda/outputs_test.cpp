// Formats that have several outputs: batches in device memory through both interfaces, and in host memory.
#include <array>

#include "runtime/api/sluice_cuda.h"
#include "tests/fake_cuda/device_batch.h"

namespace sluice::test {
namespace {

class FakeOutputs : public FakeCuda {
 protected:
  void SetUp() override {
    FakeCuda::SetUp();
    use("parquet_strings");
  }
  static constexpr std::array<std::uint8_t, 11> kPage{2, 0, 0, 0, 'a', 'b', 1, 0, 0, 0, 'c'};
};

// One chunk: the page on the device, and room for its strings and offsets.
struct Page {
  explicit Page(DeviceSide& on, std::span<const std::uint8_t> page, std::uint64_t offsets_room = 3) : side(on) {
    const std::vector<std::uint64_t> poison{0xcccccccccccccccc};
    const std::vector<std::uint8_t> room(64, 0xcc);
    out = side.put(room.data(), 3, 1);
    offsets = side.put(room.data(), 4 * offsets_room, 4);
    in = side.put<const void* const>({side.put(page.data(), page.size(), 3)});
    in_bytes = side.put<const std::uint64_t>({page.size()});
    outs = side.put<void* const>({out});
    capacity = side.put<const std::uint64_t>({3});
    offsets_at = side.put<void* const>({offsets});
    offsets_capacity = side.put<const std::uint64_t>({offsets_room});
    produced = side.put<std::uint64_t>(poison);
    made = side.put<std::uint64_t>(poison);
    errors = side.put<std::uint64_t>(poison);
  }
  std::uint64_t word(const std::uint64_t* at) { return side.get<std::uint64_t>(at, 1)[0]; }
  std::vector<std::int32_t> offsets_made(std::size_t n) { return side.get<std::int32_t>(reinterpret_cast<void*>(static_cast<std::uintptr_t>(offsets)), n); }

  DeviceSide& side;
  runtime::cu::Address out, offsets;
  const void* const* in;
  const std::uint64_t *in_bytes, *capacity, *offsets_capacity;
  void *const *outs, *const *offsets_at;
  std::uint64_t *produced, *made, *errors;
};

TEST_F(FakeOutputs, OnTheDeviceFromC) {
  sluice_cuda_options how{};
  how.no_cache = 1;
  sluice_cuda_decoder* decoder = nullptr;
  ASSERT_EQ(sluice_cuda_decoder_create("parquet_strings", &how, &decoder, nullptr), SLUICE_OK);
  EXPECT_EQ(sluice_cuda_further_output_count(decoder), 1u);
  EXPECT_STREQ(sluice_cuda_further_output_name(decoder, 0), "offsets");
  EXPECT_EQ(sluice_cuda_further_output_name(decoder, 1), nullptr);
  EXPECT_EQ(sluice_cuda_further_output_element_bytes(decoder, 0), 4u);
  EXPECT_NE(sluice_cuda_further_output_is_signed(decoder, 0), 0);
  {
    DeviceSide side;
    Page page(side, kPage);
    sluice_error* error = nullptr;
    const sluice_cuda_further_output further{page.offsets_at, page.offsets_capacity, page.made};
    EXPECT_EQ(sluice_cuda_decode_further_async(decoder, page.in, page.in_bytes, page.outs, page.capacity, page.produced, page.errors, 1, &further, 1,
                                               nullptr, 0, side.stream.get(), nullptr, nullptr, &error), SLUICE_OK) << sluice_error_text(error);
    EXPECT_EQ(side.synchronize(), 0);
    EXPECT_EQ(page.word(page.errors), 0u);
    EXPECT_EQ(page.word(page.produced), 3u);
    EXPECT_EQ(page.word(page.made), 3u);
    EXPECT_EQ(page.offsets_made(3), (std::vector<std::int32_t>{0, 2, 3}));
    const sluice_cuda_further_output sizes{nullptr, nullptr, page.made};
    EXPECT_EQ(sluice_cuda_decoded_sizes_further_async(decoder, page.in, page.in_bytes, page.produced, page.errors, 1, &sizes, 1, nullptr, 0,
                                                      side.stream.get(), nullptr, &error), SLUICE_OK) << sluice_error_text(error);
    EXPECT_EQ(side.synchronize(), 0);
    EXPECT_EQ(page.word(page.made), 3u);
    // Calls that bring none, and arrays that are missing.
    EXPECT_EQ(sluice_cuda_decode_async(decoder, page.in, page.in_bytes, page.outs, page.capacity, page.produced, page.errors, 1, nullptr, 0,
                                       side.stream.get(), nullptr, &error), SLUICE_BAD_ARGUMENT);
    EXPECT_STREQ(sluice_error_text(error), "parquet_strings has 1 output beside its own, and the batch brings 0");
    sluice_error_destroy(error);
    EXPECT_EQ(sluice_cuda_decode_further_async(decoder, page.in, page.in_bytes, page.outs, page.capacity, page.produced, page.errors, 1, &sizes, 1,
                                               nullptr, 0, side.stream.get(), nullptr, nullptr, &error), SLUICE_BAD_ARGUMENT);
    EXPECT_STREQ(sluice_error_text(error), "a batch needs arrays of outputs and capacities of `offsets`");
    sluice_error_destroy(error);
  }
  sluice_cuda_decoder_destroy(decoder);
}

TEST_F(FakeOutputs, WithoutRoomForOne) {
  cuda::Options how;
  how.cache = false;
  auto decoder = cuda::Decoder::from_name("parquet_strings", how);
  ASSERT_TRUE(decoder) << decoder.error().text;
  DeviceSide side;
  Page page(side, kPage, 2);
  const std::array<cuda::DeviceOutput, 1> further{cuda::DeviceOutput{page.offsets_at, page.offsets_capacity, page.made, nullptr}};
  cuda::DeviceBatch batch;
  batch.in = page.in;
  batch.in_bytes = page.in_bytes;
  batch.out = page.outs;
  batch.out_capacity = page.capacity;
  batch.produced = page.produced;
  batch.errors = page.errors;
  batch.chunks = 1;
  batch.further = further;
  EXPECT_EQ(decoder->decode_async(batch, side.stream.get()), "");
  EXPECT_EQ(side.synchronize(), 0);
  EXPECT_EQ(page.word(page.errors), kNoRoom);
  EXPECT_EQ(page.word(page.produced), 0u);  // strings come after all offsets
  EXPECT_EQ(page.word(page.made), 2u);
  EXPECT_EQ(page.offsets_made(2), (std::vector<std::int32_t>{0, 2}));
}

TEST_F(FakeOutputs, FromHostMemory) {
  cuda::Options how;
  how.cache = false;
  auto decoder = cuda::Decoder::from_name("parquet_strings", how);
  ASSERT_TRUE(decoder) << decoder.error().text;
  std::vector<std::vector<std::uint8_t>> strings(5, std::vector<std::uint8_t>(3, 0xcc)), offsets(5, std::vector<std::uint8_t>(12, 0xcc));
  offsets[3].resize(7);  // room for one offset
  std::vector<std::array<std::span<std::uint8_t>, 1>> rooms;
  for (auto& one : offsets) rooms.push_back({one});
  std::vector<Chunk> chunks;
  for (std::size_t i = 0; i < 5; ++i) chunks.push_back({kPage, strings[i], rooms[i]});
  std::vector<Status> statuses(5);
  EXPECT_EQ(decoder->decode_batch(chunks, statuses), "");
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(statuses[i].error, i == 3 ? kNoRoom : 0u);
    EXPECT_EQ(statuses[i].further[0], i == 3 ? 1u : 3u);
    if (i != 3) {
      EXPECT_EQ(strings[i], (std::vector<std::uint8_t>{'a', 'b', 'c'}));
      EXPECT_EQ(offsets[i], (std::vector<std::uint8_t>{0, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0}));
    }
  }
  const std::span<const std::uint8_t> in(kPage);
  Status sizes;
  EXPECT_EQ(decoder->decoded_sizes({&in, 1}, {&sizes, 1}), "");
  EXPECT_EQ(sizes.produced, 3u);
  EXPECT_EQ(sizes.further[0], 3u);
  chunks[2].further = {};
  EXPECT_EQ(decoder->decode_batch(chunks, statuses).text, "parquet_strings has 1 output beside its own, and chunk 2 gives room for 0");
}

}  // namespace
}  // namespace sluice::test
