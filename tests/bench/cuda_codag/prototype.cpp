#include "tests/bench/cuda_codag/prototype.h"

#include <array>
#include <cstddef>
#include <string_view>

#include "runtime/jit/shared_library.h"
#include "tests/bench/cuda_codag/peers.h"

namespace sluice::bench {
namespace {

struct Limit {
  std::string_view codec;
  std::uint64_t most_bytes;  // its positions are 16 bits, or 17
};
constexpr std::array<Limit, 3> kLimits{{{"lz4_block", 64 << 10}, {"snappy_raw", 64 << 10}, {"deflate", 128 << 10}}};
constexpr std::uint64_t kAlignment = 16;

}  // namespace

std::string open_prototype(const std::string& path, std::vector<PeerDecoder>& decoders) {
  std::string why;
  const auto library = runtime::SharedLibrary::open(path, why);
  if (!library) return why;
  SluicePrototypeBegin* begin = nullptr;
  SluicePrototypeLaunch* launch = nullptr;
  SluicePrototypeEnd* end = nullptr;
  if (!library->get("sluice_prototype_begin", begin) || !library->get("sluice_prototype_launch", launch) ||
      !library->get("sluice_prototype_end", end))
    return path + " is not made from prototype.cu";
  for (const Limit& limit : kLimits) {
    PeerDecoder& one = decoders.emplace_back();
    one.peer = kPrototype;
    one.codec = limit.codec;
    one.input_alignment = one.output_alignment = kAlignment;
    one.most_bytes = limit.most_bytes;
    one.begin = [begin, launch, end, codec = one.codec](const PeerBatch& batch, PeerSession& session) -> std::string {
      const gpu::Device& device = *batch.device;
      const runtime::Current current(device.properties());
      const SluicePrototypeBatch told{.codec = codec.c_str(),
                                      .chunks = static_cast<unsigned>(batch.chunks),
                                      .in = gpu::pointer<const void* const>(batch.in),
                                      .out = gpu::pointer<void* const>(batch.out),
                                      .errors = gpu::pointer<unsigned>(batch.statuses),
                                      .in_bytes = batch.input_sizes.data(),
                                      .out_bytes = batch.output_sizes.data()};
      SluicePrototypeSession* made = nullptr;
      std::size_t scratch = 0;
      const char* how = nullptr;
      if (const char* wrong = begin(&told, device.stream(), &made, &scratch, &how)) return wrong;
      const std::shared_ptr<SluicePrototypeSession> kept(made, [end, &device](SluicePrototypeSession* old) {
        const runtime::Current inside(device.properties());
        end(old);
      });
      session.scratch_bytes = scratch;
      session.how = how;
      session.tells_produced = false;
      session.decode = [launch, kept, &device]() -> std::string {
        const runtime::Current inside(device.properties());
        const char* wrong = launch(kept.get(), device.stream());
        return wrong == nullptr ? "" : wrong;
      };
      return "";
    };
  }
  return "";
}

}  // namespace sluice::bench
