#include "tests/conform/cuda_simt.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <type_traits>

#include "compiler/emit/cuda.h"
#include "runtime/api/cuda_abi.h"
#include "tests/simt/simt.h"

namespace sluice::test {
namespace {

constexpr std::size_t kTempAlignment = 256;  // cuda_abi.h, sluice_cuda_batch.temp
constexpr std::uint64_t kBlocksWithTemp = 2;

// Exactly as large as asked for, so that AddressSanitizer sees every step past it. Kept from launch to launch: some
// formats want megabytes.
class Temp {
 public:
  std::uint8_t* fit(std::size_t size) {
    if (size != size_) {
      memory_.reset(static_cast<std::uint8_t*>(std::aligned_alloc(kTempAlignment, size)));
      if (!memory_) std::abort();
      size_ = size;
      std::fill_n(memory_.get(), size, static_cast<std::uint8_t>(0xa5));
    }
    std::fill_n(memory_.get(), plan::kTempHeader, static_cast<std::uint8_t>(0));
    return memory_.get();
  }

 private:
  std::unique_ptr<std::uint8_t, void (*)(void*)> memory_{nullptr, std::free};
  std::size_t size_ = 0;
};

// The same batch with offsets from bases; a single chunk's end is said by an offset, too.
void as_offsets(sluice_cuda_batch& batch, std::vector<const unsigned char*>& in, std::vector<unsigned char*>& out) {
  batch.in_base = 0x1000;  // a multiple of every alignment that a schedule promises
  batch.out_base = 0x2000;
  if (in.size() == 1) {
    in.push_back(in[0] + batch.in_size[0]);
    batch.in_size = nullptr;
    batch.in = in.data();
  }
  const auto less = [](auto*& pointer, unsigned long long base) {
    pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(reinterpret_cast<std::uintptr_t>(pointer) - base);
  };
  for (auto& pointer : in) less(pointer, batch.in_base);
  for (auto& pointer : out) less(pointer, batch.out_base);
}

// A further output of a batch.
struct Further {
  std::vector<unsigned char*> out;
  std::vector<unsigned long long> produced;
};

}  // namespace

CudaRun run_kernel(const simt::Kernel& kernel, const Codec& codec, std::span<const Request> requests, bool count,
                   std::uint64_t seed) {
  constexpr unsigned long long kUnset = 0xdddddddddddddddd;
  const std::size_t chunks = requests.size();
  std::vector<const unsigned char*> in(chunks);
  std::vector<unsigned char*> out(chunks);
  std::vector<unsigned long long> in_size(chunks), capacity(chunks), produced(chunks, kUnset), consumed(chunks, kUnset),
      error(chunks, kUnset);
  for (std::size_t i = 0; i < chunks; ++i) {
    in[i] = requests[i].in.data();
    in_size[i] = requests[i].in.size();
    out[i] = requests[i].out.data();
    capacity[i] = requests[i].out.size() / codec.element_bytes();
  }
  sluice_cuda_batch batch{};
  batch.in = in.data();
  batch.in_size = in_size.data();
  batch.out = count ? nullptr : out.data();
  batch.out_capacity = count ? nullptr : capacity.data();
  if (seed % 2 != 0) as_offsets(batch, in, out);
  std::vector<FurtherRooms> rooms;
  rooms.reserve(chunks);
  for (std::size_t i = 0; i < chunks; ++i) rooms.emplace_back(codec.module, capacity[i], count);
  std::vector<Further> further(codec.module.outputs.size());
  for (std::size_t k = 0; k < further.size(); ++k) {
    further[k].produced.assign(chunks, kUnset);
    for (FurtherRooms& room : rooms) further[k].out.push_back(room.room(k).data());
    batch.further[k] = {count ? nullptr : further[k].out.data(), batch.out_capacity, further[k].produced.data(), 0};
    if (seed % 2 == 0) continue;
    batch.further[k].out_base = 0x3000;
    for (auto& at : further[k].out) at = reinterpret_cast<unsigned char*>(reinterpret_cast<std::uintptr_t>(at) - 0x3000);
  }
  batch.produced = produced.data();
  batch.consumed = consumed.data();
  batch.error = error.data();
  if (chunks > 0) {
    batch.dictionary = requests.front().dictionary.data();
    batch.dictionary_size = requests.front().dictionary.size();
  }
  for (std::size_t i = 0; i < codec.module.args.size(); ++i) batch.args[i] = codec.module.args[i].initial;
  batch.chunks = chunks;
  std::uint64_t blocks = (chunks + kernel.chunks_per_block - 1) / kernel.chunks_per_block;
  if (kernel.temp_bytes_per_slot != 0) {
    thread_local Temp temp;
    blocks = std::min(blocks, kBlocksWithTemp);
    batch.slots = blocks * kernel.chunks_per_block;
    batch.temp = temp.fit(plan::kTempHeader + batch.slots * kernel.temp_bytes_per_slot);
  }
  const simt::Launch launch{static_cast<unsigned>(blocks), kernel.threads_per_block, seed, kernel.shared()};
  const unsigned races = races_reported();
  const simt::Report report = simt::launch(launch, count ? kernel.count : kernel.decode, &batch);
  CudaRun run;
  run.collectives = report.collectives;
  for (std::size_t i = 0; i < chunks; ++i)
    run.outcomes.push_back(std::move(rooms[i]).outcome({error[i], produced[i], consumed[i]}, [&](std::size_t k) { return further[k].produced[i]; }));
  if (!report.ok())
    run.fault = "block " + std::to_string(report.block) + ", seed " + std::to_string(seed) + ": " + report.text;
  else if (races_reported() != races)
    run.fault = "lanes share memory without a barrier: ThreadSanitizer's report is above";
  return run;
}

std::vector<const simt::Kernel*> kernels_of(std::string_view codec, std::string_view set) {
  std::vector<const simt::Kernel*> found;
  for (const simt::Kernel* kernel : simt::kernels()) {
    if (kernel->codec == codec && kernel->set == set && kernel->refused == nullptr && !kernel->elsewhere) found.push_back(kernel);
  }
  return found;
}

}  // namespace sluice::test
