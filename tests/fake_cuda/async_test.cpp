// Batches in device memory on a caller's stream.
#include "tests/fake_cuda/device_batch.h"

namespace sluice::test {
namespace {

using FakeAsync = FakeCuda;

TEST_F(FakeAsync, QueuesAndDoesNotWait) {
  const auto decoder = cuda::Decoder::from_name("lz4_block", options());
  ASSERT_TRUE(decoder) << decoder.error().text;
  DeviceSide side;
  DeviceBlocks blocks(side, {"hello", std::string(1000, 'x'), ""});
  const std::size_t before = live_pieces();
  EXPECT_EQ(decoder->temp_bytes(3), 0u);
  EXPECT_EQ(decoder->decode_async(blocks.batch, side.stream.get()), "");
  EXPECT_EQ(live_pieces(), before) << "an asynchronous call allocated";
  // Nothing has run: the stand-in works only when somebody waits.
  EXPECT_EQ(*blocks.batch.produced, 0xccccccccccccccccu);
  EXPECT_EQ(side.synchronize(), 0);
  EXPECT_EQ(side.get<std::uint64_t>(blocks.batch.produced, 3), (std::vector<std::uint64_t>{5, 1000, 0}));
  EXPECT_EQ(side.get<std::uint64_t>(blocks.batch.errors, 3), (std::vector<std::uint64_t>{0, 0, 0}));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(blocks.output(i), blocks.texts[i]);
}

TEST_F(FakeAsync, TakesOffsets) {
  const auto decoder = cuda::Decoder::from_name("lz4_block", options());
  ASSERT_TRUE(decoder) << decoder.error().text;
  DeviceSide side;
  const std::vector<std::string> texts{"hello", std::string(1000, 'x'), ""};
  DeviceBlocks blocks(side, texts);
  std::vector<std::uint8_t> whole(5, 0xff);  // the first block does not begin at 0
  std::vector<std::uint64_t> starts, rooms{7, 20, 1020}, sizes;
  for (const std::string& text : texts) {
    const auto block = lz4_block(text);
    starts.push_back(whole.size());
    sizes.push_back(block.size());
    whole.insert(whole.end(), block.begin(), block.end());
  }
  starts.push_back(whole.size());
  const std::string room(1020, '?');
  cuda::DeviceBatch batch = blocks.batch;
  const auto at = [](runtime::cu::Address address) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)); };
  batch.in_base = at(side.put(whole.data(), whole.size(), 3));
  batch.in = side.put<const void* const>(starts);
  batch.out = side.put<void* const>(rooms);
  std::string expected = room;
  expected.replace(7, 5, texts[0]);
  expected.replace(20, 1000, texts[1]);
  for (const bool with_sizes : {false, true}) {
    batch.out_base = at(side.put(room.data(), room.size(), 1));
    batch.in_bytes = with_sizes ? side.put<const std::uint64_t>(sizes) : nullptr;
    EXPECT_EQ(decoder->decode_async(batch, side.stream.get()), "");
    EXPECT_EQ(side.synchronize(), 0);
    EXPECT_EQ(side.get<std::uint64_t>(batch.produced, 3), (std::vector<std::uint64_t>{5, 1000, 0}));
    const auto made = side.get<char>(batch.out_base, room.size());
    EXPECT_EQ(std::string(made.begin(), made.end()), expected);
  }
  batch.in_base = nullptr;
  batch.in_bytes = nullptr;
  EXPECT_EQ(decoder->decode_async(batch, side.stream.get()),
            "a batch needs arrays of inputs, their sizes, produced sizes and error words");
}

TEST_F(FakeAsync, FindsSizes) {
  const auto decoder = cuda::Decoder::from_name("lz4_block", options());
  ASSERT_TRUE(decoder) << decoder.error().text;
  DeviceSide side;
  DeviceBlocks blocks(side, {"hello", std::string(1000, 'x')});
  EXPECT_EQ(decoder->decoded_sizes_async(blocks.batch, side.stream.get()), "");
  EXPECT_EQ(side.synchronize(), 0);
  EXPECT_EQ(side.get<std::uint64_t>(blocks.batch.produced, 2), (std::vector<std::uint64_t>{5, 1000}));
  EXPECT_EQ(blocks.output(0), "?????");
}

TEST_F(FakeAsync, RefusesBatchesThatCanNotRun) {
  const auto decoder = cuda::Decoder::from_name("lz4_block", options());
  ASSERT_TRUE(decoder) << decoder.error().text;
  DeviceSide side;
  DeviceBlocks blocks(side, {"hello"});
  cuda::DeviceBatch batch = blocks.batch;
  batch.produced = nullptr;
  EXPECT_EQ(decoder->decode_async(batch, side.stream.get()),
            "a batch needs arrays of inputs, their sizes, produced sizes and error words");
  batch = blocks.batch;
  batch.out = nullptr;
  EXPECT_EQ(decoder->decode_async(batch, side.stream.get()), "a batch needs arrays of outputs and capacities");
  batch = blocks.batch;
  const std::vector<std::uint64_t> arguments{1, 2, 3};
  batch.arguments = arguments;
  EXPECT_NE(decoder->decode_async(batch, side.stream.get()).text.find("run-time arguments, not 3"), std::string::npos);
  EXPECT_EQ(decoder->decode_async({}, side.stream.get()), "") << "an empty batch is done at once";
}

// bzip2 has stages: temporary memory is asked for, its counter cleared each time, any alignment taken.
TEST_F(FakeAsync, TemporaryMemory) {
  use("bzip2");
  const auto decoder = cuda::Decoder::from_name("bzip2", options());
  ASSERT_TRUE(decoder) << decoder.error().text;
  const std::uint64_t one = decoder->temp_bytes(1), many = decoder->temp_bytes(1 << 20);
  EXPECT_GT(one, 0u);
  EXPECT_GE(one, decoder->least_temp_bytes());
  EXPECT_GT(many, one);
  EXPECT_EQ(many, decoder->temp_bytes(1 << 24)) << "it stops growing when the device is full";
  EXPECT_EQ(decoder->temp_bytes(0), 0u);

  DeviceSide side;
  DeviceBlocks blocks(side, {"this is no bzip2 file", "nor is this"});
  EXPECT_NE(decoder->decode_async(blocks.batch, side.stream.get()).text.find("temporary memory"), std::string::npos);
  auto temp = runtime::make_device_memory(side.device, one + 5);
  ASSERT_TRUE(temp) << temp.error().text;
  for (const std::uint64_t shift : {0, 5}) {
    blocks.batch.temp = reinterpret_cast<void*>(static_cast<std::uintptr_t>(temp->get() + shift));
    blocks.batch.temp_bytes = one;
    EXPECT_EQ(decoder->decode_async(blocks.batch, side.stream.get()), "");
    EXPECT_EQ(side.synchronize(), 0);
    for (const std::uint64_t word : side.get<std::uint64_t>(blocks.batch.errors, 2)) {
      EXPECT_NE(word, 0u);
      EXPECT_NE(word, 0xccccccccccccccccu);
    }
  }
  blocks.batch.temp_bytes = decoder->least_temp_bytes() - 1;
  EXPECT_NE(decoder->decode_async(blocks.batch, side.stream.get()).text.find("too few"), std::string::npos);
}

// A caller with a context of its own finds it current after every call; one without finds none.
TEST_F(FakeAsync, LeavesTheContextAlone) {
  const auto driver = runtime::CudaDriver::load();
  ASSERT_TRUE(driver);
  runtime::cu::Context mine = nullptr, now = nullptr;
  ASSERT_EQ((*driver)->primary_retain(&mine, 0), 0);
  for (const bool own : {false, true}) {
    if (own) {
      ASSERT_EQ((*driver)->context_push(mine), 0);
    }
    {
      const auto decoder = cuda::Decoder::from_name("lz4_block", options());
      ASSERT_TRUE(decoder) << decoder.error().text;
      DeviceSide side;
      DeviceBlocks blocks(side, {"hello"});
      EXPECT_EQ(decoder->decode_async(blocks.batch, side.stream.get()), "");
    }
    ASSERT_EQ((*driver)->context_current(&now), 0);
    EXPECT_EQ(now, own ? mine : nullptr);
    if (own) {
      ASSERT_EQ((*driver)->context_pop(&now), 0);
    }
  }
}

}  // namespace
}  // namespace sluice::test
