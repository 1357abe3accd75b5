#pragma once
// A batch of LZ4 blocks in the stand-in's device memory, as a caller of the asynchronous interface would have it.
#include <cstring>
#include <string>
#include <vector>

#include "runtime/launch/cuda_device.h"
#include "tests/fake_cuda/environment.h"

namespace sluice::test {

class DeviceSide {
 public:
  DeviceSide() {
    auto opened = runtime::CudaDevice::open(0);
    EXPECT_TRUE(opened) << opened.error().text;
    if (!opened) return;
    device = *opened;
    auto made = runtime::make_stream(device);
    EXPECT_TRUE(made);
    if (made) stream = std::move(*made);
  }

  // Bytes on the device, there when this returns. `shift`: how far off the allocation's alignment.
  runtime::cu::Address put(const void* data, std::size_t bytes, std::size_t shift = 0) {
    auto made = runtime::make_device_memory(device, bytes + shift + 1);
    EXPECT_TRUE(made);
    if (!made) return 0;
    const runtime::cu::Address at = made->get() + shift;
    const runtime::Current current(*device);
    EXPECT_EQ(device->driver->copy_to_device(at, data, bytes, stream.get()), 0);
    EXPECT_EQ(device->driver->stream_synchronize(stream.get()), 0);
    pieces.push_back(std::move(*made));
    return at;
  }
  template <class T>
  T* put(const std::vector<std::uint64_t>& words) {
    return reinterpret_cast<T*>(static_cast<std::uintptr_t>(put(words.data(), words.size() * sizeof words[0])));
  }
  template <class T>
  std::vector<T> get(const void* at, std::size_t count) {
    std::vector<T> data(count);
    const runtime::Current current(*device);
    EXPECT_EQ(device->driver->copy_to_host(data.data(), reinterpret_cast<std::uintptr_t>(at), count * sizeof(T),
                                           stream.get()),
              0);
    EXPECT_EQ(device->driver->stream_synchronize(stream.get()), 0);
    return data;
  }
  int synchronize() {
    const runtime::Current current(*device);
    return device->driver->stream_synchronize(stream.get());
  }

  std::shared_ptr<const runtime::CudaDevice> device;
  runtime::CudaStream stream;
  std::vector<runtime::DeviceMemory> pieces;
};

// `texts` as blocks on the device, odd addresses; outputs poisoned.
struct DeviceBlocks {
  DeviceSide& side;
  std::vector<std::string> texts;
  std::vector<std::uint64_t> out_at;
  cuda::DeviceBatch batch;

  DeviceBlocks(DeviceSide& on, std::vector<std::string> list) : side(on), texts(std::move(list)) {
    std::vector<std::uint64_t> in, in_bytes, capacities, poison(texts.size(), 0xcccccccccccccccc);
    for (const std::string& text : texts) {
      const auto block = lz4_block(text);
      in.push_back(side.put(block.data(), block.size(), 3));
      in_bytes.push_back(block.size());
      const std::string room(text.size(), '?');
      out_at.push_back(side.put(room.data(), room.size(), 1));
      capacities.push_back(text.size());
    }
    batch.in = side.put<const void* const>(in);
    batch.in_bytes = side.put<const std::uint64_t>(in_bytes);
    batch.out = side.put<void* const>(out_at);
    batch.out_capacity = side.put<const std::uint64_t>(capacities);
    batch.produced = side.put<std::uint64_t>(poison);
    batch.errors = side.put<std::uint64_t>(poison);
    batch.chunks = texts.size();
  }
  std::string output(std::size_t i) {
    const auto bytes = side.get<char>(reinterpret_cast<void*>(static_cast<std::uintptr_t>(out_at[i])), texts[i].size());
    return {bytes.begin(), bytes.end()};
  }
};

}  // namespace sluice::test
